/* SPDX-License-Identifier: GPL-2.0 */
/* A journal's lines as text. */
#ifndef SESSION_JOURNAL_PRINT_H
#define SESSION_JOURNAL_PRINT_H

#include "journal.h"

/*
 * Each prints one line into JOURNAL_LINE_BYTES, and returns its length without the
 * NUL.
 */
size_t journal_print_start(char *text, const struct session_options *start,
			   u32 constants_checksum);
size_t journal_print_event(char *text, const struct journal_event *event);
size_t journal_print_lost(char *text, u64 cycle, u64 lost);
size_t journal_print_end(char *text, u64 cycle, u64 state_hash);

#endif /* SESSION_JOURNAL_PRINT_H */
