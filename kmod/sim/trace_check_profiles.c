// SPDX-License-Identifier: GPL-2.0
/* The validator of traces: profiles of kernels, and their points. */
#include "trace_check.h"

static int check_points(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_POINTS), index;

	for (index = 0; index < count; index++) {
		const struct simgpu_trace_point *p = &c->points[index];

		if (look(c))
			return -EINTR;
		if (!p->cycles)
			return ELEMENT(-EINVAL, "points", index, p, cycles,
				       "is zero: the profile has a gap");
		if (p->bandwidth_ppm > SIMGPU_PPM)
			return ELEMENT(-EINVAL, "points", index, p, bandwidth_ppm,
				       "is above the peak, 1000000");
	}
	return 0;
}

/* Whether configurations ascend, and within each of them kernels. */
static bool in_order(const struct simgpu_trace_profile *a,
		     const struct simgpu_trace_profile *b)
{
	int order = strncmp(a->config, b->config, sizeof(a->config));

	return order < 0 || (!order && a->kernel < b->kernel);
}

#define PROFILE(field, reason) \
	ELEMENT(-EINVAL, "profiles", index, p, field, reason)

/* Check a profile, whose statements about the trace must agree with the trace. */
static int check_profile(struct checker *c, u64 index)
{
	const struct simgpu_trace_profile *p = &c->profiles[index];

	if (!name_is_good(p->config))
		return PROFILE(config, "is not a printable name");
	if (p->kernel >= section_count(c->header, SIMGPU_TRACE_KERNELS))
		return PROFILE(kernel, "is not in the trace");
	if (index && !in_order(p - 1, p))
		return PROFILE(kernel, "is not in order, or there twice");
	if (!p->sms || p->sms > SIMGPU_TRACE_PROFILE_SMS_MAX)
		return PROFILE(sms, "is not 1 to 512");
	if (p->reserved)
		return PROFILE(reserved, "is not zero");
	if (p->blocks != blocks_of(&c->kernels[p->kernel]))
		return PROFILE(blocks, "is not what the kernel has");
	if (p->memory_bytes != c->header->footprint_bytes)
		return PROFILE(memory_bytes, "is not the trace's footprint");
	return 0;
}

int check_profiles(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_PROFILES), index;
	u64 points = 0;
	int ret = check_points(c);

	for (index = 0; !ret && index < count; index++) {
		const struct simgpu_trace_profile *p = &c->profiles[index];
		u64 end = (u64)p->first_point + p->sms;

		if (look(c))
			return -EINTR;
		ret = check_profile(c, index);
		if (ret)
			break;
		if (p->first_point == points)
			points = end;
		if (end > points)
			ret = PROFILE(first_point,
				      "begins neither new points nor an earlier profile's");
		else if (points > section_count(c->header, SIMGPU_TRACE_POINTS))
			ret = PROFILE(sms, "reaches past the points");
	}
	if (!ret && points != section_count(c->header, SIMGPU_TRACE_POINTS))
		ret = refuse_rest(c, SIMGPU_TRACE_POINTS,
				  "has points of no profile");
	return ret;
}
