/* SPDX-License-Identifier: GPL-2.0 */
/* The words for a tenant's queues: queues=, wait= and priority=. */
#ifndef SIMGPU_QUEUES_H
#define SIMGPU_QUEUES_H

#include "command.h"

/**
 * queues_key() - take a word
 * @queues: zero at first
 * @key: queues (how many), wait (QUEUE:QUEUE+...: whose launch waits for whose),
 *	priority (QUEUE:NUMBER)
 * @value: behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; what was wrong has been said.
 */
int queues_key(struct offline_queues *queues, const char *key,
	       const char *value, bool *known);

/* Complain about words that do not go together; an exit status. */
int queues_check(const struct offline_queues *queues);

#endif /* SIMGPU_QUEUES_H */
