// SPDX-License-Identifier: GPL-2.0
/* Which memory a kernel may access, from its patterns and the bounds of their indices. */
#include "trace_format.h"

/* Spans with less between them are one: memory comes and goes in blocks of 2 MiB. */
#define APART_BYTES	(2ULL << 20)

/* struct reach - the spans so far, and the trips of the loops around an op */
struct reach {
	const struct trace *trace;
	const struct trace_kernel *kernel;
	struct trace_span *span;
	u32 count;
	u32 depth;
	u32 trips[TRACE_LOOP_DEPTH_MAX];
};

static bool is_near(const struct trace_span *a, const struct trace_span *b)
{
	return a->first < b->end + APART_BYTES && b->first < a->end + APART_BYTES;
}

/* Add a span. It takes up those that it is near to, and any one where there is no room. */
static void add_span(struct reach *reach, u64 first, u64 end)
{
	struct trace_span span = { first, end };
	u32 i = 0;

	if (first >= end)
		return;
	while (i < reach->count) {
		const struct trace_span *other = &reach->span[i];

		if (!is_near(&span, other) && reach->count < TRACE_SPANS_MAX) {
			i++;
			continue;
		}
		span.first = min(span.first, other->first);
		span.end = max(span.end, other->end);
		reach->span[i] = reach->span[--reach->count];
		i = 0;
	}
	reach->span[reach->count++] = span;
}

/* How far an index that takes @count values moves an address, down and up. */
static void move(s64 stride, u32 count, s64 *low, s64 *high)
{
	s64 most = stride * (s64)(count - 1);

	if (most < 0)
		*low += most;
	else
		*high += most;
}

/* An affine pattern. The validator keeps its addresses from 0 up to base + region. */
static void add_affine(struct reach *reach, const struct trace_pattern *pattern)
{
	const struct trace_kernel *kernel = reach->kernel;
	u32 group = pattern->group_lanes ? pattern->group_lanes : LANES;
	s64 low = (s64)pattern->base, high = low;
	s64 end = low + (s64)pattern->region_bytes;
	u32 i;

	for (i = 0; i < 3; i++)
		move(pattern->block_stride[i], kernel->grid[i], &low, &high);
	for (i = 0; i < reach->depth; i++)
		move(pattern->loop_stride[i], reach->trips[i], &low, &high);
	move(pattern->warp_stride, kernel->block_warps, &low, &high);
	move(pattern->lane_stride, group, &low, &high);
	move(pattern->group_stride, (LANES + group - 1) / group, &low, &high);
	high += pattern->access_bytes;
	if (pattern->xor_bytes || high > end) {
		low = pattern->xor_bytes ? 0 : low;
		high = end;
	}
	add_span(reach, (u64)max(low, 0LL), (u64)max(high, 0LL));
}

static void add_pattern(struct reach *reach, u32 index)
{
	const struct trace_pattern *pattern = &reach->trace->patterns[index];

	if (pattern->kind == TRACE_AFFINE)
		add_affine(reach, pattern);
	else if (pattern->kind == TRACE_RANDOM)
		add_span(reach, pattern->base, pattern->base + pattern->region_bytes);
	else
		add_span(reach, 0, reach->trace->footprint_bytes);
}

static void add_op(struct reach *reach, const struct trace_op *op)
{
	switch (op->kind) {
	case TRACE_LOOP:
		reach->trips[reach->depth++] = op->count;
		break;
	case TRACE_LOOP_END:
		reach->depth--;
		break;
	case TRACE_LOAD:
	case TRACE_STORE:
	case TRACE_ATOMIC:
	case TRACE_CONSTANT:
		add_pattern(reach, op->pattern);
		break;
	default:
		break;
	}
}

u32 trace_reach(const struct trace *trace, u32 kernel, struct trace_span *span, u32 count)
{
	struct reach reach = {
		.trace = trace, .kernel = &trace->kernels[kernel],
		.span = span, .count = count,
	};
	const struct trace_op *op = &trace->ops[reach.kernel->programs[0]];

	if (reach.kernel->warps) {
		add_span(&reach, 0, trace->footprint_bytes);
		return reach.count;
	}
	for (; op->kind != TRACE_END; op++)
		add_op(&reach, op);
	return reach.count;
}
