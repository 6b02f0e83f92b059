// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles in traces: their limits, each from both sides, and that each one is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"

/* A profile for each configuration, of points from a place on. */
struct profiles {
	const char *config[3];
	u32 kernel[3];
	u32 sms[3];
	u32 first[3];
	u32 points;
	struct simgpu_trace_point last;
};

static void expect_profiles(const struct profiles *p, const char *field,
			    const char *reason, int line)
{
	struct builder *b = builder_new("profiled", "test");
	struct simgpu_trace_point point = { 1, 0 };
	u32 i;

	builder_footprint(b, 128);
	builder_kernel(b, "one", 6, 32, 1, 0);
	builder_compute(b, 1, 1);
	builder_again(b, 1, 1);
	for (i = 0; i < p->points; i++)
		builder_points(b, i + 1 == p->points ? &p->last : &point, 1);
	for (i = 0; i < 3 && p->config[i]; i++) {
		struct simgpu_trace_profile profile = {
			.kernel = p->kernel[i], .sms = p->sms[i],
			.first_point = p->first[i], .blocks = 6,
			.memory_bytes = 128,
		};

		strcpy(profile.config, p->config[i]);
		builder_profile(b, &profile);
	}
	expect_built(b, NULL, *field ? -EINVAL : 0, field, reason, line);
}

#define PROFILES(field, reason, ...)					\
	expect_profiles(&(struct profiles) { __VA_ARGS__ }, field, reason,\
			__LINE__)

static void profiles_have_1_to_512_points_in_order(void **state)
{
	PROFILES("", "", { "a" }, { 0 }, { 512 }, { 0 }, 512, { 1, 1000000 });
	PROFILES("profiles[0].sms", "is not 1 to 512", { "a" }, { 0 }, { 513 },
		 { 0 }, 513, { 1, 0 });
	PROFILES("", "", { "a" }, { 1 }, { 1 }, { 0 }, 1, { U32_MAX, 0 });
	PROFILES("profiles[0].sms", "is not 1 to 512", { "a" }, { 0 }, { 0 },
		 { 0 }, 1, { 1, 0 });
	PROFILES("profiles[0].kernel", "is not in the trace", { "a" }, { 2 },
		 { 1 }, { 0 }, 1, { 1, 0 });
	PROFILES("points[0].cycles", "is zero: the profile has a gap", { "a" },
		 { 0 }, { 1 }, { 0 }, 1, { 0, 0 });
	PROFILES("points[1].cycles", "is zero: the profile has a gap", { "a" },
		 { 0 }, { 2 }, { 0 }, 2, { 0, 0 });
	PROFILES("points[1].bandwidth_ppm", "is above the peak, 1000000",
		 { "a" }, { 0 }, { 2 }, { 0 }, 2, { 1, 1000001 });
	/* Others, of other kernels or GPUs, with points of their own or not. */
	PROFILES("", "", { "a", "a", "b" }, { 0, 1, 0 }, { 2, 3, 2 },
		 { 0, 2, 0 }, 5, { 1, 0 });
	PROFILES("", "", { "a", "a", "b" }, { 0, 1, 0 }, { 2, 3, 4 },
		 { 0, 2, 1 }, 5, { 1, 0 });
	PROFILES("", "", { "a", "b", "b" }, { 1, 0, 1 }, { 2, 2, 1 },
		 { 0, 2, 4 }, 5, { 1, 0 });
	PROFILES("profiles[1].kernel", "is not in order, or there twice",
		 { "a", "a" }, { 1, 0 }, { 1, 1 }, { 0, 1 }, 2, { 1, 0 });
	PROFILES("profiles[1].kernel", "is not in order, or there twice",
		 { "a", "a" }, { 1, 1 }, { 1, 1 }, { 0, 1 }, 2, { 1, 0 });
	PROFILES("profiles[1].kernel", "is not in order, or there twice",
		 { "b", "a" }, { 0, 1 }, { 1, 1 }, { 0, 1 }, 2, { 1, 0 });
	PROFILES("profiles[1].first_point",
		 "begins neither new points nor an earlier profile's",
		 { "a", "b" }, { 0, 0 }, { 2, 2 }, { 0, 3 }, 5, { 1, 0 });
	PROFILES("profiles[1].first_point",
		 "begins neither new points nor an earlier profile's",
		 { "a", "b" }, { 0, 0 }, { 2, 2 }, { 0, 1 }, 3, { 1, 0 });
	PROFILES("profiles[1].sms", "reaches past the points", { "a", "b" },
		 { 0, 0 }, { 2, 2 }, { 0, 2 }, 3, { 1, 0 });
	PROFILES("sections[12].count", "has points of no profile",
		 { "a", "b" }, { 0, 0 }, { 2, 2 }, { 0, 2 }, 5, { 1, 0 });
}

/* In each place of the order, and beside it. */
static const char *const configs[] = { "b", "d", "f", "h", "j" };

/* A trace of @kernels kernels, the first three with profiles of two SMs. */
static struct trace *profiled_trace(u32 kernels)
{
	struct builder *b = builder_new("profiled", "test");
	struct simgpu_trace_point points[2] = { { 1, 0 }, { 2, 0 } };
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	size_t bytes;
	u32 i, kernel;
	void *file;

	builder_footprint(b, 128);
	builder_kernel(b, "one", 6, 32, 1, 0);
	builder_compute(b, 1, 1);
	builder_again(b, 1, kernels - 1);
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		for (kernel = 0; kernel < 3; kernel++) {
			struct simgpu_trace_profile profile = {
				.kernel = kernel, .sms = 2, .blocks = 6,
				.memory_bytes = 128,
				.first_point = builder_points(b, points, 2),
			};

			profile.config[0] = *configs[i];
			builder_profile(b, &profile);
		}
	}
	file = builder_finish(b, 0, &bytes);
	builder_free(b);
	assert_int_equal(trace_check(file, bytes, &memory_bytes, &error), 0);
	trace = trace_decode(file, port_alloc(memory_bytes));
	free(file);
	return trace;
}

static void every_profile_is_found(void **state)
{
	const struct trace_point *first = NULL;
	struct trace *trace = profiled_trace(4);
	char beside[2] = "";
	u32 i, kernel;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		for (kernel = 0; kernel < 3; kernel++) {
			const struct trace_point *at =
				trace_profile(trace, configs[i], 2, kernel);

			if (!first)
				first = at;
			assert_non_null(at);
			assert_ptr_equal(at, first + 2 * (i * 3 + kernel));
			assert_int_equal(at->cycles, 1);
			assert_null(trace_profile(trace, configs[i], 1, kernel));
		}
		assert_null(trace_profile(trace, configs[i], 2, 3));
		beside[0] = *configs[i] + 1;
		assert_null(trace_profile(trace, beside, 2, 1));
		beside[0] = *configs[i] - 1;
		assert_null(trace_profile(trace, beside, 2, 1));
		/* From the second GPU on, others were looked up before. */
		trace_find_profiles(trace, configs[i], 2);
		assert_true(trace_profiles_are_found(trace, configs[i], 2));
	}
	assert_ptr_equal(trace_profile(trace, configs[4], 2, 0), first + 2 * 4 * 3);
	port_free(trace);
}

/*
 * The profiles are looked up once for a GPU: what is asked for afterwards, by snapshots of
 * all queues, is found without the table, whose names are wrong by then.
 */
static void they_are_searched_once(void **state)
{
	struct trace *trace = profiled_trace(3);
	struct trace_profile *table = (struct trace_profile *)trace->profiles;
	struct trace_point rest[2];
	const struct trace_point *before = trace_profile(trace, "d", 2, 1);
	u64 i;

	trace_find_profiles(trace, "d", 2);
	for (i = 0; i < trace->profile_count; i++)
		memset(table[i].config, 'z', sizeof(table[i].config));
	/* The GPU is the same. */
	trace_find_profiles(trace, "d", 2);
	assert_ptr_equal(trace_profile(trace, "d", 2, 1), before);
	assert_true(trace_rest(trace, "d", 2, 0, rest));
	assert_int_equal(rest[0].cycles, 3);
	assert_null(trace_profile(trace, "f", 2, 1));
	port_free(trace);
}

/* What remains of a launch is the same whether it was added up before or not. */
static void what_remains_is_added_up(void **state)
{
	struct trace *trace = profiled_trace(3), *longer = profiled_trace(4);
	struct trace_point rest[2];
	u32 kernel, pass;

	for (pass = 0; pass < 2; pass++) {
		for (kernel = 0; kernel < 3; kernel++) {
			assert_true(trace_rest(trace, "d", 2, kernel, rest));
			assert_int_equal(rest[0].cycles, 3 - kernel);
			assert_int_equal(rest[1].cycles, 2 * (3 - kernel));
			/* Its last kernel has no profile. */
			assert_false(trace_rest(longer, "d", 2, kernel, rest));
		}
		assert_false(trace_rest(trace, "d", 1, 2, rest));
		trace_find_profiles(trace, "d", 2);
		trace_find_profiles(longer, "d", 2);
		assert_false(trace_profiles_are_found(trace, "d", 1));
		assert_false(trace_profiles_are_found(trace, "f", 2));
	}
	port_free(trace);
	port_free(longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_have_1_to_512_points_in_order),
		cmocka_unit_test(every_profile_is_found),
		cmocka_unit_test(they_are_searched_once),
		cmocka_unit_test(what_remains_is_added_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_profiles", tests, NULL, NULL);
}
