// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of HSM's widths (hardware_counters): the same predictions while an
 * epoch fits, and what is seen and predicted when it does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/models/hsm_line.h"
#include "../../kmod/policy/registry.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "traces.h"

#define EPOCHS_MAX	16
#define ROW_MAX		65535ULL
/* 2^19 - 1 core cycles of 1400 MHz, in memory clocks of 440 MHz. */
#define BANDWIDTH_MAX	(524287ULL * 11 / 35)

/** struct seen - what the model saw of slot 0, and what was reported, by epoch */
static struct seen {
	u32 asked;
	u32 reported;
	u64 memory_clocks[EPOCHS_MAX];
	struct simgpu_counters model[EPOCHS_MAX];
	struct session_epoch_tenant report[EPOCHS_MAX];
} seen;

static int predict(const struct simgpu_snapshot *snapshot,
		   const void *constants, void *state,
		   struct simgpu_prediction *prediction)
{
	assert_true(seen.asked < EPOCHS_MAX);
	seen.memory_clocks[seen.asked] = snapshot->memory_clocks;
	seen.model[seen.asked++] = snapshot->tenants[0].counters;
	return model_hsm.predict(snapshot, constants, state, prediction);
}

static const struct simgpu_model watching = {
	.name = "watching", .params = hsm_params, .predict = predict,
};

static void on_epoch(void *context, const struct session_epoch *epoch)
{
	if (epoch->predicted)
		seen.report[seen.reported++] = epoch->tenants[0];
}

/* One tenant alone, on two channels; returns the device's state hash. */
static u64 run(const struct trace *trace, u64 epoch_cycles, u64 epochs,
	       u32 hardware_counters)
{
	struct session_tenant_options plain = { .name = "t", .weight = 1 };
	struct session_options options = {
		.config = small_config(),
		.seed = 1,
		.epoch_cycles = epoch_cycles,
		.stop_cycle = epochs * epoch_cycles,
		.relaunch = true,
		.kernel_end = SESSION_KERNEL_END_CARRY,
		.gang_size = 1,
		.model = &watching,
		.policy = &policy_even,
	};
	const struct session_hooks hooks = { .epoch = on_epoch };
	struct session *session;
	u64 sequence, hash;

	session_default_params(&options);
	memset(&seen, 0, sizeof(seen));
	options.config.channels = 2;
	options.config.llc_slices = 4;
	options.config.hardware_counters = hardware_counters;
	assert_int_equal(session_create(&session, &options, &hooks), 0);
	assert_int_equal(session_join(session, 0, &plain), 0);
	assert_int_equal(session_launch(session, 0, trace, 1, 0, &sequence), 0);
	assert_int_equal(session_run(session, U64_MAX), SESSION_STOPPED);
	assert_int_equal(seen.asked, epochs);
	assert_int_equal(seen.reported, epochs);
	hash = session_state_hash(session);
	session_destroy(session);
	return hash;
}

/* Consecutive warps read consecutive lines: many hits, and all of the bandwidth. */
static struct trace *make_stream(void)
{
	u64 bytes = 400000ULL * GPU_LINE_BYTES;
	struct builder *b = builder_new("stream", "test");

	builder_kernel(b, "stream", 50000, 256, 32, 0);
	builder_load(b, builder_affine(b, 0, bytes, 4, 8 * GPU_LINE_BYTES,
				       GPU_LINE_BYTES, 0), 32, 0);
	builder_compute(b, 2, 32);
	return trace_of(b, bytes);
}

static u64 bandwidth_ppm(u32 epoch)
{
	return fixed_ratio_ppm(seen.model[epoch].bus_busy_clocks,
			       seen.memory_clocks[epoch] * 2);
}

static u64 rbh_ppm(u32 epoch)
{
	return SIMGPU_PPM - fixed_ratio_ppm(seen.model[epoch].row_activates,
					    simgpu_dram_requests(&seen.model[epoch]));
}

/* HSM's Eq. 5 on what the model saw. */
static u64 expected_np_ppm(u32 epoch)
{
	u64 supply = hsm_params[HSM_C2].initial +
		     hsm_params[HSM_C1].initial * rbh_ppm(epoch) / SIMGPU_PPM;

	return fixed_ratio_ppm(bandwidth_ppm(epoch), supply);
}

/* Nothing is cut: each epoch's counts and predictions, and the registers begin anew. */
static void short_epochs_fit(void **state)
{
	struct trace *trace = trace_copy(20000, 8, 32);
	struct seen full;
	u32 i;

	run(trace, 50000, 8, 0);
	full = seen;
	run(trace, 50000, 8, 1);
	for (i = 0; i < 8; i++) {
		const struct simgpu_counters *a = &full.model[i];
		const struct simgpu_counters *b = &seen.model[i];

		assert_true(a->dram_writebacks > 1000);
		assert_int_equal(simgpu_dram_requests(a),
				 simgpu_dram_requests(b));
		assert_int_equal(a->row_activates, b->row_activates);
		assert_int_equal(a->bus_busy_clocks, b->bus_busy_clocks);
		assert_int_equal(a->thread_instructions,
				 b->thread_instructions);
		assert_int_equal(full.report[i].class, SIMGPU_CLASS_MEMORY);
		assert_int_equal(full.report[i].np_ppm, seen.report[i].np_ppm);
	}
	trace_free(trace);
}

/*
 * Twice the cycles that a bandwidth register can count: a tenant that has the
 * whole GPU to itself seems to get little more than half of it.
 */
static void long_epochs_saturate(void **state)
{
	struct trace *trace = make_stream();
	const struct simgpu_counters *c = &seen.model[0];
	struct seen full;

	run(trace, 1000000, 1, 0);
	full = seen;
	assert_true(simgpu_dram_requests(&full.model[0]) > 2 * 2 * ROW_MAX);
	assert_in_range(bandwidth_ppm(0), 880000, 950000);
	/* More than the line of a GPU that nobody trained says, and nothing caps it. */
	assert_in_range(full.report[0].np_ppm, 1110000, 1135000);

	run(trace, 1000000, 1, 1);
	assert_int_equal(simgpu_dram_requests(c), 2 * ROW_MAX);
	assert_int_equal(c->bus_busy_clocks, 2 * BANDWIDTH_MAX);
	/* More hits than fit as well, so that none of the requests missed. */
	assert_int_equal(c->row_activates, 0);
	assert_int_equal(seen.report[0].class, SIMGPU_CLASS_MEMORY);
	assert_in_range(seen.report[0].np_ppm, expected_np_ppm(0) - 10,
			expected_np_ppm(0) + 10);
	print_message("# NP %llu ppm in full, %llu with registers\n",
		      full.report[0].np_ppm, seen.report[0].np_ppm);
	assert_in_range(seen.report[0].np_ppm, 560000, 640000);
	/* What users read is in full, always. */
	assert_memory_equal(&seen.report[0].counters, &full.report[0].counters,
			    sizeof(seen.report[0].counters));
	assert_int_equal(seen.report[0].figures.bandwidth_ppm,
			 full.report[0].figures.bandwidth_ppm);
	trace_free(trace);
}

/*
 * The paper's own epoch, 500,000 cycles: a channel can serve 78,571 requests in
 * it, more than 16 bits hold. A tenant that takes more than 83% of peak gets too
 * high an RBH and so, before the cap at 1, too low an NP; bandwidth is exact.
 */
static void the_papers_epoch_almost_fits(void **state)
{
	struct trace *trace = make_stream();
	struct seen full;
	u64 rbh, np;

	run(trace, 500000, 1, 0);
	full = seen;
	rbh = rbh_ppm(0);
	np = expected_np_ppm(0);
	run(trace, 500000, 1, 1);
	assert_int_equal(simgpu_dram_requests(&seen.model[0]), 2 * ROW_MAX);
	assert_int_equal(seen.model[0].bus_busy_clocks,
			 full.model[0].bus_busy_clocks);
	print_message("# RBH %llu in full, %llu ppm with registers; NP %llu, %llu\n",
		      rbh, rbh_ppm(0), np, expected_np_ppm(0));
	assert_in_range(rbh, 900000, 960000);
	assert_int_equal(rbh_ppm(0), SIMGPU_PPM);
	assert_in_range(expected_np_ppm(0), np * 93 / 100, np * 98 / 100);
	trace_free(trace);
}

/* A run repeats to the bit with them too. */
static void widths_repeat(void **state)
{
	struct trace *trace = make_stream();
	u64 hash = run(trace, 100000, 3, 1);

	assert_int_equal(run(trace, 100000, 3, 1), hash);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_epochs_fit),
		cmocka_unit_test(long_epochs_saturate),
		cmocka_unit_test(the_papers_epoch_almost_fits),
		cmocka_unit_test(widths_repeat),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("widths", tests, NULL, NULL);
}
