/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues of a tenant in sysfs and in JSON, and how one is made of the other. In JSON a
 * queue has "state", "priority", "waiting" and "kernel", and its index is its number.
 */
#ifndef SIMGPU_QUEUE_ROWS_H
#define SIMGPU_QUEUE_ROWS_H

#include <json-c/json.h>

#include "command.h"

/* An array with an object for each queue. */
struct json_object *queues_json(const struct simgpu_queue_report *queues,
				u32 count);

/**
 * queues_from_json() - read what queues_json() made
 * @array: its result, or anything else
 * @queues: room for SIMGPU_TENANT_QUEUES_MAX
 *
 * Return: number of queues.
 */
u32 queues_from_json(struct json_object *array,
		     struct simgpu_queue_report *queues);

/* queues_from_json() for the text of a tenant's file "queues" in sysfs. */
u32 queues_from_text(const char *text, struct simgpu_queue_report *queues);

#endif /* SIMGPU_QUEUE_ROWS_H */
