// SPDX-License-Identifier: GPL-2.0
/* Signals that ask a command to stop; see interrupt.h. */
#include <signal.h>
#include <stdatomic.h>

#include "../offline/run.h"
#include "interrupt.h"

#define STATUS_SIGNAL	128

/*
 * A second signal within this time counts as the first: timeout(1) sends a signal to the
 * command, and then to the group in which it is.
 */
#define ONCE_NS		500000000ULL

static volatile sig_atomic_t caught;
static atomic_ullong caught_ns;

const struct offline_observer interrupt_observer = { .stop = interrupted };

/* A user who asks twice does not want to wait. This also runs in a signal handler. */
void interrupt_note(int signal_number)
{
	if (!caught) {
		caught_ns = offline_wall_ns();
		caught = signal_number;
	} else if (offline_wall_ns() - caught_ns > ONCE_NS) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
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

	/* In a background job the shell may have set signals to be ignored. */
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
