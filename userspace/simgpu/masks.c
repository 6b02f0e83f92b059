// SPDX-License-Identifier: GPL-2.0
/* Keys of a workload for the parts of a GPU that it keeps to; see masks.h. */
#include "masks.h"

#define WORD_BITS	64

/* Parse a number up to @most; *@at moves behind it. */
static bool read_index(const char **at, u32 most, u32 *index)
{
	const char *digit = *at;

	for (*index = 0; *digit >= '0' && *digit <= '9'; digit++) {
		*index = *index * 10 + (u32)(*digit - '0');
		if (*index > most)
			return false;
	}
	if (digit == *at)
		return false;
	*at = digit;
	return true;
}

/* Parse N-M+K..., each below @count; @mask has @count bits. */
static bool read_list(const char *at, u32 count, u64 *mask)
{
	u32 first, last;

	memset(mask, 0, (count + WORD_BITS - 1) / WORD_BITS * sizeof(*mask));
	for (;;) {
		if (!read_index(&at, count - 1, &first))
			return false;
		last = first;
		if (*at == '-' && (at++, !read_index(&at, count - 1, &last)))
			return false;
		if (last < first)
			return false;
		for (; first <= last; first++)
			mask[first / WORD_BITS] |= 1ULL << first % WORD_BITS;
		if (!*at)
			return true;
		if (*at++ != '+')
			return false;
	}
}

/* Parse LIST, for the tenant's SMs, or QUEUE:LIST, for a launch's. */
static int parse_sms(struct session_masks *masks, struct offline_queues *queues,
		     const char *value)
{
	const char *colon = strchr(value, ':'), *at = value;
	u64 *sms = masks->sms;
	u32 queue;

	if (colon) {
		if (!read_index(&at, SESSION_QUEUES_MAX - 1, &queue) ||
		    at != colon)
			return fail_usage("mask of a queue is QUEUE:LIST, queues being 0 to %d, not \"%s\"",
					  SESSION_QUEUES_MAX - 1, value);
		sms = queues->sms[queue];
		at++;
	}
	if (!read_list(at, SIMGPU_SMS_MAX, sms))
		return fail_usage("mask is a list of SMs as 0-9+20, 0 to %d, not \"%s\"",
				  SIMGPU_SMS_MAX - 1, at);
	return STATUS_OK;
}

int masks_key(struct session_masks *masks, struct offline_queues *queues,
	      const char *key, const char *value, bool *known)
{
	*known = true;
	if (!strcmp(key, "mask"))
		return parse_sms(masks, queues, value);
	if (!strcmp(key, "channels"))
		return read_list(value, WORD_BITS, &masks->channels) ? STATUS_OK :
		       fail_usage("channels is a list of memory channels as 0-3+8, not \"%s\"",
				  value);
	if (!strcmp(key, "ways"))
		return read_list(value, WORD_BITS, &masks->llc_ways) ? STATUS_OK :
		       fail_usage("ways is a list of ways of the last-level cache as 0-3, not \"%s\"",
				  value);
	*known = false;
	return STATUS_OK;
}

static bool has_sms(const u64 sms[SESSION_MASK_WORDS])
{
	u32 i;

	for (i = 0; i < SESSION_MASK_WORDS; i++)
		if (sms[i])
			return true;
	return false;
}

bool masks_given(const struct session_masks *masks,
		 const struct offline_queues *queues)
{
	u32 i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		if (has_sms(queues->sms[i]))
			return true;
	return has_sms(masks->sms) || masks->channels || masks->llc_ways;
}

int masks_check(const char *name, const struct gpu_config *config,
		const struct session_masks *masks,
		const struct offline_queues *queues)
{
	u32 count = queues->count ? queues->count : 1, i;

	if (!session_masks_are_good(config, masks))
		return fail_usage("%s: mask, channels or ways name what %s does not have, or a part of a TPC",
				  name, config->name);
	for (i = 0; i < SESSION_QUEUES_MAX; i++) {
		if (!has_sms(queues->sms[i]))
			continue;
		if (i >= count)
			return fail_usage("%s: a queue that there is not has a mask: queues=%u ends with %u",
					  name, count, count - 1);
		if (!session_sms_are_good(config, queues->sms[i]) ||
		    !session_masks_meet(masks, queues->sms[i]))
			return fail_usage("%s: the mask of queue %u names what %s does not have, a part of a TPC, or nothing of the tenant's own",
					  name, i, config->name);
	}
	return STATUS_OK;
}

int masks_set(int fd, const struct session_masks *masks)
{
	struct simgpu_masks request = {
		.channels = masks->channels,
		.llc_ways = masks->llc_ways,
	};

	if (has_sms(masks->sms))
		request.flags |= SIMGPU_MASK_SMS;
	if (masks->channels)
		request.flags |= SIMGPU_MASK_CHANNELS;
	if (masks->llc_ways)
		request.flags |= SIMGPU_MASK_LLC_WAYS;
	memcpy(request.sms, masks->sms, sizeof(request.sms));
	memcpy(request.sms_more, masks->sms + SIMGPU_MASK_WORDS, sizeof(request.sms_more));
	return request.flags ? simgpu_set_masks(fd, &request) : 0;
}

void masks_launch(struct simgpu_launch *launch,
		  const u64 sms[SESSION_MASK_WORDS])
{
	if (!has_sms(sms))
		return;
	launch->flags |= SIMGPU_LAUNCH_MASKED;
	memcpy(launch->sm_mask, sms, sizeof(launch->sm_mask));
	memcpy(launch->sm_mask_more, sms + SIMGPU_MASK_WORDS,
	       sizeof(launch->sm_mask_more));
}
