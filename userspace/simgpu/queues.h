/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of a workload for a tenant's queues: queues=, wait= and priority=. */
#ifndef SIMGPU_QUEUES_H
#define SIMGPU_QUEUES_H

#include "command.h"

/**
 * queues_key() - parse a key
 * @queues: zero at first
 * @key: queues (number of queues), wait (QUEUE:QUEUE+...: the first one's launch waits for
 *	the others'), priority (QUEUE:NUMBER)
 * @value: text behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; a message has been printed on failure.
 */
int queues_key(struct offline_queues *queues, const char *key,
	       const char *value, bool *known);

/* Refuse keys that do not go together; an exit status. */
int queues_check(const struct offline_queues *queues);

#endif /* SIMGPU_QUEUES_H */
