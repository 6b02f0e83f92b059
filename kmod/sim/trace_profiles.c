// SPDX-License-Identifier: GPL-2.0
/*
 * The profiles of a trace's kernels for the GPU at hand. Each is looked up once for a
 * GPU and kept with the trace: snapshots of the session ask for those of all queues, and
 * whoever hands in a trace decides how many kernels it has.
 */
#include "trace_format.h"

static bool is_found(const struct trace *trace, const char *config, u32 sms)
{
	return trace->found->sms == sms &&
	       !strncmp(trace->found->config, config,
			sizeof(trace->found->config));
}

/* 1 + the first of a kernel's points; 0: it has none for the GPU. */
static u32 look_up(const struct trace *trace, const char *config, u32 sms,
		   u32 kernel)
{
	u64 low = 0, high = trace->profile_count;

	while (low < high) {
		u64 middle = low + (high - low) / 2;
		const struct trace_profile *at = &trace->profiles[middle];
		int order = strncmp(config, at->config, sizeof(at->config));

		if (!order && at->kernel == kernel)
			return at->sms == sms ? at->first_point + 1 : 0;
		if (order < 0 || (!order && kernel < at->kernel))
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

const struct trace_point *trace_profile(const struct trace *trace,
					const char *config, u32 sms, u32 kernel)
{
	u32 first;

	if (kernel >= trace->kernel_count)
		return NULL;
	first = is_found(trace, config, sms) ?
		trace->of_kernel[kernel] :
		look_up(trace, config, sms, kernel);
	return first ? trace->points + first - 1 : NULL;
}

static struct trace_point *rest_of(const struct trace *trace, u32 kernel)
{
	return trace->rest +
	       (trace->kernel_count - 1 - kernel) * trace->rest_points;
}

/* Add the points of a kernel to those of the kernels that run before it. */
static void append_points(const struct trace_point *from, u32 sms,
			  struct trace_point *to)
{
	u32 i;

	for (i = 0; i < sms; i++) {
		u64 cycles = (u64)to[i].cycles + from[i].cycles;
		u64 busy = (u64)to[i].cycles * to[i].bandwidth_ppm +
			   (u64)from[i].cycles * from[i].bandwidth_ppm;

		to[i].cycles = (u32)min_t(u64, cycles, U32_MAX);
		to[i].bandwidth_ppm = (u32)(busy / cycles);
	}
}

/* Rounded kernel by kernel, so that what remains of one is no part of another's. */
static void add_up(const struct trace *trace, const char *config, u32 sms,
		   u32 kernel, struct trace_point *to)
{
	memset(to, 0, sms * sizeof(*to));
	for (; kernel < trace->kernel_count; kernel++)
		append_points(trace_profile(trace, config, sms, kernel), sms, to);
}

/* The first kernel from which on all have a profile. */
static u32 first_whole(const struct trace *trace, const char *config, u32 sms)
{
	u32 kernel = trace->kernel_count;

	while (kernel && trace_profile(trace, config, sms, kernel - 1))
		kernel--;
	return kernel;
}

void trace_find_profiles(const struct trace *trace, const char *config, u32 sms)
{
	struct trace_found *found = trace->found;
	u32 kernel;

	if (!trace->profile_count || is_found(trace, config, sms))
		return;
	found->sms = 0;
	for (kernel = 0; kernel < trace->kernel_count; kernel++)
		trace->of_kernel[kernel] = look_up(trace, config, sms, kernel);
	memset(found->config, 0, sizeof(found->config));
	memcpy(found->config, config,
	       strnlen(config, sizeof(found->config) - 1));
	found->sms = sms;
	found->whole = first_whole(trace, config, sms);
	for (kernel = found->whole; kernel < trace->kernel_count; kernel++) {
		add_up(trace, config, sms, kernel, rest_of(trace, kernel));
		port_pause();
	}
}

bool trace_profiles_are_found(const struct trace *trace, const char *config, u32 sms)
{
	return !trace->profile_count || is_found(trace, config, sms);
}

bool trace_rest(const struct trace *trace, const char *config, u32 sms, u32 kernel,
		struct trace_point *out)
{
	bool found = is_found(trace, config, sms);

	if (kernel < (found ? trace->found->whole :
			      first_whole(trace, config, sms)))
		return false;
	if (found)
		memcpy(out, rest_of(trace, kernel), sms * sizeof(*out));
	else
		add_up(trace, config, sms, kernel, out);
	return true;
}
