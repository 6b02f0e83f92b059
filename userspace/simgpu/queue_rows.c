// SPDX-License-Identifier: GPL-2.0
/* Queues of a tenant, as words and as JSON; see queue_rows.h. */
#include "json.h"
#include "queue_rows.h"

#include "output.h"

/* The state of a word; an unknown word comes from a later version. */
static u32 state_of(const char *word)
{
	u32 state = SIMGPU_QUEUE_EMPTY;

	while (state <= SIMGPU_QUEUE_RUNNING &&
	       strcmp(word, row_queue_state(state)))
		state++;
	return state;
}

static struct json_object *queue_json(const struct simgpu_queue_report *queue)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "state", row_queue_state(queue->state));
	json_set(object, "priority", json_object_new_int(queue->priority));
	json_set(object, "waiting", json_u64(queue->waiting));
	json_set(object, "kernel", json_u64(queue->kernel));
	return object;
}

struct json_object *queues_json(const struct simgpu_queue_report *queues,
				u32 count)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < count && i < SIMGPU_TENANT_QUEUES_MAX; i++)
		json_object_array_add(array, queue_json(&queues[i]));
	return array;
}

static const char *word_of(struct json_object *object, const char *key)
{
	const char *word = json_object_get_string(
		json_object_object_get(object, key));

	return word ? word : "";
}

u32 queues_from_json(struct json_object *array,
		     struct simgpu_queue_report *queues)
{
	u32 count = 0;

	if (!json_object_is_type(array, json_type_array))
		return 0;
	for (; count < json_object_array_length(array) &&
	       count < SIMGPU_TENANT_QUEUES_MAX; count++) {
		struct json_object *from = json_object_array_get_idx(array, count);

		if (!json_object_is_type(from, json_type_object))
			break;
		queues[count] = (struct simgpu_queue_report) {
			.state = state_of(word_of(from, "state")),
			.priority = json_object_get_int(
				json_object_object_get(from, "priority")),
			.waiting = (u32)json_object_get_int64(
				json_object_object_get(from, "waiting")),
			.kernel = (u32)json_object_get_int64(
				json_object_object_get(from, "kernel")),
		};
	}
	return count;
}

u32 queues_from_text(const char *text, struct simgpu_queue_report *queues)
{
	u32 count = 0, number;
	char state[16];

	while (count < SIMGPU_TENANT_QUEUES_MAX) {
		struct simgpu_queue_report *queue = &queues[count];

		memset(queue, 0, sizeof(*queue));
		if (sscanf(text, "%u state=%15s priority=%d waiting=%u kernel=%u",
			   &number, state, &queue->priority, &queue->waiting,
			   &queue->kernel) != 5 || number != count)
			break;
		queue->state = state_of(state);
		count++;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}
