/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues of a tenant: what sysfs and JSON say of them, one from the other. In JSON a
 * queue has "state", "priority", "waiting" and "kernel", and its place is its number.
 */
#ifndef SIMGPU_QUEUE_ROWS_H
#define SIMGPU_QUEUE_ROWS_H

#include <json-c/json.h>

#include "command.h"

/* An array with an object for each queue. */
struct json_object *queues_json(const struct simgpu_queue_report *queues,
				u32 count);

/**
 * queues_from_json() - what queues_json() made
 * @array: it, or anything else
 * @queues: room for SIMGPU_TENANT_QUEUES_MAX
 *
 * Return: how many there are.
 */
u32 queues_from_json(struct json_object *array,
		     struct simgpu_queue_report *queues);

/* queues_from_json() of the text of a tenant's file "queues" in sysfs. */
u32 queues_from_text(const char *text, struct simgpu_queue_report *queues);

#endif /* SIMGPU_QUEUE_ROWS_H */
