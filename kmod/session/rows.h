/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session says of itself, as the structs of the UAPI: the one place where
 * the one becomes the other, for the driver and the offline command alike.
 */
#ifndef SESSION_ROWS_H
#define SESSION_ROWS_H

#include <linux/simgpu.h>

#include "figures.h"
#include "session.h"

/* Bytes of a refusal in words, a NUL at its end among them. */
#define ROW_REFUSAL_BYTES	256

/**
 * row_epoch() - a tenant's row of a finished epoch
 * @epoch: the epoch
 * @row: the row
 * @out: set to it, without counters: the size is that of the struct
 */
void row_epoch(const struct session_epoch *epoch,
	       const struct session_epoch_tenant *row,
	       struct simgpu_epoch_record *out);

/* A tenant's own figures so far, of a slot that has or had one. */
void row_report(const struct session_tenant_report *report,
		struct simgpu_tenant_report *out);

/* What a queue's first launch does, in a word: of &enum simgpu_queue_state. */
const char *row_queue_state(u32 state);

/* Room for any list of SMs: 171 ranges of two SMs, of up to three digits each. */
#define ROW_SM_LIST_BYTES 1372

/**
 * row_sm_list() - a set of SMs in words
 * @words: SESSION_SM_WORDS of them
 * @text: set to their numbers and ranges, "0-39,64"; empty without any.
 *	ROW_SM_LIST_BYTES long
 *
 * Return: the text's length.
 */
size_t row_sm_list(const u64 *words, char *text);
/* The same of channels or ways, which are bits of one word. */
size_t row_bit_list(u64 bits, char *text);

/* Why something was refused, both ways. */
void row_refusal(const struct session_refusal *why, struct simgpu_refusal *out);
void row_refusal_read(const struct simgpu_refusal *row,
		      struct session_refusal *out);

/* A failure that is to happen, both ways. The second one checks nothing. */
void row_injection(const struct session_injection *injection, struct simgpu_injection *out);
void row_injection_read(const struct simgpu_injection *row, struct session_injection *out);

/* In words, without a newline, into ROW_REFUSAL_BYTES; returns their length. */
size_t row_refusal_words(const struct session_refusal *why, char *text);

#endif /* SESSION_ROWS_H */
