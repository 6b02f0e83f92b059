/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a whole journal, read. */
#ifndef OFFLINE_JOURNAL_H
#define OFFLINE_JOURNAL_H

#include "offline.h"

/**
 * offline_parse_journal() - read a journal's text
 * @text: the file, NUL-terminated
 * @names: where models, policies and so on are looked up, such as &offline_names
 * @out: filled in; offline_free_journal() frees what it holds
 * @error: filled in if the text is refused
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int offline_parse_journal(const char *text, const struct journal_names *names,
			  struct offline_journal *out,
			  struct offline_journal_error *error);
void offline_free_journal(struct offline_journal *journal);

#endif /* OFFLINE_JOURNAL_H */
