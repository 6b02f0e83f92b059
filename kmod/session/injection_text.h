/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Injections as text, KIND[:KEY=VALUE,...], as people write them: the option --inject of the
 * command and the file "inject" of a device in debugfs (docs/failures.md). Journals have lines
 * of their own (journal_lines.c).
 */
#ifndef SESSION_INJECTION_TEXT_H
#define SESSION_INJECTION_TEXT_H

#include <simgpu/port.h>

struct session_injection;

/* Room for the text of an injection, and for a sentence that refuses one */
#define SESSION_INJECTION_BYTES	224

/**
 * session_injection_parse() - read an injection
 * @text: the text, up to its end or the end of its line
 * @out: set to the injection, if it is a good one
 * @why: set to what is wrong with it, without a subject: 'has no key "x"'
 *
 * Return: 0 or -EINVAL.
 */
int session_injection_parse(const char *text, struct session_injection *out,
			    char why[SESSION_INJECTION_BYTES]);

/**
 * session_injection_print() - write an injection in the same words
 * @injection: a good one
 * @text: set to the text, without the end of a line
 */
void session_injection_print(const struct session_injection *injection,
			     char text[SESSION_INJECTION_BYTES]);

#endif /* SESSION_INJECTION_TEXT_H */
