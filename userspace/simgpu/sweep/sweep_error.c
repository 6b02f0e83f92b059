// SPDX-License-Identifier: GPL-2.0
/* Parts of an error; see sweep_error.h. */
#include <math.h>

#include "sweep_error.h"

static bool has_line(const struct error_facts *facts)
{
	return facts->by_line && facts->line_alone > 0 &&
	       facts->line_shared > 0 && facts->utilization_alone > 0;
}

/*
 * Eq. 5 divides by the line: if the line is too high, or higher in company, the prediction
 * is too low.
 */
struct error_parts error_split(const struct error_facts *facts)
{
	struct error_parts parts = {
		.whole = log(facts->predicted / facts->actual),
	};

	if (!(facts->right_class > 0)) {
		parts.class = parts.whole;
		return parts;
	}
	parts.class = log(facts->predicted / facts->right_class);
	if (has_line(facts)) {
		parts.line = log(facts->utilization_alone / facts->line_alone);
		parts.drift = log(facts->line_alone / facts->line_shared);
	}
	parts.rest = parts.whole - parts.class - parts.line - parts.drift;
	return parts;
}
