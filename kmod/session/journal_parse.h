/* SPDX-License-Identifier: GPL-2.0 */
/* A journal's lines, read. */
#ifndef SESSION_JOURNAL_PARSE_H
#define SESSION_JOURNAL_PARSE_H

#include "journal.h"

/**
 * journal_parse_line() - read one line
 * @text: at its start; set to what follows its newline
 * @names: where to look
 * @out: what it says
 * @reason: a sentence, if it is refused
 * @room: bytes there
 *
 * A policy or model of the same name that is another one (journal_is_same()) is
 * refused.
 *
 * Return: 0 or -EINVAL.
 */
int journal_parse_line(const char **text, const struct journal_names *names,
		       struct journal_line *out, char *reason, size_t room);

#endif /* SESSION_JOURNAL_PARSE_H */
