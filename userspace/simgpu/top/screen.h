/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal as a screen, by ncurses. However the command ends, except by
 * SIGKILL, the terminal is left as it was found.
 */
#ifndef SIMGPU_SCREEN_H
#define SIMGPU_SCREEN_H

#include <poll.h>

#include "../command.h"

/* Takes over the terminal; an exit status. */
int screen_begin(void);
/* Gives the terminal back; may be called more than once. */
void screen_end(void);

/* The signal that asked the command to end; 0: none has. */
int screen_signal(void);

/**
 * screen_wait() - wait for a file, a signal or time
 * @fds: as for poll()
 *
 * Return: as poll(); a signal that came before the call counts, too.
 */
int screen_wait(struct pollfd *fds, u32 count, int timeout_ms);

/* The colour pair that is nearest to 0xRRGGBB; 0 without colours. */
short screen_pair(u32 rgb);
/* Whether characters beyond ASCII can be shown. */
bool screen_is_utf8(void);

#endif /* SIMGPU_SCREEN_H */
