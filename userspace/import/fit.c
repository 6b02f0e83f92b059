// SPDX-License-Identifier: GPL-2.0
/* The search for a synthetic kernel's size; see fit.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../offline/profile.h"
#include "../offline/run.h"
#include "fit.h"

#define FIT_SEED	1
/* How much further than so far a search goes that knows no bound above */
#define GROWTH		8
/* Cycles that an instruction of the tail takes at least: it waits for the one before. */
#define TAIL_CYCLES	4
/* A kernel that should take longer is first searched with a part of its thread blocks. */
#define PART_FROM_NS	200000
/* Time that such a part should take, about, and the waves that it has at least */
#define PART_NS		60000
#define PART_WAVES	2

/**
 * struct search - a kernel's search
 * @config: the GPU
 * @fit: the kernel; its turns and tail are those of the best run so far
 * @stop: whether to give up; or NULL
 * @wanted: core cycles that it should take
 * @best: cycles of the best run; 0: there was none
 */
struct search {
	const struct gpu_config *config;
	struct fit *fit;
	bool (*stop)(void);
	uint64_t wanted;
	uint64_t best;
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t error_ppm(const struct search *search, uint64_t cycles)
{
	return fixed_mul_div(distance(cycles, search->wanted), SIMGPU_PPM, search->wanted);
}

/* Keep a run that is nearer than all before. */
static void keep(struct search *search, const struct synthetic *tried, const struct trace *trace,
		 uint64_t cycles)
{
	struct fit *fit = search->fit;

	if (search->best &&
	    distance(search->best, search->wanted) <= distance(cycles, search->wanted))
		return;
	search->best = cycles;
	fit->synthetic = *tried;
	fit->instructions = trace->kernels[0].instructions;
	fit->memory_bytes = synthetic_moved(tried);
}

static int run(struct search *search, const struct synthetic *tried, uint64_t *cycles)
{
	struct simgpu_profile_point point;
	struct trace_error error = { 0 };
	struct trace *trace;
	size_t bytes;
	void *file;
	int ret;

	if (search->stop && search->stop())
		return -EINTR;
	file = synthetic_trace(tried, &bytes);
	if (!file)
		return -ENOMEM;
	ret = offline_load_trace(file, bytes, &error, &trace);
	free(file);
	if (ret)
		return ret;
	ret = offline_profile(search->config, trace, 0, search->config->sms, FIT_SEED, &point);
	search->fit->runs++;
	*cycles = ret ? 0 : point.cycles;
	search->fit->searched_ns += fixed_mul_div(*cycles, 1000, search->config->core_mhz);
	if (!ret)
		keep(search, tried, trace, *cycles);
	offline_free_trace(trace);
	return ret;
}

/**
 * struct bounds - values between which the wanted one lies
 * @low: takes less than wanted
 * @low_cycles: how long it takes
 * @high: takes more, or is the greatest that there may be
 * @high_cycles: how long it takes; 0: not known
 * @slope: cycles for each more, in parts per million; 0: not known
 * @same: runs in a row that have moved the same bound
 * @trusted: @slope is good enough to go as far as it says at once
 */
struct bounds {
	uint64_t low;
	uint64_t low_cycles;
	uint64_t high;
	uint64_t high_cycles;
	uint64_t slope;
	int same;
	bool trusted;
};

/* Take a run of @value for a bound. */
static void bounds_move(struct bounds *bounds, const struct search *search, uint64_t value,
			uint64_t cycles)
{
	if (cycles > bounds->low_cycles)
		bounds->slope = fixed_mul_div(cycles - bounds->low_cycles, SIMGPU_PPM,
					      value - bounds->low);
	if (cycles < search->wanted) {
		bounds->low = value;
		bounds->low_cycles = cycles;
		bounds->same = bounds->same > 0 ? bounds->same + 1 : 1;
	} else {
		bounds->high = value;
		bounds->high_cycles = cycles;
		bounds->same = bounds->same < 0 ? bounds->same - 1 : -1;
	}
}

/* The next value to try, above the low bound and below the high one. */
static uint64_t bounds_next(const struct bounds *bounds, const struct search *search)
{
	uint64_t left = search->wanted - bounds->low_cycles, most = bounds->high - 1, next;

	if (bounds->high_cycles && (bounds->same > 1 || bounds->same < -1))
		return bounds->low + (bounds->high - bounds->low) / 2;
	next = bounds->slope ? bounds->low + fixed_mul_div(left, SIMGPU_PPM, bounds->slope) :
			       bounds->low + 1;
	if (!bounds->high_cycles && !bounds->trusted && next > GROWTH * bounds->low + GROWTH)
		next = GROWTH * bounds->low + GROWTH;
	if (next > most)
		next = most;
	return next > bounds->low ? next : bounds->low + 1;
}

/*
 * Search for the value of @knob, a member of @tried, at which it takes the wanted time; it has
 * the low bound's value at the end.
 */
static int seek(struct search *search, struct synthetic *tried, uint32_t *knob,
		struct bounds *bounds)
{
	uint32_t runs;
	int ret = 0;

	for (runs = 0; runs < FIT_RUNS_MAX && bounds->high - bounds->low > 1; runs++) {
		uint64_t value = bounds_next(bounds, search), cycles;

		*knob = (uint32_t)value;
		ret = run(search, tried, &cycles);
		if (ret || error_ppm(search, search->best) <= FIT_DONE_PPM)
			break;
		bounds_move(bounds, search, value, cycles);
	}
	*knob = (uint32_t)bounds->low;
	return ret;
}

static bool is_done(const struct search *search)
{
	return search->best && error_ppm(search, search->best) <= FIT_DONE_PPM;
}

/* Thread blocks that run at once on the whole GPU; 0: none fits */
static uint64_t wave_of(const struct search *search)
{
	const struct activity *kernel = search->fit->synthetic.kernel;
	struct trace_kernel shape = {
		.block_threads = kernel->block[0] * kernel->block[1] * kernel->block[2],
		.registers_per_thread = kernel->registers ? kernel->registers :
							    SYNTHETIC_REGISTERS,
		.shared_bytes = search->fit->synthetic.shared_bytes,
	};

	shape.block_warps = (shape.block_threads + GPU_LANES - 1) / GPU_LANES;
	return (uint64_t)gpu_kernel_blocks_per_sm(search->config, &shape) * search->config->sms;
}

static uint64_t blocks_of(const struct activity *kernel)
{
	return (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

/*
 * As many turns as take no longer than wanted; then the tail takes the rest. Where there are
 * several waves of thread blocks, the first ones take a turn more before that: so a kernel that
 * waits for memory takes the rest of its time for memory, too.
 */
static int find(struct search *search, uint64_t turns_guess)
{
	struct synthetic tried = search->fit->synthetic;
	uint64_t wave = wave_of(search), blocks = blocks_of(tried.kernel);
	struct bounds turns = { .high = SYNTHETIC_TURNS_MAX };
	struct bounds extra = { .high = blocks, .trusted = true };
	struct bounds tail = { .high = SYNTHETIC_TAIL_MAX, .trusted = true };
	int ret;

	tried.turns = tried.extra = tried.tail = 0;
	ret = run(search, &tried, &turns.low_cycles);
	/* Nothing takes less than a kernel of hardly an instruction. */
	if (ret || is_done(search) || turns.low_cycles >= search->wanted)
		return ret;
	if (turns_guess) {
		turns.slope = fixed_mul_div(search->wanted - turns.low_cycles, SIMGPU_PPM,
					    turns_guess);
		turns.trusted = true;
	}
	ret = seek(search, &tried, &tried.turns, &turns);
	if (ret || is_done(search))
		return ret;
	tail.low_cycles = extra.low_cycles = turns.low_cycles;
	if (turns.high == turns.low + 1 && turns.high_cycles && blocks > wave) {
		extra.high_cycles = turns.high_cycles;
		extra.slope = fixed_mul_div(turns.high_cycles - turns.low_cycles, SIMGPU_PPM, blocks);
		ret = seek(search, &tried, &tried.extra, &extra);
		tail.low_cycles = extra.low_cycles;
	}
	if (ret || error_ppm(search, search->best) <= FIT_GOOD_PPM)
		return ret;
	tail.slope = fixed_mul_div(TAIL_CYCLES * SIMGPU_PPM, blocks + wave, wave);
	return seek(search, &tried, &tried.tail, &tail);
}

/*
 * Search with a few waves of the thread blocks, in a part of the time. Sets the turns that were
 * found, or 0 if the kernel is too short for that, or has too few blocks.
 */
static int find_part(const struct search *whole, uint64_t *turns)
{
	struct activity kernel = *whole->fit->synthetic.kernel;
	struct fit fit = *whole->fit;
	struct search part = *whole;
	uint64_t wave = wave_of(whole), blocks = blocks_of(&kernel), some;
	int ret;

	*turns = 0;
	if (whole->fit->wanted_ns <= PART_FROM_NS || !wave)
		return 0;
	some = fixed_mul_div(blocks / wave, PART_NS, whole->fit->wanted_ns);
	some = (some < PART_WAVES ? PART_WAVES : some) * wave;
	if (some > blocks / 2)
		return 0;
	/* Rows of blocks stay whole where that is possible: they share tiles. */
	kernel.grid[1] = some >= kernel.grid[0] ? (uint32_t)(some / kernel.grid[0]) : 1;
	kernel.grid[0] = some >= kernel.grid[0] ? kernel.grid[0] : (uint32_t)some;
	kernel.grid[2] = 1;
	fit.synthetic.kernel = &kernel;
	part.fit = &fit;
	part.wanted = fixed_mul_div(whole->wanted, blocks_of(&kernel), blocks);
	ret = find(&part, 0);
	*turns = fit.synthetic.turns;
	whole->fit->runs = fit.runs;
	whole->fit->searched_ns = fit.searched_ns;
	return ret;
}

static void conclude(struct search *search)
{
	struct fit *fit = search->fit;

	fit->simulated_ns = fixed_mul_div(search->best, 1000, search->config->core_mhz);
	fit->error_ppm = error_ppm(search, search->best);
	fit->slower = search->best > search->wanted;
	if (fit->error_ppm <= FIT_GOOD_PPM)
		return;
	fit->reason = fit->synthetic.turns + fit->synthetic.extra + fit->synthetic.tail == 0 && fit->slower ?
		"so many thread blocks take longer on this GPU even with nothing to do" :
		"no number of turns and instructions takes that time";
}

int fit_kernel(const struct gpu_config *config, struct fit *fit, bool (*stop)(void))
{
	struct search search = { .config = config, .fit = fit, .stop = stop };
	uint64_t turns;
	int ret;

	fit->runs = 0;
	fit->searched_ns = 0;
	fit->synthetic.shared_bytes = fit->synthetic.kernel->shared_bytes;
	if (fit->synthetic.shared_bytes > config->shared_bytes_per_sm)
		fit->synthetic.shared_bytes = config->shared_bytes_per_sm;
	fit->reason = synthetic_refusal(fit->synthetic.kernel);
	if (fit->reason)
		return 0;
	search.wanted = fixed_mul_div(fit->wanted_ns, config->core_mhz, 1000);
	if (!search.wanted)
		search.wanted = 1;
	ret = find_part(&search, &turns);
	if (!ret)
		ret = find(&search, turns);
	if (ret == -E2BIG) {
		fit->reason = "a thread block of it does not fit on an SM of this GPU";
		return 0;
	}
	if (ret == -ERANGE) {
		fit->reason = "it takes more than 2^32 cycles";
		return 0;
	}
	if (!ret)
		conclude(&search);
	return ret;
}
