// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithm 1 of spatial-temporal multitasking (STM 3.2), and the estimate of
 * Equations 1 to 4 that it needs.
 *
 * The paper's planner takes a minute for 50 kernels, since DRR() lays out every
 * thread block. Three things make this one fast:
 *
 *  - No schedule is shorter than its work over its SMs. So most configurations are
 *    dismissed without laying out any block.
 *  - No schedule is longer than that by more than its longest block. So where all blocks
 *    are short, the estimate is that plus half of the longest block.
 *  - In the middle of a stretch in which no kernel runs out, blocks are skipped: each
 *    SM's time goes on by what the skipped blocks take on average.
 *
 * The last two move an estimate by less than the latency of the longest block.
 */
#include "plan.h"

/* Fractional bits of what plan_interval() returns. */
#define INTERVAL_BITS	30
/* Thread blocks an SM that are laid out at either end of a stretch. */
#define STRETCH_BLOCKS	2
/* Blocks are short if the longest is at most 1 / this of the whole. */
#define SHORT_BLOCKS	32

/* R[m] and B[m] / Pb of kernel @index. */
static const struct simgpu_profile_point *
point_of(const struct plan_set *set, u32 index, u32 sms)
{
	return &set->profiles[set->kernels[index].profile].point[sms - 1];
}

/* How long the blocks that a kernel has left take on so many SMs. */
static u64 cycles_of(const struct plan_set *set, u32 index, u32 sms)
{
	const struct plan_kernel *kernel = &set->kernels[index];
	u64 cycles = point_of(set, index, sms)->cycles;

	if (!kernel->done)
		return cycles;
	return cycles * (kernel->blocks - kernel->done) / kernel->blocks;
}

/**
 * plan_interval() - interval between two of a kernel's blocks in its leaky bucket
 * @set: kernels
 * @index: of the kernel
 * @sms: SMs of the kernel
 *
 * A bucket's capacity is proportional to the latency of a block over the SMs (STM 4.1,
 * with the filling rate compensated for latency): (R * m / TB) / m.
 *
 * Return: R[m] / TB, in 2^30ths of a core cycle; at least 1.
 */
u64 plan_interval(const struct plan_set *set, u32 index, u32 sms)
{
	u64 interval = ((u64)point_of(set, index, sms)->cycles << INTERVAL_BITS) /
		       set->kernels[index].blocks;

	return interval ? interval : 1;
}

/*
 * Latency of a thread block on @sms SMs, R * m / TB, in times. It is rounded up, so that
 * no schedule is shorter than its work.
 */
static u64 block_latency(const struct plan_set *set, u32 index, u32 sms)
{
	u64 work = (u64)point_of(set, index, sms)->cycles * sms << PLAN_TIME_BITS;
	u32 blocks = set->kernels[index].blocks;

	return (work + blocks - 1) / blocks;
}

/* --- the order of the leaky buckets ---------------------------------------------- */

/* Returns the SMs of all kernels together. */
static u32 fill_queues(const struct plan_set *set,
		       const struct plan_choice *choice, struct plan_work *work)
{
	u32 sms = 0, i;

	for (i = 0; i < choice->count; i++) {
		struct plan_queue *queue = &work->queue[i];
		u32 index = choice->kernel[i];

		queue->left = set->kernels[index].blocks - set->kernels[index].done;
		queue->latency = block_latency(set, index, choice->sms[i]);
		queue->interval = plan_interval(set, index, choice->sms[i]);
		queue->next = queue->interval;
		sms += choice->sms[i];
	}
	return sms;
}

/* The queue whose bucket is full first, then the first one; NULL: all are empty. */
static struct plan_queue *next_queue(struct plan_work *work, u32 count)
{
	struct plan_queue *first = NULL;
	u32 i;

	for (i = 0; i < count; i++) {
		struct plan_queue *queue = &work->queue[i];

		if (queue->left && (!first || queue->next < first->next))
			first = queue;
	}
	return first;
}

static void take_block(struct plan_queue *queue)
{
	queue->left--;
	queue->next += queue->interval;
}

/**
 * plan_interleave() - the order in which buckets let thread blocks go
 * @set: kernels
 * @choice: kernels of a phase
 * @work: workspace
 * @kernels: filled in with the index in @choice of each block's kernel. It is mapKernel
 *	of Figure 5, from which mapBlk follows by counting
 * @most: entries of @kernels
 *
 * Return: entries filled in: all thread blocks, or @most.
 */
u32 plan_interleave(const struct plan_set *set, const struct plan_choice *choice,
		    struct plan_work *work, u8 *kernels, u32 most)
{
	u32 i;

	fill_queues(set, choice, work);
	for (i = 0; i < most; i++) {
		struct plan_queue *queue = next_queue(work, choice->count);

		if (!queue)
			break;
		kernels[i] = (u8)(queue - work->queue);
		take_block(queue);
	}
	return i;
}

/* --- dynamic round robin (Figure 4) ------------------------------------------------- */

/* Place a block on the SM that is free first, which is at the root of the heap. */
static void place_block(u64 *free_at, u32 sms, u64 latency)
{
	u64 until = free_at[0] + latency;
	u32 at = 0;

	for (;;) {
		u32 child = 2 * at + 1;

		if (child >= sms)
			break;
		if (child + 1 < sms && free_at[child + 1] < free_at[child])
			child++;
		if (until <= free_at[child])
			break;
		free_at[at] = free_at[child];
		at = child;
	}
	free_at[at] = until;
}

/*
 * Skip the blocks in the middle of the time until the first kernel runs out. Before
 * that, STRETCH_BLOCKS blocks an SM are left.
 */
static void skip_stretch(struct plan_work *work, u32 count, u32 sms)
{
	u64 span = U64_MAX, blocks = 0, work_done = 0;
	u64 kept = (u64)STRETCH_BLOCKS * sms;
	u32 i;

	for (i = 0; i < count; i++) {
		const struct plan_queue *queue = &work->queue[i];
		u64 until = fixed_mul(queue->left, queue->interval);

		if (queue->left && until < span)
			span = until;
	}
	for (i = 0; i < count; i++)
		if (work->queue[i].left)
			blocks += span / work->queue[i].interval;
	if (blocks <= 2 * kept)
		return;
	span = fixed_mul_div(span, blocks - kept, blocks);
	for (i = 0; i < count; i++) {
		struct plan_queue *queue = &work->queue[i];
		u32 taken;

		if (!queue->left)
			continue;
		taken = (u32)(span / queue->interval);
		queue->left -= taken;
		queue->next += taken * queue->interval;
		work_done += taken * queue->latency;
	}
	for (i = 0; i < sms; i++)
		work->free_at[i] += (work_done + sms - 1) / sms;
}

/* Lay out the blocks; returns when the last one ends, in times. */
static u64 lay_out(struct plan_work *work, u32 count, u32 sms)
{
	struct plan_queue *queue = NULL;
	u64 last = 0;
	u32 i;

	memset(work->free_at, 0, sms * sizeof(work->free_at[0]));
	do {
		for (i = 0; i < STRETCH_BLOCKS * sms; i++) {
			queue = next_queue(work, count);
			if (!queue)
				break;
			place_block(work->free_at, sms, queue->latency);
			take_block(queue);
		}
		skip_stretch(work, count, sms);
	} while (queue);
	for (i = 0; i < sms; i++)
		last = max(last, work->free_at[i]);
	return last;
}

/* DRR(): when the last thread block of a configuration ends, in core cycles. */
static u64 round_robin(const struct plan_set *set,
		       const struct plan_choice *choice, struct plan_work *work)
{
	u32 sms = fill_queues(set, choice, work), i;
	u64 longest = 0, whole = 0;

	for (i = 0; i < choice->count; i++) {
		const struct plan_queue *queue = &work->queue[i];

		whole += queue->left * queue->latency;
		longest = max(longest, queue->latency);
	}
	whole = (whole + sms - 1) / sms;
	if (longest <= whole / SHORT_BLOCKS)
		whole += longest / 2;
	else
		whole = lay_out(work, choice->count, sms);
	return (whole + (1ULL << PLAN_TIME_BITS) - 1) >> PLAN_TIME_BITS;
}

/* --- Equations 1 to 4 ---------------------------------------------------------------- */

/* Eq. 2: the kernels one after another, each on all SMs that they have together. */
static u64 sequential_cycles(const struct plan_set *set,
			     const struct plan_choice *choice, u32 sms)
{
	u64 cycles = 0;
	u32 i;

	for (i = 0; i < choice->count; i++)
		cycles += cycles_of(set, choice->kernel[i], sms);
	return cycles;
}

/* Eq. 3, or 1 if the set has another kind of penalty. */
static u64 penalty_ppm(const struct plan_set *set, u64 bandwidth_ppm)
{
	u64 peak_ppm = set->peak_ppm ? set->peak_ppm : SIMGPU_PPM;

	if (set->penalty != PLAN_PENALTY_UNIFORM || bandwidth_ppm <= peak_ppm)
		return SIMGPU_PPM;
	return peak_ppm == SIMGPU_PPM ? bandwidth_ppm :
	       fixed_mul_div(bandwidth_ppm, SIMGPU_PPM, peak_ppm);
}

/*
 * Sum of R * B / Pb: the time that the memory needs for all data of the kernels. It does
 * not depend on how the SMs are divided.
 */
static u64 memory_cycles(const struct plan_set *set,
			 const struct plan_choice *choice)
{
	u64 busy = 0;
	u32 i;

	for (i = 0; i < choice->count; i++) {
		u32 index = choice->kernel[i], sms = choice->sms[i];

		busy = fixed_add(busy,
				 fixed_mul(cycles_of(set, index, sms),
					   point_of(set, index, sms)->bandwidth_ppm));
	}
	return busy / (set->peak_ppm ? set->peak_ppm : SIMGPU_PPM);
}

/* The time of a round robin with the penalty. */
static u64 penalized(const struct plan_set *set, const struct plan_choice *choice,
		     const struct plan_estimate *estimate)
{
	u64 memory;

	if (set->penalty != PLAN_PENALTY_MEMORY || choice->count == 1)
		return fixed_mul_div(estimate->round_robin,
				     estimate->penalty_ppm, SIMGPU_PPM);
	memory = memory_cycles(set, choice);
	return max(memory, estimate->round_robin);
}

static bool fits(const struct plan_set *set, u64 memory_bytes)
{
	return !set->memory_bytes || memory_bytes <= set->memory_bytes;
}

/**
 * plan_estimate() - how long kernels are expected to take side by side
 * @set: kernels
 * @choice: the kernels that run together, at least one: @count, @kernel and @sms filled
 *	in, with no more SMs than the set has
 * @work: workspace
 * @out: filled in
 *
 * STM 3.2, Eq. 2 to 4. For a kernel alone the estimate is its profile's time.
 */
void plan_estimate(const struct plan_set *set, const struct plan_choice *choice,
		   struct plan_work *work, struct plan_estimate *out)
{
	u64 bandwidth_ppm = 0, memory_bytes = 0;
	u32 sms = 0, i;

	for (i = 0; i < choice->count; i++) {
		u32 index = choice->kernel[i];

		sms += choice->sms[i];
		bandwidth_ppm += point_of(set, index, choice->sms[i])->bandwidth_ppm;
		memory_bytes = fixed_add(memory_bytes,
					 set->kernels[index].memory_bytes);
	}
	out->sequential = sequential_cycles(set, choice, sms);
	if (choice->count == 1) {
		out->round_robin = out->sequential;
		out->penalty_ppm = SIMGPU_PPM;
	} else {
		out->round_robin = round_robin(set, choice, work);
		out->penalty_ppm = penalty_ppm(set, bandwidth_ppm);
	}
	out->cycles = PLAN_NEVER;
	if (choice->count == 1 || fits(set, memory_bytes))
		out->cycles = penalized(set, choice, out);
}

/* --- Algorithm 1 ----------------------------------------------------------------------- */

/* SMs of a step; the last step has what is left. */
static u32 step_of(const struct plan_set *set)
{
	return (set->sms + PLAN_STEPS_MAX - 1) / PLAN_STEPS_MAX;
}

static u32 steps_of(const struct plan_set *set)
{
	return (set->sms + step_of(set) - 1) / step_of(set);
}

/* SMs of so many steps */
static u32 sms_of(const struct plan_set *set, u32 steps)
{
	return min(steps * step_of(set), set->sms);
}

static void add_kernel(const struct plan_set *set, struct plan_choice *choice,
		       u32 index, u32 sms)
{
	const struct simgpu_profile_point *point = point_of(set, index, sms);

	choice->kernel[choice->count] = (u8)index;
	choice->sms[choice->count] = (u16)sms;
	choice->count++;
	choice->work += cycles_of(set, index, sms) * sms;
	choice->bandwidth_ppm += point->bandwidth_ppm;
	choice->memory_bytes = fixed_add(choice->memory_bytes,
					 set->kernels[index].memory_bytes);
}

/*
 * An upper bound of imp() (Eq. 1) for @choice, on @sms SMs: the gain if all SMs were
 * busy to the end.
 */
static u64 gain_bound(const struct plan_set *set,
		      const struct plan_choice *choice, u32 sms)
{
	u64 sequential = sequential_cycles(set, choice, sms);
	u64 least = fixed_mul_div(choice->work / sms,
				  penalty_ppm(set, choice->bandwidth_ppm),
				  SIMGPU_PPM);

	return fixed_above(sequential, least);
}

/*
 * Config[i][steps]: the best of Config[i - 1][steps - m] and kernel @index on the SMs of m
 * steps, over all m. m = 0 leaves the kernel out. Of equally good ones, the smallest m counts.
 * A kernel alone (m = steps) gains nothing.
 */
static void extend(const struct plan_set *set, struct plan_work *work,
		   const struct plan_choice *before, u32 index, u32 steps,
		   struct plan_choice *best)
{
	u32 sms = sms_of(set, steps), m;

	*best = before[steps];
	for (m = 1; m < steps; m++) {
		struct plan_choice *trial = &work->trial;
		struct plan_estimate estimate;

		*trial = before[steps - m];
		add_kernel(set, trial, index, sms - sms_of(set, steps - m));
		/* The rows of shared SMs limit how many kernels run together. */
		if (trial->count > SIMGPU_SHARED_ROWS_MAX / set->sms ||
		    !fits(set, trial->memory_bytes) ||
		    gain_bound(set, trial, sms) <= best->gain)
			continue;
		plan_estimate(set, trial, work, &estimate);
		if (estimate.cycles >= estimate.sequential)
			continue;
		trial->gain = estimate.sequential - estimate.cycles;
		if (trial->gain > best->gain)
			*best = *trial;
	}
}

/*
 * dp_select(): the configuration with the largest gain, among the kernels that have a
 * bit in @left. The first of these kernels is always in it.
 */
static const struct plan_choice *select_phase(const struct plan_set *set,
					      u64 left, struct plan_work *work)
{
	u32 now = 0, last = steps_of(set), steps;
	u64 rest;

	memset(work->row[now], 0, sizeof(work->row[now]));
	for (steps = 1; steps <= last; steps++)
		add_kernel(set, &work->row[now][steps],
			   (u32)__builtin_ctzll(left), sms_of(set, steps));
	for (rest = left & (left - 1); rest; rest &= rest - 1) {
		const struct plan_choice *before = work->row[now];
		struct plan_choice *after = work->row[1 - now];

		for (steps = 1; steps <= last; steps++)
			extend(set, work, before, (u32)__builtin_ctzll(rest), steps,
			       &after[steps]);
		now = 1 - now;
	}
	return &work->row[now][last];
}

/**
 * plan_choice_of() - the kernels of a phase, and their SMs
 * @set: kernels
 * @plan: plan of the set
 * @phase: index of the phase in the plan
 * @choice: @count, @kernel and @sms are filled in, the rest is zero
 */
void plan_choice_of(const struct plan_set *set, const struct plan *plan,
		    u32 phase, struct plan_choice *choice)
{
	u32 i;

	memset(choice, 0, sizeof(*choice));
	for (i = 0; i < set->count; i++) {
		if (plan->phase[i] != phase)
			continue;
		choice->kernel[choice->count] = (u8)i;
		choice->sms[choice->count++] = plan->sms[i];
	}
}

/**
 * plan_capacity() - capacity of a kernel's leaky bucket
 * @interval: interval between its blocks, as plan_interval() returns it
 * @longest: the longest interval in its phase
 *
 * Return: 1 to SIMGPU_BUCKET_MAX; the kernel with the longest interval gets the latter.
 */
u32 plan_capacity(u64 interval, u64 longest)
{
	u64 capacity = fixed_mul_div(interval, SIMGPU_BUCKET_MAX, longest);

	return capacity ? (u32)capacity : 1;
}

/* Fill in the capacities of a phase's buckets. */
static void set_buckets(const struct plan_set *set,
			const struct plan_choice *choice, struct plan *plan)
{
	u64 longest = 0;
	u32 i;

	for (i = 0; i < choice->count; i++) {
		u64 interval = plan_interval(set, choice->kernel[i],
					     choice->sms[i]);

		longest = max(longest, interval);
	}
	for (i = 0; i < choice->count; i++) {
		u64 interval = plan_interval(set, choice->kernel[i],
					     choice->sms[i]);

		plan->bucket[choice->kernel[i]] = plan_capacity(interval, longest);
	}
}

/**
 * plan_clear() - a plan without phases
 * @set: kernels, at least one
 * @plan: only @sequential is filled in, the rest is zero
 */
void plan_clear(const struct plan_set *set, struct plan *plan)
{
	u32 i;

	memset(plan, 0, sizeof(*plan));
	for (i = 0; i < set->count; i++)
		plan->sequential += cycles_of(set, i, set->sms);
}

/**
 * plan_add_phase() - add one more phase behind the others
 * @set: kernels
 * @choice: kernels of the phase, in no other one, with their SMs
 * @work: workspace
 * @plan: gets the phase, with its estimate
 */
void plan_add_phase(const struct plan_set *set, const struct plan_choice *choice,
		    struct plan_work *work, struct plan *plan)
{
	struct plan_estimate estimate;
	u32 i;

	plan_estimate(set, choice, work, &estimate);
	plan->cycles[plan->phases] = estimate.cycles;
	plan->penalty_ppm[plan->phases] = estimate.penalty_ppm;
	plan->total += estimate.cycles;
	set_buckets(set, choice, plan);
	for (i = 0; i < choice->count; i++) {
		plan->phase[choice->kernel[i]] = (u8)plan->phases;
		plan->sms[choice->kernel[i]] = choice->sms[i];
	}
	plan->phases++;
}

/**
 * plan_make() - phases for a set of kernels
 * @set: kernels, at least one
 * @work: workspace
 * @out: filled in
 *
 * STM, Algorithm 1. The algorithm leaves Config[i][j] undefined where no m gains; here
 * it is Config[i - 1][j]. By its own estimate, the plan is never worse than one kernel
 * after another.
 */
void plan_make(const struct plan_set *set, struct plan_work *work,
	       struct plan *out)
{
	u64 left = set->count == 64 ? U64_MAX : (1ULL << set->count) - 1;
	u32 i;

	plan_clear(set, out);
	while (left) {
		const struct plan_choice *choice = select_phase(set, left, work);

		for (i = 0; i < choice->count; i++)
			left &= ~(1ULL << choice->kernel[i]);
		plan_add_phase(set, choice, work, out);
	}
}
