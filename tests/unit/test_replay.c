// SPDX-License-Identifier: GPL-2.0
/*
 * Replays: what each kind of event needs to be what the journal names, and what is said
 * of it otherwise; the share that each tenant, and the device, has of a journal; private
 * runs that were made before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "bench.h"
#include "journal_of.h"

/* --- replays ----------------------------------------------------------------------------- */

static int say_nothing(const struct simgpu_snapshot *snapshot, const void *constants,
		       void *state, struct simgpu_prediction *prediction)
{
	return 0;
}

static int leave_all(const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	return 0;
}

static const struct simgpu_model trained = {
	.name = "trained", .source = SIMGPU_SOURCE_PLUGIN, .checksum = 7,
	.constants_bytes = sizeof(u64), .constants_version = 1,
	.predict = say_nothing,
};

static const struct simgpu_policy plugged = {
	.name = "plugged", .source = SIMGPU_SOURCE_PLUGIN, .checksum = 5,
	.decide = leave_all,
};

static const struct simgpu_policy *policy_called(const char *name)
{
	return strcmp(name, plugged.name) ? registry_policy_find(name) : &plugged;
}

static const struct simgpu_model *model_called(const char *name)
{
	return strcmp(name, trained.name) ? registry_model_find(name) : &trained;
}

static const u64 listed[] = { 5, 9 };

static const u64 *list_of(const void *lists, u64 length, u32 checksum)
{
	return length == ARRAY_SIZE(listed) &&
	       checksum == port_crc32(0, listed, sizeof(listed)) ? lists : NULL;
}

static const struct session_replay given = {
	.policy = policy_called, .model = model_called,
};

static void expect_replayed(struct bench *bench, const struct journal_event *event,
			    const struct trace *trace, int ret)
{
	assert_int_equal(session_replay_event(bench->session, event, trace,
					      &given), ret);
}

/* A trace is known by its checksum and its size, a launch by its number. */
static void launches_have_to_be_those_named(void **state)
{
	struct bench *bench = bench_new(0);
	struct journal_event event = { .kind = JOURNAL_LAUNCH, .slot = 3 };

	join(bench, 3);
	event.launch.repeats = 1;
	event.launch.sequence = 1;
	event.launch.checksum = brief->checksum;
	event.launch.trace_bytes = brief->bytes + 1;
	expect_replayed(bench, &event, brief, -EINVAL);
	event.launch.trace_bytes--;
	event.launch.checksum++;
	expect_replayed(bench, &event, brief, -EINVAL);
	event.launch.checksum--;
	expect_replayed(bench, &event, NULL, -EINVAL);
	event.launch.queue = SESSION_QUEUES_MAX;
	expect_replayed(bench, &event, brief, -EINVAL);
	event.launch.queue = 2;
	event.launch.idempotent = true;
	event.launch.deadline = 1000;
	event.launch.sms[0] = 3;
	expect_replayed(bench, &event, brief, 0);
	assert_true(present_launch(&bench->session->tenants[3].queue[2])->idempotent);
	assert_int_equal(present_launch(&bench->session->tenants[3].queue[2])->deadline,
			 1000);
	assert_int_equal(bench->session->tenants[3].launch_masks
			 [present_launch(&bench->session->tenants[3].queue[2])->mask - 1][0],
			 3);
	/* Its number is 2 by now. */
	expect_replayed(bench, &event, brief, -EINVAL);
	bench_free(bench);
}

static void arrivals_have_to_be_those_named(void **state)
{
	struct bench *bench = bench_new(0);
	struct journal_event event = { .kind = JOURNAL_ARRIVALS, .slot = 3 };
	struct session_replay with_list = given;

	join(bench, 3);
	event.arrivals.sequence = 2;
	event.arrivals.checksum = brief->checksum;
	event.arrivals.trace_bytes = brief->bytes + 1;
	event.arrivals.plan = (struct arrivals_plan) {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = 2,
	};
	event.arrivals.list_checksum = port_crc32(0, listed, sizeof(listed));
	expect_replayed(bench, &event, brief, -EINVAL);
	event.arrivals.trace_bytes--;
	event.arrivals.checksum++;
	expect_replayed(bench, &event, brief, -EINVAL);
	event.arrivals.checksum--;
	expect_replayed(bench, &event, NULL, -EINVAL);
	/* Nobody has lists here. */
	expect_replayed(bench, &event, brief, -ENOENT);
	with_list.list = list_of;
	with_list.lists = listed;
	event.arrivals.list_checksum++;
	assert_int_equal(session_replay_event(bench->session, &event, brief,
					      &with_list), -ENOENT);
	event.arrivals.list_checksum--;
	assert_int_equal(session_replay_event(bench->session, &event, brief,
					      &with_list), 0);
	session_leave(bench->session, 3);
	/* Who comes anew begins with number 1: the last one is 2 again. */
	join(bench, 3);
	event.arrivals.sequence = 3;
	assert_int_equal(session_replay_event(bench->session, &event, brief,
					      &with_list), -EINVAL);
	bench_free(bench);
}

static void name(struct journal_event *event, const char *name, u32 source,
		 u32 checksum)
{
	memset(event->name, 0, sizeof(event->name));
	memcpy(event->name, name, strlen(name));
	event->source = source;
	event->checksum = checksum;
}

static void deciders_have_to_be_those_named(void **state)
{
	struct bench *bench = bench_new(0);
	struct journal_event event = { .kind = JOURNAL_POLICY };

	name(&event, "nobody", 0, 0);
	expect_replayed(bench, &event, NULL, -EINVAL);
	name(&event, "plugged", SIMGPU_SOURCE_PLUGIN, 6);
	expect_replayed(bench, &event, NULL, -EINVAL);
	name(&event, "plugged", SIMGPU_SOURCE_BUILT_IN, 5);
	expect_replayed(bench, &event, NULL, -EINVAL);
	assert_ptr_equal(bench->session->policy, &policy_hsm_fair);
	name(&event, "plugged", SIMGPU_SOURCE_BPF, 5);
	expect_replayed(bench, &event, NULL, 0);
	assert_ptr_equal(bench->session->policy, &plugged);
	event.kind = JOURNAL_MODEL;
	name(&event, "nobody", 0, 0);
	expect_replayed(bench, &event, NULL, -EINVAL);
	name(&event, "trained", SIMGPU_SOURCE_PLUGIN, 8);
	expect_replayed(bench, &event, NULL, -EINVAL);
	name(&event, "trained", SIMGPU_SOURCE_BUILT_IN, 7);
	expect_replayed(bench, &event, NULL, -EINVAL);
	assert_ptr_equal(bench->session->model, &model_hsm);
	name(&event, "trained", SIMGPU_SOURCE_PLUGIN, 7);
	expect_replayed(bench, &event, NULL, 0);
	assert_ptr_equal(bench->session->model, &trained);
	bench_free(bench);
}

struct constants {
	struct simgpu_constants_header header;
	u64 value;
};

static struct constants constants_of(const char *model)
{
	struct constants c = {
		.header = {
			.magic = SIMGPU_CONSTANTS_MAGIC, .version = 1,
			.length = sizeof(c), .config = "hbm80",
		},
		.value = 99,
	};

	memcpy(c.header.model, model, strlen(model));
	c.header.checksum = port_crc32(0, &c.value, sizeof(c.value));
	return c;
}

static void constants_have_to_be_those_named(void **state)
{
	const struct constants constants = constants_of("trained");
	struct session_replay with = given;
	struct bench *bench = bench_new(0);
	struct journal_event event = { .kind = JOURNAL_CONSTANTS };
	const struct journal_event *journal;
	u32 count;
	u64 lost;

	session_set_model(bench->session, &trained);
	event.constants.bytes = sizeof(constants);
	event.constants.checksum = port_crc32(0, &constants, sizeof(constants));
	expect_replayed(bench, &event, NULL, -ENODATA);
	with.constants = &constants;
	with.constants_bytes = sizeof(constants) - 1;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &with), -ENODATA);
	with.constants_bytes++;
	event.constants.checksum++;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &with), -ENODATA);
	event.constants.checksum--;
	assert_null(session_constants(bench->session, &count));
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &with), 0);
	assert_memory_equal(session_constants(bench->session, &count), &constants,
			    sizeof(constants));
	assert_int_equal(count, sizeof(constants));
	journal = journal_of(bench->session, &count, &lost);
	assert_int_equal(journal[count - 1].kind, JOURNAL_CONSTANTS);
	assert_int_equal(journal[count - 1].constants.bytes, sizeof(constants));
	assert_int_equal(journal[count - 1].constants.checksum,
			 event.constants.checksum);
	/* They go with their model. */
	session_set_model(bench->session, &trained);
	assert_null(session_constants(bench->session, &count));
	bench_free(bench);
}

/* All that changes one thing does, at its cycle; what is over cannot be repeated. */
static void events_take_effect_at_their_cycle(void **state)
{
	struct bench *bench = bench_new(0);
	struct session *session = bench->session;
	struct journal_event event = { .kind = JOURNAL_QUEUE, .slot = 2,
				       .cycle = 500 };

	join(bench, 2);
	launch(bench, 2, computing, 1, 0);
	event.queue.number = 7;
	event.queue.priority = -3;
	expect_replayed(bench, &event, NULL, 0);
	assert_int_equal(session_now(session), 500);
	assert_int_equal(session->tenants[2].queue[7].priority, -3);
	event = (struct journal_event) { .kind = JOURNAL_MASKS, .slot = 2,
					 .cycle = 500 };
	event.masks.channels = 3;
	expect_replayed(bench, &event, NULL, 0);
	assert_int_equal(session->tenants[2].masks.channels, 3);
	event = (struct journal_event) { .kind = JOURNAL_EPOCH_CYCLES,
					 .cycle = 600 };
	event.epoch_cycles = 12345;
	expect_replayed(bench, &event, NULL, 0);
	assert_int_equal(session->epoch_cycles, 12345);
	event.kind = JOURNAL_SAMPLED;
	event.sampled = 6;
	expect_replayed(bench, &event, NULL, 0);
	assert_int_equal(session->sampled, 6);
	event.kind = JOURNAL_FALLBACK;
	expect_replayed(bench, &event, NULL, 0);
	event.kind = JOURNAL_LEAVE;
	event.slot = 2;
	event.cycle = 599;
	expect_replayed(bench, &event, NULL, -EINVAL);
	event.cycle = 600;
	expect_replayed(bench, &event, NULL, 0);
	assert_true(session->tenants[2].left);
	bench_free(bench);
}

/* --- shares of a journal -------------------------------------------------------------------- */

/* Slot 0 has filled all that is for everybody. */
static struct bench *full_bench(void)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_without_room();

	join(bench, 0);
	while (!journal_lost(bench->session)) {
		session_state_hash(bench->session);
		options.weight = 3 - options.weight;
		session_set_tenant(bench->session, 0, &options);
	}
	return bench;
}

/* Whatever kind of event it is: the slot's own are 16, and the next one is lost. */
static void each_slot_has_its_share(void **state)
{
	const struct session_masks masks = { .channels = 1 };
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .launches = 1, .requests = 1,
		.every_cycles = 1,
	};
	struct session_tenant_options options = plain();
	struct bench *bench = full_bench();
	u64 lost = journal_lost(bench->session), sequence;
	u32 i;

	join(bench, 63);
	session_state_hash(bench->session);
	options.weight = 2;
	assert_int_equal(session_set_tenant(bench->session, 63, &options), 0);
	assert_int_equal(session_set_queue(bench->session, 63, 0, 1), 0);
	assert_int_equal(session_set_masks(bench->session, 63, &masks), 0);
	assert_int_equal(session_arrivals(bench->session, 63, brief, &plan,
					  &sequence), 0);
	session_leave(bench->session, 63);
	join(bench, 63);
	for (i = 8; i <= SESSION_JOURNAL_SHARE; i++)
		launch(bench, 63, brief, 1, 0);
	assert_int_equal(journal_lost(bench->session), lost);
	launch(bench, 63, brief, 1, 0);
	assert_int_equal(journal_lost(bench->session), lost + 1);
	/* Nobody else loses by it. */
	join(bench, 62);
	assert_int_equal(journal_lost(bench->session), lost + 1);
	bench_free(bench);
}

static void the_device_has_its_share(void **state)
{
	struct bench *bench = full_bench();
	u64 lost = journal_lost(bench->session);
	u32 i;

	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_PARAMS,
					   "c2", 300000), 0);
	session_set_model(bench->session, &trained);
	for (i = 3; i <= SESSION_JOURNAL_SHARE; i++)
		assert_int_equal(session_set_epoch_cycles(bench->session,
							  EPOCH + i), 0);
	assert_int_equal(journal_lost(bench->session), lost);
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(journal_lost(bench->session), lost + 1);
	bench_free(bench);
}

/* --- private runs ------------------------------------------------------------------------------ */

static struct bench *oracle_bench(void)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.model = &model_oracle;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

static void only_who_needs_private_runs_has_them(void **state)
{
	struct bench *bench = bench_new(0);
	const struct private_run *run = &bench->session->private_runs[5];
	size_t bytes = session_bytes(bench->session);

	assert_int_equal(session_private_bytes(&bench->options), 0);
	join(bench, 5);
	assert_null(run->gpu);
	assert_int_equal(session_bytes(bench->session), bytes);
	bench->options.model = &model_oracle;
	assert_true(session_private_bytes(&bench->options) >
		    gpu_bytes(&bench->options.config));
	bench_free(bench);
}

static void runs_made_before_are_taken_over(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = oracle_bench();
	struct private_run *run = session_private_make(&bench->options);
	const struct private_run *its = &bench->session->private_runs[5];
	void *memory = run->memory;
	size_t bytes = session_bytes(bench->session);

	assert_int_equal(session_private_size(run),
			 session_private_bytes(&bench->options));
	assert_int_equal(session_join_with(bench->session, 5, &options, run), 5);
	assert_ptr_equal(its->memory, memory);
	assert_null(run->memory);
	assert_int_equal(session_bytes(bench->session), bytes + its->bytes);
	session_private_free(run);
	launch(bench, 5, computing, 1, 0);
	session_run(bench->session, 3 * EPOCH);
	assert_in_range(report_of(bench, 5).np_ppm, 980000, SIMGPU_PPM);
	session_private_free(NULL);
	/* It goes with its tenant. */
	session_leave(bench->session, 5);
	assert_null(its->gpu);
	assert_int_equal(its->runs, 0);
	assert_int_equal(session_bytes(bench->session), bytes);
	bench_free(bench);
}

/* Made with another seed, or for another device, it is of no use. */
static void runs_of_others_are_not_taken_over(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = oracle_bench();
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct private_run *its = &bench->session->private_runs[i];
		struct session_options others = bench->options;
		struct private_run *run;

		others.seed += !i;
		others.config.channels -= 2 * i;
		run = session_private_make(&others);
		assert_int_equal(session_join_with(bench->session, i, &options,
						   run), i);
		assert_non_null(run->memory);
		assert_ptr_not_equal(its->memory, run->memory);
		assert_int_equal(its->seed, bench->options.seed);
		assert_int_equal(gpu_config(its->gpu)->channels, 4);
		session_private_free(run);
	}
	bench_free(bench);
}

/* Queues have the priorities there that they have here. */
static void private_runs_know_priorities(void **state)
{
	const struct session_launch_options second = {
		.trace = computing, .repeats = 1, .queue = 1,
	};
	struct bench *bench = oracle_bench();
	const struct private_run *its = &bench->session->private_runs[5];
	struct gpu_kernel_status first, urgent;
	u64 sequence;

	join(bench, 5);
	assert_int_equal(session_set_queue(bench->session, 5, 1, 3), 0);
	launch(bench, 5, computing, 1, 0);
	assert_int_equal(session_launch_with(bench->session, 5, &second,
					     &sequence), 0);
	session_run(bench->session, 2 * EPOCH);
	gpu_queue_status(its->gpu, 5, 0, &first);
	gpu_queue_status(its->gpu, 5, 1, &urgent);
	assert_int_equal(its->runs, 3);
	assert_true(urgent.blocks_issued > 0);
	assert_int_equal(first.blocks_issued, 0);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_have_to_be_those_named),
		cmocka_unit_test(arrivals_have_to_be_those_named),
		cmocka_unit_test(deciders_have_to_be_those_named),
		cmocka_unit_test(constants_have_to_be_those_named),
		cmocka_unit_test(events_take_effect_at_their_cycle),
		cmocka_unit_test(each_slot_has_its_share),
		cmocka_unit_test(the_device_has_its_share),
		cmocka_unit_test(only_who_needs_private_runs_has_them),
		cmocka_unit_test(runs_made_before_are_taken_over),
		cmocka_unit_test(runs_of_others_are_not_taken_over),
		cmocka_unit_test(private_runs_know_priorities),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("replay", tests, make_traces,
					   free_traces);
}
