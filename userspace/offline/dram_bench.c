// SPDX-License-Identifier: GPL-2.0
/*
 * One memory channel alone with its queue kept full: the engine's channel
 * without the GPU around it. Beside the unit tests, this is the only file outside
 * kmod/sim that includes the engine's inside.
 */
#include <simgpu/random.h>

#include "../../kmod/sim/sim.h"
#include "bench.h"
#include "dram_bench.h"
#include "internal.h"
#include "run.h"

/* Requests that are read from the source at a time. */
#define BATCH	4096U
/* Most requests of a kind that wait for a place, and most clocks in a row. */
#define WAITING_MAX	64U

/**
 * struct bench - a run
 * @batch: requests that were read from the source
 * @count: their number
 * @at: index of the next one to enter
 */
struct bench {
	struct gpu *gpu;
	struct channel *channel;
	const struct offline_dram_source *source;
	struct offline_dram_result *result;
	u32 count;
	u32 at;
	struct offline_dram_request batch[BATCH];
};

/* --- requests in ------------------------------------------------------------ */

/* Read the next batch; this time is not the engine's. */
static int read_batch(struct bench *bench)
{
	u64 start_ns = offline_wall_ns();
	int ret = bench->source->read(bench->source->context, bench->batch,
				      BATCH);

	bench->result->wall_ns -= offline_wall_ns() - start_ns;
	bench->at = 0;
	bench->count = ret > 0 ? (u32)ret : 0;
	return ret;
}

/* The number of requests of a kind that wait for a place in its queue. */
static u32 waiting(const struct bench *bench, u32 mode)
{
	u32 count = bench->channel->queue[mode].count +
		    bench->channel->inbox[mode].count;
	u32 entries = bench->gpu->config.queue_entries;

	return count > entries ? count - entries : 0;
}

/*
 * Whether a request may wait at the channel. It may wait with others of its kind, which
 * enter in order, but not beside those of the other kind, which it could overtake.
 */
static bool has_room(const struct bench *bench, u32 mode)
{
	return waiting(bench, mode) < WAITING_MAX && !waiting(bench, !mode);
}

/*
 * Let requests queue up in order, until one has to wait outside. Return:
 * how many have entered, or a negative errno.
 */
static int enter(struct bench *bench)
{
	int entered = 0, ret;

	for (;;) {
		const struct offline_dram_request *next;
		struct dram_request request = { .sectors = TRACE_SECTORS };

		if (bench->at == bench->count) {
			ret = read_batch(bench);
			if (ret <= 0)
				return ret ? ret : entered;
		}
		next = &bench->batch[bench->at];
		if (!has_room(bench, next->write))
			return entered;
		request.row = next->row;
		request.bank = next->bank;
		channel_post(bench->gpu, 0, next->write, &request);
		bench->at++;
		entered++;
	}
}

/* --- requests out ------------------------------------------------------------- */

/* The channel's completions are in slice 0's ring; take them out. */
static void take_done(struct bench *bench, u64 clock)
{
	const struct dram_limits *limits = &bench->gpu->limits;
	struct offline_dram_result *result = bench->result;
	struct slice *slice = &bench->gpu->slices[0];
	u32 i;

	for (i = 0; i < slice->done_count; i++) {
		const struct dram_done *done = &slice->done[i];

		result->requests++;
		result->activates += done->activated;
		result->hits += !done->activated;
		result->busy_clocks += limits->burst;
		result->memory_clocks = clock + (done->write ?
						 limits->write_data :
						 limits->read_data);
	}
	slice->done_count = 0;
	slice->done_head = 0;
}

/*
 * How many clocks can be simulated in a row: as many as requests wait for a place, since
 * at most one place gets free in a clock. At the end it is one clock at a time.
 */
static u32 clocks_in_a_row(const struct bench *bench)
{
	u32 clocks = waiting(bench, DRAM_READS) + waiting(bench, DRAM_WRITES);

	return bench->count && clocks ? clocks : 1;
}

/* Simulate some clocks in a row, then go on to the next at which something can happen. */
static int run_to_end(struct bench *bench)
{
	struct channel *channel = bench->channel;
	int entered = enter(bench);

	while (entered >= 0 && channel->pending) {
		u64 last = channel->clock + clocks_in_a_row(bench) - 1;
		u64 next = channel_run(bench->gpu, 0, last + 1);

		take_done(bench, last);
		entered = enter(bench);
		if (!entered)
			channel->clock = next;
	}
	return entered < 0 ? entered : 0;
}

int offline_dram_run(const struct gpu_config *config,
		     const struct offline_dram_source *source,
		     struct offline_dram_result *result)
{
	size_t bytes = (gpu_bytes(config) + 63) & ~(size_t)63;
	struct bench *bench = calloc(1, sizeof(*bench));
	void *memory = aligned_alloc(64, bytes);
	u64 start_ns;
	int ret = -ENOMEM;

	memset(result, 0, sizeof(*result));
	if (bench && memory) {
		bench->gpu = gpu_init(memory, config, 1);
		bench->channel = &bench->gpu->channels[0];
		bench->source = source;
		bench->result = result;
		start_ns = offline_wall_ns();
		ret = run_to_end(bench);
		result->wall_ns += offline_wall_ns() - start_ns;
	}
	free(memory);
	free(bench);
	return ret;
}

/* --- random requests ------------------------------------------------------------ */

/* Splitmix64 (Steele, Lea, Flood, OOPSLA'14): any seed will do. */
static u32 draw(struct offline_dram_random *random, u32 below)
{
	u64 value = simgpu_random_mix(random->state += SIMGPU_RANDOM_STEP);

	return (u32)(((value >> 32) * below) >> 32);
}

int offline_dram_random(void *context, struct offline_dram_request *requests,
			u32 room)
{
	struct offline_dram_random *random = context;
	u32 i;

	for (i = 0; i < room && random->requests; i++, random->requests--) {
		u32 bank = draw(random, random->banks);

		if (draw(random, SIMGPU_PPM) >= random->hit_ppm)
			random->row[bank] = draw(random, OFFLINE_DRAM_ROWS);
		requests[i].bank = bank;
		requests[i].row = random->row[bank];
		requests[i].write = draw(random, SIMGPU_PPM) <
				    random->write_ppm;
	}
	return (int)i;
}
