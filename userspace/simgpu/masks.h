/* SPDX-License-Identifier: GPL-2.0 */
/* The words for parts of a GPU that a workload keeps to: mask=, channels= and ways=. */
#ifndef SIMGPU_COMMAND_MASKS_H
#define SIMGPU_COMMAND_MASKS_H

#include "command.h"

/**
 * masks_key() - take a word
 * @masks: of the tenant, zero at first
 * @queues: whose launches' masks are set
 * @key: mask (LIST of SMs, or QUEUE:LIST: of a queue's launch), channels (LIST), ways
 *	(LIST); a LIST is N or N-M, several joined by +
 * @value: behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; what was wrong has been said.
 */
int masks_key(struct session_masks *masks, struct offline_queues *queues,
	      const char *key, const char *value, bool *known);

/* Whether anything was said. */
bool masks_given(const struct session_masks *masks,
		 const struct offline_queues *queues);

/* Complain about masks of a workload that a GPU cannot have; an exit status. */
int masks_check(const char *name, const struct gpu_config *config,
		const struct session_masks *masks,
		const struct offline_queues *queues);

/* Have a device's tenant keep to them; 0 or a negative errno. */
int masks_set(int fd, const struct session_masks *masks);

/* Have a launch keep to some SMs, if any are said. */
void masks_launch(struct simgpu_launch *launch,
		  const u64 sms[SESSION_MASK_WORDS]);

#endif /* SIMGPU_COMMAND_MASKS_H */
