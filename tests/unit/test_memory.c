// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: nobody reaches from one part of the GPU's block into the next unseen, and
 * where there is no more, calls fail, leave everything as it was and lose nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/sim.h"
#include "../../userspace/offline/offline.h"
#include "../../userspace/offline/run.h"
#include "bench.h"
#include "trace_sample.h"

/* --- red zones ------------------------------------------------------------------ */

/* As <sanitizer/asan_interface.h> has it, with which port.h does not go. */
int __asan_address_is_poisoned(const void *memory);

/* What lies right before and behind an array of @count is nobody's. */
#define EXPECT_APART(array, count) do { \
	const char *_end = (const char *)((array) + (count)); \
	\
	assert_false(__asan_address_is_poisoned(array)); \
	assert_false(__asan_address_is_poisoned(_end - 1)); \
	assert_true(__asan_address_is_poisoned(_end)); \
	assert_true(__asan_address_is_poisoned((const char *)(array) - 1)); \
} while (0)

static void expect_parts_apart(const struct gpu *gpu)
{
	const struct gpu_config *config = &gpu->config;

	EXPECT_APART(gpu->counts, GPU_SLOTS_MAX);
	/* One box is the link's to the host. */
	EXPECT_APART(gpu->outbox, config->channels + 1);
	EXPECT_APART(gpu->reply_outbox, senders_of(config));
	EXPECT_APART(gpu->cycles, gpu->shape.cycle_mask + 1);
	EXPECT_APART(gpu->cycles_used, (gpu->shape.cycle_mask + 1) / 64);
	EXPECT_APART(gpu->tenants, GPU_SLOTS_MAX);
	EXPECT_APART(gpu->grids, GPU_SLOTS_MAX * GPU_QUEUES_MAX);
	EXPECT_APART(gpu->channel_lists, GPU_SLOTS_MAX * config->channels);
	EXPECT_APART(gpu->sm_counters, config->sms);
	EXPECT_APART(gpu->sms, senders_of(config));
	EXPECT_APART(gpu->slices, slices_of(config));
	EXPECT_APART(gpu->requests, (size_t)senders_of(config) * gpu->shape.sm_entries);
	EXPECT_APART(gpu->llc, (size_t)config->llc_slices * config->llc_sets);
	EXPECT_APART(gpu->channel_counters, config->channels * GPU_SLOTS_MAX);
}

static void parts_are_apart(void **state)
{
	struct gpu_config config = small_config();
	void *memory = aligned_alloc(64, (gpu_bytes(&config) + 63) & ~63UL);
	u32 i;

	/* The same memory may be used again. */
	for (i = 0; i < 2; i++)
		expect_parts_apart(gpu_init(memory, &config, 1));
	free(memory);
}

static void views_are_apart(void **state)
{
	struct gpu_config config = small_config();
	void *memory = aligned_alloc(64, (gpu_bytes(&config) + 63) & ~63UL);
	void *views = aligned_alloc(64, (gpu_view_bytes(&config, 4) + 63) &
					~63UL);
	struct gpu *gpu = gpu_init(memory, &config, 1);
	u32 i;

	gpu_set_views(gpu, views, 4);
	for (i = 1; i < 4; i++) {
		EXPECT_APART(gpu->view_of[i], 1);
		EXPECT_APART(gpu->view_of[i]->counts, GPU_SLOTS_MAX);
		EXPECT_APART(gpu->view_of[i]->outbox, config.channels + 1);
	}
	free(views);
	free(memory);
}

/* --- no memory ------------------------------------------------------------------ */

/* The linker has port_alloc() and port_free() come here. */
void *__real_calloc(size_t count, size_t bytes);
void __real_free(void *memory);
void *__wrap_calloc(size_t count, size_t bytes);
void __wrap_free(void *memory);

#define BLOCKS_MAX	256

/*
 * struct account - of what is taken and given back, while @open
 * @fails_at: the number of the one that fails, from 1; 0: none
 * @taken: so far, the one that failed, too
 * @blocks: those that have not been given back
 */
static struct account {
	bool open;
	u32 fails_at;
	u32 taken;
	u32 held;
	void *blocks[BLOCKS_MAX];
} account;

void *__wrap_calloc(size_t count, size_t bytes)
{
	void *memory;

	if (account.open && ++account.taken == account.fails_at)
		return NULL;
	memory = __real_calloc(count, bytes);
	if (account.open) {
		assert_true(account.held < BLOCKS_MAX);
		account.blocks[account.held++] = memory;
	}
	return memory;
}

void __wrap_free(void *memory)
{
	u32 i;

	for (i = 0; account.open && i < account.held; i++) {
		if (account.blocks[i] != memory)
			continue;
		account.blocks[i] = account.blocks[--account.held];
		break;
	}
	__real_free(memory);
}

/* From here on the @fails_at-th fails. */
static void account_open(u32 fails_at)
{
	account = (struct account) { .open = true, .fails_at = fails_at };
}

/* Whether one failed; nothing may be lost. */
static bool account_close(void)
{
	account.open = false;
	assert_int_equal(account.held, 0);
	return account.fails_at && account.taken >= account.fails_at;
}

/* Joins, or fails and joins then: nothing has changed in between. */
static void join_at_last(struct bench *bench, u32 slot)
{
	struct session_tenant_options options = plain();
	u64 hash = session_state_hash(bench->session);
	size_t bytes = session_bytes(bench->session);
	int ret = session_join(bench->session, slot, &options);

	if (ret == (int)slot)
		return;
	assert_int_equal(ret, -ENOMEM);
	assert_int_equal(session_state_hash(bench->session), hash);
	assert_int_equal(session_bytes(bench->session), bytes);
	assert_int_equal(session_join(bench->session, slot, &options), slot);
}

/*
 * The life of a gang of three, each with a private GPU; the state hash at its end,
 * or 0 if it could not begin.
 */
static u64 live(u32 fails_at, bool *failed)
{
	const struct trace *const traces[] = { computing, random_reads, copying };
	static struct bench bench;
	u64 hash;
	u32 slot;
	int ret;

	bench_options(&bench, 3);
	bench.options.model = &model_oracle;
	session_default_params(&bench.options);
	account_open(fails_at);
	ret = session_create(&bench.session, &bench.options, &bench.hooks);
	if (ret) {
		assert_int_equal(ret, -ENOMEM);
		*failed = account_close();
		return 0;
	}
	for (slot = 0; slot < 3; slot++)
		join_at_last(&bench, slot);
	for (slot = 0; slot < 3; slot++)
		launch(&bench, slot, traces[slot], 1, 0);
	assert_int_equal(session_run(bench.session, ALL_AT_ONCE),
			 SESSION_STOPPED);
	hash = session_state_hash(bench.session);
	session_leave(bench.session, 1);
	session_destroy(bench.session);
	*failed = account_close();
	return hash;
}

static void sessions_without_memory(void **state)
{
	u32 fails_at, refused = 0, repeated = 0;
	bool failed;
	u64 whole = live(0, &failed), hash;

	assert_false(failed);
	for (fails_at = 1;; fails_at++) {
		hash = live(fails_at, &failed);
		if (!failed)
			break;
		refused += !hash;
		repeated += hash == whole;
	}
	assert_int_equal(hash, whole);
	/* The session, its two parts and its journal; a private GPU for each tenant. */
	assert_int_equal(refused, 4);
	assert_int_equal(repeated, 3);
	assert_int_equal(fails_at, 8);
}

/* The first percentage of sampled time takes memory; without it nothing is changed. */
static void sampling_without_memory(void **state)
{
	static struct bench bench;
	size_t bytes;
	u64 hash;

	bench_options(&bench, 0);
	session_default_params(&bench.options);
	bench_start(&bench);
	hash = session_state_hash(bench.session);
	bytes = session_bytes(bench.session);
	account_open(1);
	assert_int_equal(session_set_sampled(bench.session, 5), -ENOMEM);
	assert_true(account_close());
	assert_int_equal(session_state_hash(bench.session), hash);
	assert_int_equal(session_bytes(bench.session), bytes);
	/* Once it is there, a change takes no more. */
	assert_int_equal(session_prepare_sampled(bench.session, 5), 0);
	account_open(1);
	assert_int_equal(session_set_sampled(bench.session, 5), 0);
	assert_int_equal(session_set_sampled(bench.session, 0), 0);
	assert_int_equal(session_set_sampled(bench.session, 7), 0);
	assert_false(account_close());
	session_destroy(bench.session);
}

/* Joins a session of one with a run made for @seed; how many blocks that takes. */
static u32 join_with_run(u64 seed, u64 *hash)
{
	struct session_tenant_options tenant = plain();
	struct private_run *run;
	static struct bench bench;
	u32 taken;

	bench_options(&bench, 1);
	bench.options.model = &model_oracle;
	session_default_params(&bench.options);
	account_open(0);
	bench_start(&bench);
	bench.options.seed = seed;
	run = session_private_make(&bench.options);
	assert_int_equal(session_private_size(run),
			 session_private_bytes(&bench.options));
	taken = account.taken;
	assert_int_equal(session_join_with(bench.session, 0, &tenant, run), 0);
	taken = account.taken - taken;
	session_private_free(run);
	launch(&bench, 0, computing, 1, 0);
	session_run(bench.session, ALL_AT_ONCE);
	*hash = session_state_hash(bench.session);
	session_destroy(bench.session);
	assert_false(account_close());
	return taken;
}

/* One that fits is taken over, another one not; either way it is the same run. */
static void private_runs_made_before(void **state)
{
	u64 hash, again;

	assert_int_equal(join_with_run(1, &hash), 0);
	assert_int_equal(join_with_run(2, &again), 1);
	assert_int_equal(again, hash);
}

/* A trace is checked and decoded in memory of its own. */
static void uploads_without_memory(void **state)
{
	struct sample *sample = sample_new();
	struct trace_error error;
	struct trace *trace;
	u32 fails_at;
	bool failed = true;

	for (fails_at = 1; failed; fails_at++) {
		int ret;

		account_open(fails_at);
		ret = offline_load_trace(sample, sizeof(*sample), &error,
					 &trace);
		if (!ret)
			offline_free_trace(trace);
		failed = account_close();
		assert_int_equal(ret, failed ? -ENOMEM : 0);
	}
	/* One piece to check it and one to decode it, and once both of them. */
	assert_int_equal(fails_at - 1, 3);
	free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_apart),
		cmocka_unit_test(views_are_apart),
		cmocka_unit_test(sessions_without_memory),
		cmocka_unit_test(sampling_without_memory),
		cmocka_unit_test(private_runs_made_before),
		cmocka_unit_test(uploads_without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("memory", tests, make_traces,
					   free_traces);
}
