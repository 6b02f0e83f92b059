/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ctrl-C and SIGTERM during long runs. The first signal asks the command to stop and
 * print what it has; another one, at least half a second later, ends it at once.
 */
#ifndef SIMGPU_INTERRUPT_H
#define SIMGPU_INTERRUPT_H

#include "command.h"

/* From now on the first of these signals is noted. */
void interrupt_catch(void);
/* Notes a signal that came in another way, such as from a descriptor. */
void interrupt_note(int signal);
/* Whether a signal has come; may be called by any thread. */
bool interrupted(void);
/* If a signal has come, 128 + the signal, as shells have it; else @status. */
int interrupt_status(int status);
/* Name of the signal: "SIGINT" or "SIGTERM". */
const char *interrupt_name(void);

/* An observer that only stops runs when a signal has come. */
extern const struct offline_observer interrupt_observer;

#endif /* SIMGPU_INTERRUPT_H */
