// SPDX-License-Identifier: GPL-2.0
/* Parts of a prediction's error, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/simgpu/sweep/sweep_error.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.7f is not %.7f", value, expected);
}

static void expect_sum(const struct error_parts *parts)
{
	near(parts->class + parts->line + parts->drift + parts->rest,
	     parts->whole, 1e-12);
}

/*
 * Alone 0.6 of the bandwidth where the line has 0.5, in company 0.4 by the line: B / 0.4
 * with B = 0.2 is 0.5, where B / 0.6 and the truth are 1/3 and 0.3.
 */
static void errors_have_signed_parts(void **state)
{
	struct error_facts facts = {
		.predicted = 0.5, .actual = 0.3, .right_class = 0.5,
		.by_line = true, .line_alone = 0.5, .line_shared = 0.4,
		.utilization_alone = 0.6,
	};
	struct error_parts parts = error_split(&facts);

	near(parts.whole, log(0.5 / 0.3), 1e-12);
	near(parts.class, 0, 1e-12);
	near(parts.line, log(1.2), 1e-12);
	near(parts.drift, log(1.25), 1e-12);
	near(parts.rest, log(0.2 / 0.6 / 0.3), 1e-12);
	expect_sum(&parts);
	/* A line that is too high makes the prediction too low. */
	facts.line_alone = 0.75;
	parts = error_split(&facts);
	assert_true(parts.line < 0);
	expect_sum(&parts);
	/* Some epochs had the other class, and drew the mean up. */
	facts.right_class = 0.4;
	parts = error_split(&facts);
	near(parts.class, log(1.25), 1e-12);
	expect_sum(&parts);
	/* All of them. */
	facts.right_class = 0;
	parts = error_split(&facts);
	near(parts.class, parts.whole, 0);
	near(parts.line, 0, 0);
	expect_sum(&parts);
	/* Other models draw no line. */
	facts.right_class = 0.5;
	facts.by_line = false;
	parts = error_split(&facts);
	near(parts.rest, parts.whole, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_signed_parts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sweep_error", tests, NULL, NULL);
}
