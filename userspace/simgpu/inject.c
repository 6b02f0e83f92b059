// SPDX-License-Identifier: GPL-2.0
/* --inject: KIND[:KEY=VALUE,...]; see inject.h. */
#include "inject.h"

const char inject_help[] =
	"A failure that is to happen; may be repeated. KIND is hang, address, memory, copy or lost; keys: tenant=SLOT (else each), launch=N (its N-th run of a trace), after=N (so many runs pass before), times=N (in so many runs at most), cycles=N (so long after the run's first kernel or copy began), probability=P (in each of these runs), survives=kill|sm-reset (what does not end a hang)";

void inject_parse(struct argp_state *state, struct injections *list, const char *text)
{
	char why[SESSION_INJECTION_BYTES];

	if (list->count == SESSION_INJECTIONS_MAX)
		argp_error(state, "--inject can be given %d times", SESSION_INJECTIONS_MAX);
	if (session_injection_parse(text, &list->list[list->count++], why))
		argp_error(state, "--inject %s", why);
}

void inject_for_gang(const struct injections *list, struct simgpu_injection *out)
{
	u32 i;

	for (i = 0; i < list->count; i++)
		row_injection(&list->list[i], &out[i]);
}
