// SPDX-License-Identifier: GPL-2.0
/* Histograms of launches' latencies, and their percentiles; see latency.h. */
#include "internal.h"
#include "latency.h"

static u32 bucket_of(u64 cycles)
{
	u32 power;

	if (cycles < LATENCY_EXACT)
		return (u32)cycles;
	power = 63 - (u32)__builtin_clzll(cycles);
	if (power > LATENCY_POWER_LAST)
		return LATENCY_BUCKETS - 1;
	return LATENCY_EXACT + (power - LATENCY_POWER_FIRST) * LATENCY_PARTS +
	       (u32)(cycles >> (power - 5)) % LATENCY_PARTS;
}

/* The middle of a bucket. */
static u64 cycles_of(u32 bucket)
{
	u32 power, part;

	if (bucket < LATENCY_EXACT)
		return bucket;
	power = (bucket - LATENCY_EXACT) / LATENCY_PARTS + LATENCY_POWER_FIRST;
	part = (bucket - LATENCY_EXACT) % LATENCY_PARTS;
	return ((u64)(LATENCY_PARTS + part) << (power - 5)) +
	       (1ULL << (power - 5)) / 2;
}

/* The place of the first of the sorted latencies that is not below a value. */
static u32 place_of(const struct recent *recent, u32 count, u64 cycles)
{
	u32 low = 0, high = count;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (recent->sorted[middle] < cycles)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The oldest one makes room, if need be. */
static void recent_add(struct recent *recent, u64 cycles)
{
	u64 *sorted = recent->sorted;
	u32 count = recent->count, place;

	if (count == SIMGPU_RECENT_MAX) {
		place = place_of(recent, count, recent->cycles[recent->next]);
		count--;
		memmove(&sorted[place], &sorted[place + 1],
			(count - place) * sizeof(sorted[0]));
	}
	place = place_of(recent, count, cycles);
	memmove(&sorted[place + 1], &sorted[place], (count - place) * sizeof(sorted[0]));
	sorted[place] = cycles;
	recent->count = count + 1;
	recent->cycles[recent->next] = cycles;
	recent->next = (recent->next + 1) % SIMGPU_RECENT_MAX;
}

void latency_add(struct latency *latency, u64 arrival, u64 start, u64 end,
		 u64 deadline)
{
	if (!latency->launches)
		latency->first_arrival = arrival;
	latency->launches++;
	if (deadline && end > deadline)
		latency->deadline_misses++;
	latency->last_end = end;
	latency->wait_cycles = fixed_add(latency->wait_cycles, start - arrival);
	latency->run_cycles = fixed_add(latency->run_cycles, end - start);
	latency->waits[bucket_of(start - arrival)]++;
	latency->latencies[bucket_of(end - arrival)]++;
	recent_add(&latency->recent, end - arrival);
}

u64 latency_rank(u64 launches, u32 percent)
{
	return (fixed_mul(launches, percent) + 99) / 100;
}

void latency_fill_snapshot(const struct latency *latency, struct simgpu_snapshot_latency *out)
{
	const struct recent *recent = &latency->recent;

	out->ended = latency->launches;
	out->misses = latency->deadline_misses;
	out->recent = recent->count;
	if (!recent->count)
		return;
	out->p50_cycles = recent->sorted[latency_rank(recent->count, 50) - 1];
	out->p95_cycles = recent->sorted[latency_rank(recent->count, 95) - 1];
	out->p99_cycles = recent->sorted[latency_rank(recent->count, 99) - 1];
}

/* The value at a rank of a histogram, of which some launches may be in other buckets. */
static u64 value_at(const u32 *buckets, const s32 *shift, u64 rank)
{
	u64 seen = 0, last = 0;
	u32 i;

	for (i = 0; i < LATENCY_BUCKETS && seen < rank; i++) {
		u32 count = (u32)((s32)buckets[i] + (shift ? shift[i] : 0));

		if (count)
			last = cycles_of(i);
		seen += count;
	}
	return last;
}

/* So many of 100 launches took no longer. */
static u64 percentile(const u32 *buckets, u64 launches, u32 percent)
{
	return value_at(buckets, NULL, latency_rank(launches, percent));
}

static u64 ns_of(u64 cycles, u32 core_mhz)
{
	return fixed_mul_div(cycles, 1000, core_mhz);
}

void times_add(struct times *times, u64 cycles)
{
	times->count++;
	times->cycles = fixed_add(times->cycles, cycles);
	times->taken[bucket_of(cycles)]++;
}

const struct times_figures *times_figures(struct times *times, u32 core_mhz)
{
	const u64 n = times->count;

	if (times->figures.count == n)
		return &times->figures;
	times->figures = (struct times_figures) {
		.count = n,
		.mean_ns = ns_of(times->cycles / n, core_mhz),
		.p50_ns = ns_of(percentile(times->taken, n, 50), core_mhz),
		.p99_ns = ns_of(percentile(times->taken, n, 99), core_mhz),
	};
	return &times->figures;
}

const struct latency_figures *latency_figures(struct latency *latency,
					      u32 core_mhz)
{
	struct latency_figures *out = &latency->figures;
	const u64 n = latency->launches;
	u64 good = n - latency->deadline_misses;

	if (out->launches == n)
		return out;
#define NS(cycles)	ns_of(cycles, core_mhz)
	*out = (struct latency_figures) {
		.launches = n,
		.deadline_misses = latency->deadline_misses,
		.latency_p50_ns = NS(percentile(latency->latencies, n, 50)),
		.latency_p95_ns = NS(percentile(latency->latencies, n, 95)),
		.latency_p99_ns = NS(percentile(latency->latencies, n, 99)),
		.wait_p50_ns = NS(percentile(latency->waits, n, 50)),
		.wait_p95_ns = NS(percentile(latency->waits, n, 95)),
		.wait_p99_ns = NS(percentile(latency->waits, n, 99)),
		.wait_mean_ns = NS(latency->wait_cycles / n),
		.run_mean_ns = NS(latency->run_cycles / n),
	};
#undef NS
	/* Launches over cycles, times core_mhz * 10^6 cycles a second, in ppm. */
	out->goodput_ppm = fixed_mul_div(good, core_mhz * SIMGPU_PPM * SIMGPU_PPM,
					 latency->last_end -
					 latency->first_arrival);
	return out;
}

void latency_shift_add(struct latency_shift *shift, u64 cycles, u64 other)
{
	shift->cycles += (s64)other - (s64)cycles;
	shift->latencies[bucket_of(cycles)]--;
	shift->latencies[bucket_of(other)]++;
}

u64 latency_mean(const struct latency *latency, const struct latency_shift *shift)
{
	u64 sum = fixed_add(latency->wait_cycles, latency->run_cycles);

	if (!latency->launches)
		return 0;
	return (u64)((s64)sum + (shift ? shift->cycles : 0)) / latency->launches;
}

u64 latency_at(const struct latency *latency, const struct latency_shift *shift, u64 rank)
{
	return value_at(latency->latencies, shift->latencies, rank);
}
