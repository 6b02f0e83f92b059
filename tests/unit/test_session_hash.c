// SPDX-License-Identifier: GPL-2.0
/*
 * The session's part of the state hash: every byte of every struct of the session is
 * changed, and must show, unless it stands among those that are left out, with the
 * reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "looking.h"

#define SLOT	1
/* In a ring: the first launch may be the last in it. */
#define LAST	(SESSION_LAUNCHES_MAX - 1)

/**
 * struct place - bytes of the session
 * @name: for whom a test fails
 * @type: struct that they are in
 * @at: where in the session
 * @offset: where in the struct
 * @bytes: how many
 */
struct place {
	const char *name;
	const char *type;
	size_t at;
	size_t offset;
	size_t bytes;
};

#define SIZE(type, field)	sizeof(((struct type *)NULL)->field)
#define IN(where, type, field) \
	{ #type "." #field, #type, \
	  offsetof(struct session, where) + offsetof(struct type, field), \
	  offsetof(struct type, field), SIZE(type, field) }
#define OF_SESSION(field) \
	{ "session." #field, "session", offsetof(struct session, field), \
	  offsetof(struct session, field), SIZE(session, field) }
#define OF_TENANT(field)	IN(tenants[SLOT], session_tenant, field)
#define OF_QUEUE(field)		IN(tenants[SLOT].queue[0], queue, field)
#define OF_LAUNCH(place, field)	IN(tenants[SLOT].queue[0].launch[place], launch, field)
#define OF_PLAN(field)		IN(tenants[SLOT].arrivals.plan, arrivals_plan, field)
#define OF_ARRIVALS(field)	IN(tenants[SLOT].arrivals, arrivals, field)
#define OF_LATENCY(field)	IN(tenants[SLOT].latency, latency, field)
#define OF_OPTIONS(field)	IN(tenants[SLOT].options, session_tenant_options, field)
#define OF_INITIAL(field)	IN(initial, session_options, field)
#define OF_RUN(field)		IN(private_runs[SLOT], private_run, field)

/* Each byte of these shows. */
static const struct place hashed[] = {
	OF_SESSION(lasts), OF_SESSION(proposal), OF_SESSION(copy_free),
	OF_SESSION(memory_groups), OF_SESSION(failures), OF_INITIAL(timeout_cycles),
	OF_INITIAL(kill_cycles), OF_INITIAL(reset_sm_cycles), OF_INITIAL(reset_device_cycles),
	OF_INITIAL(lasts), OF_OPTIONS(lasts), OF_OPTIONS(memory), OF_OPTIONS(p99_cycles),
	OF_TENANT(lasts),
	IN(tenants[SLOT].queue[1], queue, lasts), OF_LAUNCH(LAST, lasts),
	OF_LAUNCH(0, lasts), OF_PLAN(lasts), OF_ARRIVALS(lasts),
	OF_LATENCY(lasts), OF_RUN(lasts),
};

/* Of these a count says how many places of a ring are hashed: bit by bit elsewhere. */
static const struct place counts[] = {
	OF_QUEUE(lasts),
};

/* These are left out. */
static const struct place apart[] = {
	/* What they point to is hashed by content, and the trace by its checksum. */
	OF_SESSION(gpu), OF_SESSION(policy), OF_SESSION(model),
	OF_SESSION(policy_state), OF_SESSION(model_state), OF_SESSION(constants),
	OF_SESSION(registers), OF_SESSION(past), OF_SESSION(sampling), OF_SESSION(services),
	OF_SESSION(pager), OF_SESSION(copies), OF_INITIAL(memory_policy),
	OF_LAUNCH(0, trace),
	OF_ARRIVALS(trace), OF_PLAN(list), OF_INITIAL(model), OF_INITIAL(policy),
	OF_INITIAL(constants), OF_RUN(gpu),
	/* In the hardware's part. */
	OF_INITIAL(config),
	/* Became a part of the configuration, and the policy that is hashed by its name. */
	OF_INITIAL(managed_mib), OF_INITIAL(memory_policy_index), OF_SESSION(configured_mib),
	/* Values of a parameter show where they are not the first one: test_memory_params. */
	OF_SESSION(memory_params), OF_INITIAL(memory_params), OF_INITIAL(memory_params_set),
	OF_INITIAL(unused3),
	/* Shows where there are injections, which count runs: test_failures. */
	OF_SESSION(runs),
	/* Became strikes of the tenant when it joined. */
	OF_OPTIONS(strikes), OF_OPTIONS(unused),
	/* The host's. */
	OF_SESSION(pager_spare),
	OF_SESSION(hooks), OF_SESSION(gpu_memory), OF_SESSION(bytes),
	OF_RUN(memory), OF_RUN(bytes),
	/* Filled anew before each use. */
	OF_SESSION(snapshot), OF_SESSION(snapshot_used), OF_SESSION(prediction),
	OF_SESSION(epoch), OF_TENANT(last),
	/* What has happened decides nothing. */
	OF_SESSION(journal), OF_TENANT(unseen),
	/* For people. */
	OF_SESSION(gauges), OF_SESSION(struck), OF_SESSION(acting),
	OF_SESSION(held_slots), OF_SESSION(sharing_slots), OF_TENANT(np_doubts),
	OF_TENANT(np_run_doubts), OF_SESSION(refusal), OF_OPTIONS(name), OF_LATENCY(figures), OF_LATENCY(recent),
	OF_TENANT(handovers),
	/* Follows from the rest once the session has stopped. */
	OF_TENANT(stopped), OF_TENANT(shares), OF_TENANT(waiting),
	OF_TENANT(waits_for_memory), OF_TENANT(waits_for_sms),
	OF_TENANT(starved),
	/* Follows from the plan, and spares reports to compute it anew. */
	OF_ARRIVALS(ahead), OF_ARRIVALS(all_come),
	/* Structs of their own, which are in these lists by their fields. */
	OF_SESSION(initial), OF_SESSION(tenants), OF_SESSION(private_runs),
	OF_TENANT(options), OF_TENANT(queue), OF_TENANT(arrivals),
	OF_TENANT(latency), OF_QUEUE(launch), OF_ARRIVALS(plan),
	/* Hashed where a clock or a cap was set, or the clock has changed: test_power.c. */
	OF_SESSION(power), OF_INITIAL(clock_limit), OF_INITIAL(power_cap),
	OF_INITIAL(power_window),
	/* Hashed where there is a hint: test_hints.c. */
	OF_TENANT(hint), OF_PLAN(hint_cycles),
	/* Hashed where requests are batched: test_batching.c. */
	OF_TENANT(batch), OF_PLAN(batching), OF_PLAN(unused),
	/* Hashed where a launch has commands, and comes to copies: test_commands.c. */
	OF_TENANT(part), OF_TENANT(copies),
	/* Hashed where a trace has marks of requests or tokens: test_commands.c. */
	OF_TENANT(requests), OF_TENANT(first_tokens), OF_TENANT(tokens),
	/* Holes with a name. */
	OF_TENANT(unused2), OF_ARRIVALS(unused2), OF_INITIAL(unused2), OF_SESSION(unused2),
};

static const struct {
	const char *name;
	size_t bytes;
} types[] = {
#define TYPE(type)	{ #type, sizeof(struct type) }
	TYPE(session), TYPE(session_options), TYPE(session_tenant),
	TYPE(session_tenant_options), TYPE(queue), TYPE(launch), TYPE(arrivals),
	TYPE(arrivals_plan), TYPE(latency), TYPE(private_run),
};

/* Mark the bytes of a type that are in a list. */
static void cover(u8 *covered, const char *type, const struct place *places,
		  u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!strcmp(places[i].type, type))
			memset(covered + places[i].offset, 1, places[i].bytes);
}

/* What grows has to be hashed, or to be told why not. */
static void every_byte_is_spoken_for(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		u8 *covered = calloc(1, types[i].bytes), *missing;

		cover(covered, types[i].name, hashed, ARRAY_SIZE(hashed));
		cover(covered, types[i].name, counts, ARRAY_SIZE(counts));
		cover(covered, types[i].name, apart, ARRAY_SIZE(apart));
		missing = memchr(covered, 0, types[i].bytes);
		if (missing)
			fail_msg("nothing is said of byte %zu of struct %s",
				 missing - covered, types[i].name);
		free(covered);
	}
}

/* One queue with two launches, one with one; a plan, and a proposal that waits. */
static struct bench *bench_busy(void)
{
	struct bench *bench = bench_with(&looking, 0);
	struct session *session = bench->session;
	struct session_tenant *tenant = &session->tenants[SLOT];

	join(bench, SLOT);
	tenant->queues = 2;
	tenant->queue[0].head = LAST;
	tenant->queue[0].launches = 2;
	tenant->queue[0].launch[LAST].trace = brief;
	tenant->queue[0].launch[0].trace = brief;
	tenant->arrivals.trace = brief;
	session->apply_cycle = 1000;
	return bench;
}

static void bench_free_busy(struct bench *bench)
{
	/* What was made up was never launched. */
	memset(&bench->session->tenants[SLOT], 0,
	       sizeof(bench->session->tenants[SLOT]));
	bench_free(bench);
}

/* The state hash, if a byte had other bits. */
static u64 hash_with(struct session *session, size_t at, u8 bits)
{
	u8 *byte = (u8 *)session + at;
	u64 hash;

	*byte ^= bits;
	hash = session_state_hash(session);
	*byte ^= bits;
	return hash;
}

/* Bytes that decide how much is hashed, or whether anything is, are changed elsewhere. */
static bool steers(const struct session *session, size_t at)
{
	const struct session_tenant *tenant = &session->tenants[SLOT];
	const u8 *byte = (const u8 *)session + at;

#define IS_IN(field)	(byte >= (const u8 *)&(field) && \
			 byte < (const u8 *)&(field) + sizeof(field))
	return IS_IN(session->constants_bytes) ||
	       IS_IN(session->initial.counter_delay) ||
	       IS_IN(tenant->queue[1].launches) || IS_IN(tenant->joined);
#undef IS_IN
}

static void every_byte_shows(void **state)
{
	struct bench *bench = bench_busy();
	struct session *session = bench->session;
	u64 hash = session_state_hash(session);
	size_t byte;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(hashed); i++)
		for (byte = 0; byte < hashed[i].bytes; byte++) {
			size_t at = hashed[i].at + byte;

			/* Each byte of what is large costs much: each 61st, and its ends. */
			if (hashed[i].bytes > 4096 && byte > 1024 && byte % 61 &&
			    byte + 64 < hashed[i].bytes)
				continue;
			if (!steers(session, at) &&
			    hash_with(session, at, 1 << byte % 8) == hash)
				fail_msg("byte %zu of %s is not in it", byte,
					 hashed[i].name);
		}
	assert_true(session_state_hash(session) == hash);
	bench_free_busy(bench);
}

/* Numbers of launches, who is there, lengths. */
static void what_says_how_much_shows(void **state)
{
	struct bench *bench = bench_busy();
	struct session *session = bench->session;
	struct session_tenant *tenant = &session->tenants[SLOT];
	u64 hash = session_state_hash(session);

	tenant->queue[0].launches = 1;
	assert_true(session_state_hash(session) != hash);
	tenant->queue[0].launches = 2;
	tenant->queue[0].head = LAST - 1;
	tenant->queue[0].launch[LAST - 1].trace = brief;
	assert_true(session_state_hash(session) != hash);
	tenant->queue[0].head = LAST;
	tenant->joined = false;
	assert_true(session_state_hash(session) != hash);
	tenant->joined = true;
	session->constants_bytes = 8;
	assert_true(session_state_hash(session) != hash);
	session->constants_bytes = 0;
	assert_true(session_state_hash(session) == hash);
	bench_free_busy(bench);
}

/* What is behind pointers. */
static void contents_show(void **state)
{
	struct bench *bench = bench_busy();
	struct session *session = bench->session;
	struct session_tenant *tenant = &session->tenants[SLOT];
	u64 hash = session_state_hash(session);

	((u8 *)session->policy_state)[63] ^= 1;
	assert_true(session_state_hash(session) != hash);
	((u8 *)session->policy_state)[63] ^= 1;
	tenant->queue[0].launch[0].trace = copying;
	assert_true(session_state_hash(session) != hash);
	tenant->queue[0].launch[0].trace = brief;
	tenant->arrivals.trace = copying;
	assert_true(session_state_hash(session) != hash);
	tenant->arrivals.trace = NULL;
	assert_true(session_state_hash(session) != hash);
	tenant->arrivals.trace = brief;
	session->policy = &policy_even;
	assert_true(session_state_hash(session) != hash);
	session->policy = &looking;
	session->model = &model_dase;
	assert_true(session_state_hash(session) != hash);
	session->model = &model_hsm;
	assert_true(session_state_hash(session) == hash);
	bench_free_busy(bench);
}

/* The channels' counters that hardware registers begin from. */
static void registers_show(void **state)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u64 hash;

	bench->options.config.hardware_counters = 1;
	bench_start(bench);
	hash = session_state_hash(bench->session);
	bench->session->registers[1].requests++;
	assert_true(session_state_hash(bench->session) != hash);
	bench_free(bench);
}

/* A tenant's private GPU, of a model that needs one. */
static void private_runs_show(void **state)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u64 hash;

	bench->options.model = &model_oracle;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, SLOT);
	hash = session_state_hash(bench->session);
	gpu_set_memory_priority(bench->session->private_runs[SLOT].gpu, SLOT, 1);
	assert_true(session_state_hash(bench->session) != hash);
	bench_free(bench);
}

/* Counters of earlier epochs, which model and policy will see. */
static void the_past_shows(void **state)
{
	struct bench *bench = bench_prepared(&looking, 0);
	struct session *session;
	u64 hash;
	u32 i;

	bench->options.counter_delay = 3;
	bench_start(bench);
	session = bench->session;
	join(bench, SLOT);
	hash = session_state_hash(session);
	for (i = 0; i < 3; i++) {
		session->past[i].cycles++;
		assert_true(session_state_hash(session) != hash);
		session->past[i].cycles--;
		session->past[i].total[SESSION_SLOTS_MAX - 1].idle_warps++;
		assert_true(session_state_hash(session) != hash);
		session->past[i].total[SESSION_SLOTS_MAX - 1].idle_warps--;
	}
	session->initial.counter_delay = 2;
	assert_true(session_state_hash(session) != hash);
	session->initial.counter_delay = 3;
	bench_free(bench);
}

/* To look is no change; nor is what is left out. */
static void what_is_left_out_does_not_show(void **state)
{
	struct bench *bench = bench_busy();
	struct session *session = bench->session;
	u64 hash = session_state_hash(session);

	session->snapshot.cycle++;
	session->prediction.wake_cycle++;
	session->epoch.index++;
	session->refusal.code = -EINVAL;
	session->tenants[SLOT].options.name[3] = 'x';
	session->tenants[SLOT].last.idle_warps++;
	session->tenants[SLOT].waiting++;
	session->tenants[SLOT].queue[0].launch[7].sequence++;
	assert_true(session_state_hash(session) == hash);
	/* A proposal that has taken effect says nothing any more. */
	session->apply_cycle = NEVER;
	hash = session_state_hash(session);
	session->proposal.hold++;
	assert_true(session_state_hash(session) == hash);
	bench_free_busy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_spoken_for),
		cmocka_unit_test(every_byte_shows),
		cmocka_unit_test(what_says_how_much_shows),
		cmocka_unit_test(contents_show),
		cmocka_unit_test(registers_show),
		cmocka_unit_test(private_runs_show),
		cmocka_unit_test(the_past_shows),
		cmocka_unit_test(what_is_left_out_does_not_show),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session_hash", tests, make_traces,
					   free_traces);
}
