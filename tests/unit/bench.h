/* SPDX-License-Identifier: GPL-2.0 */
/* A session on a small device, and all that it tells, for tests of the session. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include "../../kmod/policy/registry.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "traces.h"

#define EPOCH		10000ULL
#define STOP		75000ULL
#define EPOCHS_MAX	200
#define DONE_MAX	256
#define ALL_AT_ONCE	U64_MAX

/** struct done - what a launch_done call said */
struct done {
	u32 slot;
	u32 queue;
	u64 sequence;
	const struct trace *trace;
	int status;
};

/** struct bench - a session, and all that it told; too large for a stack */
struct bench {
	struct session_options options;
	struct session_hooks hooks;
	struct session *session;
	u32 asked, over_after;
	u32 epoch_count;
	struct session_epoch epochs[EPOCHS_MAX];
	u32 done_count;
	struct done done[DONE_MAX];
};

static struct trace *computing, *random_reads, *copying, *middling, *brief;
static struct trace *long_blocks;

static inline int make_traces(void **state)
{
	/* Longer than the gang runs, all three; about half of it; a moment. */
	computing = trace_compute(100000, 10, 20);
	random_reads = trace_random(100000, 20, 4, 1 << 24);
	copying = trace_copy(64, 20, 32);
	middling = trace_compute(64, 20, 20);
	brief = trace_compute(64, 4, 10);
	long_blocks = trace_compute(1000, 1, 100000);
	return 0;
}

static inline int free_traces(void **state)
{
	trace_free(computing);
	trace_free(random_reads);
	trace_free(copying);
	trace_free(middling);
	trace_free(brief);
	trace_free(long_blocks);
	return 0;
}

static inline void on_epoch(void *context, const struct session_epoch *epoch)
{
	struct bench *bench = context;

	assert_true(bench->epoch_count < EPOCHS_MAX);
	bench->epochs[bench->epoch_count++] = *epoch;
}

static inline void on_done(void *context, u32 slot, u32 queue, u64 sequence,
			   const struct trace *trace, int status)
{
	struct bench *bench = context;

	assert_true(bench->done_count < DONE_MAX);
	bench->done[bench->done_count++] = (struct done) {
		slot, queue, sequence, trace, status
	};
}

static inline void bench_options(struct bench *bench, u32 gang_size)
{
	memset(bench, 0, sizeof(*bench));
	bench->options = (struct session_options) {
		.config = small_config(),
		.seed = 1,
		.epoch_cycles = EPOCH,
		.stop_cycle = gang_size ? STOP : 0,
		.relaunch = gang_size != 0,
		.gang_size = gang_size,
		.model = &model_hsm,
		.policy = &policy_hsm_fair,
		.kernel_end = SESSION_KERNEL_END_EVEN,
	};
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = bench, .epoch = on_epoch, .launch_done = on_done,
	};
}

/* SMs stay as they were split: the policy is even, and kernels end within epochs so long. */
static inline void bench_options_even(struct bench *bench, u32 gang_size, u64 epoch_cycles)
{
	bench_options(bench, gang_size);
	bench->options.policy = &policy_even;
	bench->options.epoch_cycles = epoch_cycles;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
}

static inline void bench_start(struct bench *bench)
{
	assert_int_equal(session_create(&bench->session, &bench->options,
					&bench->hooks), 0);
}

static inline struct bench *bench_new(u32 gang_size)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, gang_size);
	bench_start(bench);
	return bench;
}

/* Of an owner without memory, or at its limit. */
static inline struct journal_chunk *no_chunk(void *context)
{
	return NULL;
}

/* One whose journal never grows. */
static inline struct bench *bench_without_room(void)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->hooks.journal_chunk = no_chunk;
	bench_start(bench);
	return bench;
}

static inline void bench_free(struct bench *bench)
{
	session_destroy(bench->session);
	free(bench);
}

static inline struct session_tenant_options plain(void)
{
	return (struct session_tenant_options) { .name = "t", .weight = 1 };
}

static inline void join(struct bench *bench, u32 slot)
{
	struct session_tenant_options options = plain();

	assert_int_equal(session_join(bench->session, slot, &options), slot);
}

static inline void launch(struct bench *bench, u32 slot, const struct trace *trace,
		   u64 repeats, u64 not_before)
{
	u64 sequence;

	assert_int_equal(session_launch(bench->session, slot, trace, repeats,
					not_before, &sequence), 0);
}

/* SMs that a slot has, or shares. */
static inline u64 set_of_sms(const struct bench *bench, u32 slot)
{
	const struct gpu *gpu = session_gpu(bench->session);
	struct gpu_sm_status status;
	u64 sms = 0;
	u32 i;

	for (i = 0; i < gpu_config(gpu)->sms; i++) {
		gpu_sm_status(gpu, i, &status);
		if (status.next_owner == slot ||
		    (status.next_owner == GPU_SHARED &&
		     gpu_sm_block_limit(gpu, i, slot)))
			sms |= 1ULL << i;
	}
	return sms;
}

/* The usual gang: in slots 0 and up, one trace each. */
static inline void launch_gang(struct bench *bench)
{
	const struct trace *traces[] = { computing, random_reads, copying };
	u32 slot;

	for (slot = 0; slot < bench->options.gang_size; slot++)
		join(bench, slot);
	for (slot = 0; slot < bench->options.gang_size; slot++)
		launch(bench, slot, traces[slot % 3], 1, 0);
}

static inline void run_in_steps(struct bench *bench, u64 cycle, u64 step)
{
	while (session_now(bench->session) < cycle) {
		u64 left = cycle - session_now(bench->session);

		if (session_run(bench->session, left < step ? left : step) !=
		    SESSION_RUNNING)
			break;
	}
}

static inline struct session_tenant_report report_of(struct bench *bench, u32 slot)
{
	struct session_tenant_report report;

	session_tenant_report(bench->session, slot, &report);
	return report;
}

static inline u64 issued_by(struct bench *bench, u32 slot)
{
	return report_of(bench, slot).counters.thread_instructions;
}

/* Device time that was leapt in sampled time */
static inline u64 leapt(const struct bench *bench)
{
	struct session_sampling sampling;

	session_sampling(bench->session, &sampling);
	return sampling.leapt_cycles;
}

static inline void expect_same_epoch(const struct session_epoch *a,
			      const struct session_epoch *b)
{
	u32 i;

	assert_int_equal(a->index, b->index);
	assert_int_equal(a->start_cycle, b->start_cycle);
	assert_int_equal(a->end_cycle, b->end_cycle);
	assert_int_equal(a->predicted, b->predicted);
	assert_int_equal(a->fell_back, b->fell_back);
	assert_memory_equal(&a->metrics, &b->metrics, sizeof(a->metrics));
	assert_int_equal(a->tenant_count, b->tenant_count);
	for (i = 0; i < a->tenant_count; i++) {
		const struct session_epoch_tenant *x = &a->tenants[i];
		const struct session_epoch_tenant *y = &b->tenants[i];

		assert_int_equal(x->slot, y->slot);
		assert_int_equal(x->sms, y->sms);
		assert_int_equal(x->sms_next, y->sms_next);
		assert_int_equal(x->class, y->class);
		assert_int_equal(x->np_ppm, y->np_ppm);
		assert_int_equal(x->first_run, y->first_run);
		assert_memory_equal(&x->figures, &y->figures,
				    sizeof(x->figures));
		assert_memory_equal(&x->counters, &y->counters,
				    sizeof(x->counters));
	}
}

static inline void expect_same(struct bench *a, struct bench *b)
{
	u32 i;

	assert_int_equal(session_now(a->session), session_now(b->session));
	assert_int_equal(session_state(a->session), session_state(b->session));
	assert_int_equal(session_state_hash(a->session),
			 session_state_hash(b->session));
	assert_int_equal(a->epoch_count, b->epoch_count);
	for (i = 0; i < a->epoch_count; i++)
		expect_same_epoch(&a->epochs[i], &b->epochs[i]);
	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		struct session_tenant_report x = report_of(a, i);
		struct session_tenant_report y = report_of(b, i);

		assert_memory_equal(&x.figures, &y.figures, sizeof(x.figures));
		assert_memory_equal(&x.counters, &y.counters,
				    sizeof(x.counters));
		assert_int_equal(x.np_run.run_ppm, y.np_run.run_ppm);
		assert_int_equal(x.sms, y.sms);
	}
}

/* Epochs follow one another without a gap from @start, each counted once. */
static inline void expect_tiling(const struct bench *bench, u64 start)
{
	u32 i;

	for (i = 0; i < bench->epoch_count; i++) {
		const struct session_epoch *epoch = &bench->epochs[i];

		assert_int_equal(epoch->index, i);
		assert_int_equal(epoch->start_cycle, start);
		assert_true(epoch->end_cycle > start);
		assert_true(epoch->end_cycle - start <= EPOCH);
		assert_int_equal(epoch->predicted,
				 epoch->end_cycle - start >= EPOCH / 5);
		start = epoch->end_cycle;
	}
}

#endif /* TESTS_BENCH_H */
