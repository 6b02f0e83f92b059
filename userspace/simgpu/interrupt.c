// SPDX-License-Identifier: GPL-2.0
/* Signals that ask a command to stop; see interrupt.h. */
#include <signal.h>

#include "interrupt.h"

#define STATUS_SIGNAL	128

static volatile sig_atomic_t caught;

const struct offline_observer interrupt_observer = { .stop = interrupted };

/* Whoever asks twice does not want to wait. */
void interrupt_note(int signal_number)
{
	caught = signal_number;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

void interrupt_catch(void)
{
	const struct sigaction action = {
		.sa_handler = interrupt_note,
		.sa_flags = SA_RESTART,
	};
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction before;
	size_t i;

	/* Who runs it in the background may have it ignored. */
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool interrupted(void)
{
	return caught;
}

int interrupt_status(int status)
{
	return caught ? STATUS_SIGNAL + caught : status;
}

const char *interrupt_name(void)
{
	return caught == SIGTERM ? "SIGTERM" : "SIGINT";
}
