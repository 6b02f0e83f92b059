/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of a workload for the parts of a GPU that it keeps to: mask=, channels=, ways=. */
#ifndef SIMGPU_COMMAND_MASKS_H
#define SIMGPU_COMMAND_MASKS_H

#include "command.h"

/**
 * masks_key() - parse a key
 * @masks: masks of the tenant, zero at first
 * @queues: queues of the tenant, whose launches' masks are set
 * @key: mask (LIST of SMs, or QUEUE:LIST for a queue's launch), channels (LIST), ways
 *	(LIST); a LIST is N or N-M, several joined by +
 * @value: text behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; a message has been printed on failure.
 */
int masks_key(struct session_masks *masks, struct offline_queues *queues,
	      const char *key, const char *value, bool *known);

/* Whether any mask was given. */
bool masks_given(const struct session_masks *masks,
		 const struct offline_queues *queues);

/* Refuse masks of a workload that a GPU cannot have; an exit status. */
int masks_check(const char *name, const struct gpu_config *config,
		const struct session_masks *masks,
		const struct offline_queues *queues);

/* Set the masks of a device's tenant; 0 or a negative errno. */
int masks_set(int fd, const struct session_masks *masks);

/* Set the mask of a launch, if one was given. */
void masks_launch(struct simgpu_launch *launch,
		  const u64 sms[SESSION_MASK_WORDS]);

#endif /* SIMGPU_COMMAND_MASKS_H */
