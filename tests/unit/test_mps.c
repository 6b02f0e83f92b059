// SPDX-License-Identifier: GPL-2.0
/*
 * mps-share: parts of the SMs that tenants ask for, or even ones; where they overlap;
 * static ones, for which tenants wait. The device has eight SMs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "bench.h"

#define MOMENT	3000

static struct bench *bench_of(u64 is_static, u32 each)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = &policy_mps_share;
	bench->options.config.sms_per_tpc = each;
	session_default_params(&bench->options);
	bench->options.policy_params[0] = is_static;
	bench_start(bench);
	return bench;
}

/* A tenant with work for ever that asks for a part. */
static void come(struct bench *bench, u32 slot, u32 share_ppm)
{
	struct session_tenant_options options = plain();

	options.share_ppm = share_ppm;
	assert_int_equal(session_join(bench->session, slot, &options), slot);
	launch(bench, slot, computing, 1, 0);
	session_run(bench->session, MOMENT);
}

static void go(struct bench *bench, u32 slot)
{
	session_leave(bench->session, slot);
	/* Thread blocks drain. */
	session_run(bench->session, 2 * EPOCH);
}

static void end(struct bench *bench)
{
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* Who says nothing has an even part; nobody shares as long as that goes. */
static void even_parts_where_nothing_is_said(void **state)
{
	struct bench *bench = bench_of(0, 1);

	come(bench, 0, 0);
	assert_int_equal(set_of_sms(bench, 0), 0xff);
	come(bench, 1, 0);
	assert_int_equal(set_of_sms(bench, 0), 0x0f);
	assert_int_equal(set_of_sms(bench, 1), 0xf0);
	come(bench, 2, 0);
	assert_int_equal(set_of_sms(bench, 0), 0x07);
	assert_int_equal(set_of_sms(bench, 1), 0x70);
	assert_int_equal(set_of_sms(bench, 2), 0x88);
	go(bench, 1);
	assert_int_equal(set_of_sms(bench, 0), 0x17);
	assert_int_equal(set_of_sms(bench, 2), 0xe8);
	end(bench);
}

/* Shares are bounds: what nobody asks for is nobody's, and they are rounded up. */
static void no_more_than_the_share(void **state)
{
	struct bench *bench = bench_of(0, 1);

	come(bench, 0, 510000);
	assert_int_equal(set_of_sms(bench, 0), 0x1f);
	come(bench, 1, 1);
	assert_int_equal(set_of_sms(bench, 0), 0x1f);
	assert_int_equal(set_of_sms(bench, 1), 0x20);
	go(bench, 0);
	assert_int_equal(set_of_sms(bench, 1), 0x20);
	end(bench);
}

/* Above 1 in sum they overlap, where the fewest are; nobody else is moved. */
static void shares_overlap(void **state)
{
	struct bench *bench = bench_of(0, 1);

	come(bench, 0, 500000);
	come(bench, 1, 500000);
	come(bench, 2, 500000);
	assert_int_equal(set_of_sms(bench, 0), 0x0f);
	assert_int_equal(set_of_sms(bench, 1), 0xf0);
	assert_int_equal(set_of_sms(bench, 2), 0x0f);
	come(bench, 3, 625000);
	assert_int_equal(set_of_sms(bench, 3), 0xf1);
	go(bench, 0);
	assert_int_equal(set_of_sms(bench, 2), 0x0f);
	assert_int_equal(set_of_sms(bench, 3), 0xf1);
	end(bench);
}

/* A share that is changed takes effect at the epoch's end; what is kept is kept. */
static void shares_change(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_of(0, 1);

	come(bench, 0, 500000);
	come(bench, 1, 500000);
	options.share_ppm = 250000;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(set_of_sms(bench, 0), 0x03);
	options.share_ppm = 1000001;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), -EINVAL);
	options.share_ppm = 1000000;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(set_of_sms(bench, 0), 0xff);
	assert_int_equal(set_of_sms(bench, 1), 0xf0);
	end(bench);
}

/* Static parts are one's own; who does not fit waits, and those behind it too. */
static void static_parts_are_waited_for(void **state)
{
	struct bench *bench = bench_of(1, 1);

	come(bench, 0, 750000);
	come(bench, 1, 500000);
	come(bench, 2, 250000);
	assert_int_equal(set_of_sms(bench, 0), 0x3f);
	assert_int_equal(set_of_sms(bench, 1), 0);
	assert_int_equal(set_of_sms(bench, 2), 0);
	go(bench, 0);
	assert_int_equal(set_of_sms(bench, 1), 0x0f);
	assert_int_equal(set_of_sms(bench, 2), 0x30);
	go(bench, 1);
	assert_int_equal(set_of_sms(bench, 2), 0x30);
	end(bench);
}

static void tpcs_stay_whole(void **state)
{
	struct bench *bench = bench_of(0, 2);

	come(bench, 0, 510000);
	assert_int_equal(set_of_sms(bench, 0), 0x3f);
	come(bench, 1, 300000);
	assert_int_equal(set_of_sms(bench, 1), 0xc3);
	end(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_parts_where_nothing_is_said),
		cmocka_unit_test(no_more_than_the_share),
		cmocka_unit_test(shares_overlap),
		cmocka_unit_test(shares_change),
		cmocka_unit_test(static_parts_are_waited_for),
		cmocka_unit_test(tpcs_stay_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("mps", tests, make_traces, free_traces);
}
