/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ctrl-C and SIGTERM during long runs. The first one asks the command to stop and
 * print what it has; another one, half a second later or more, ends it at once.
 */
#ifndef SIMGPU_INTERRUPT_H
#define SIMGPU_INTERRUPT_H

#include "command.h"

/* From here on the first of these signals is noted. */
void interrupt_catch(void);
/* One that was taken otherwise, such as from a descriptor. */
void interrupt_note(int signal);
/* Whether one has come; from any thread. */
bool interrupted(void);
/* As a shell has it, 128 + the signal, if one has come; else @status. */
int interrupt_status(int status);
/* "SIGINT" or "SIGTERM". */
const char *interrupt_name(void);

/* Of runs that nobody watches, but that may be stopped. */
extern const struct offline_observer interrupt_observer;

#endif /* SIMGPU_INTERRUPT_H */
