// SPDX-License-Identifier: GPL-2.0
/*
 * Finds loops: see folder.h.
 */
#include "folder.h"

#include <algorithm>

namespace record {

/* Longest body that is looked for, in ops and inner loops. */
constexpr size_t BODY_MAX = 512;
/* So often a body must be there before it becomes a loop. */
constexpr size_t TRIPS_MIN = 3;

static uint64_t both(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

uint32_t Shapes::op(const WarpOp &op, bool with_address)
{
	const simgpu_trace_op &o = op.op;
	Info info = {op, {}, {}, with_address, 0};

	if (with_address)
		info.op.op.count = 0;
	key = {both(o.kind | o.active_lanes << 8 | (uint32_t)o.after << 16,
		    info.op.op.count),
	       both(o.consume_after, is_memory(o) ? op.site : o.mix)};
	if (with_address) {
		key.push_back(both(op.form.access_bytes, op.form.group_lanes));
		key.push_back(op.form.lane_stride);
		key.push_back(op.form.group_stride);
	}
	return number(info);
}

uint32_t Shapes::body(const std::vector<Part> &parts,
		      const std::vector<int64_t> &strides)
{
	Info info = {{}, parts, strides, 0, 0};

	/* No op's key has a kind of 0. */
	key = {0, parts.size()};
	for (const Part &part : parts) {
		key.push_back(both(part.shape, part.trips));
		info.addresses += addresses_of(part.shape);
		info.depth = std::max(info.depth, depth_of(part.shape));
	}
	key.insert(key.end(), strides.begin(), strides.end());
	info.depth++;
	return number(info);
}

uint32_t Shapes::number(const Info &info)
{
	uint32_t shape = keys.intern(key);

	if (shape == infos.size())
		infos.push_back(info);
	return shape;
}

FoldedWarp Folder::fold(const WarpProgram &warp, const std::set<uint32_t> &listed,
			bool plain)
{
	FoldedWarp folded;
	size_t line = 0;

	nodes.clear();
	addresses.clear();
	for (const WarpOp &op : warp.program()) {
		bool memory = is_memory(op.op);
		bool with_address = memory && op.has_form && !plain &&
				    !listed.count(op.site);
		auto lines = warp.recorded_lines().begin() + line;

		nodes.push_back({{shapes.op(op, with_address), 0}, addresses.size()});
		if (with_address)
			addresses.push_back(op.address);
		else if (memory)
			folded.lines.insert(folded.lines.end(), lines,
					    lines + op.op.count);
		if (memory)
			line += op.op.count;
		if (!plain)
			fold_end();
	}
	for (const Node &node : nodes)
		folded.parts.push_back(node.part);
	folded.addresses = addresses;
	return folded;
}

/* Fold what the last op has completed, and what that completes. */
void Folder::fold_end()
{
	bool folded = true;

	while (folded) {
		size_t most = std::min(BODY_MAX, nodes.size() - 1);

		folded = false;
		for (size_t count = 1; !folded && count <= most; count++)
			folded = extend(count) || create(count);
	}
}

/* Whether the last nodes are one more trip of the loop before them. */
bool Folder::extend(size_t count)
{
	size_t loop = nodes.size() - 1 - count;
	Part &part = nodes[loop].part;

	if (!part.trips || shapes.parts_of(part.shape).size() != count ||
	    part.trips == UINT32_MAX)
		return false;

	const std::vector<Part> &parts = shapes.parts_of(part.shape);
	const std::vector<int64_t> &strides = shapes.strides_of(part.shape);
	size_t first = nodes[loop].first_address;
	size_t next = nodes[loop + 1].first_address;

	for (size_t i = count; i-- > 0;)
		if (!(nodes[loop + 1 + i].part == parts[i]))
			return false;
	for (size_t i = 0; i < strides.size(); i++)
		if (addresses[next + i] !=
		    addresses[first + i] + strides[i] * (int64_t)part.trips)
			return false;
	part.trips++;
	cut(loop + 1);
	return true;
}

/* Whether the last nodes are the last of as many trips as make a new loop. */
bool Folder::create(size_t count)
{
	if (nodes.size() < TRIPS_MIN * count)
		return false;

	size_t begin = nodes.size() - TRIPS_MIN * count;

	for (size_t trip = 1; trip < TRIPS_MIN; trip++)
		if (!are_same(begin, begin + trip * count, count))
			return false;

	size_t first = nodes[begin].first_address;
	size_t one_trip = nodes[begin + count].first_address - first;
	std::vector<int64_t> strides(one_trip);

	for (size_t i = 0; i < one_trip; i++) {
		strides[i] = addresses[first + one_trip + i] - addresses[first + i];
		for (size_t trip = 2; trip < TRIPS_MIN; trip++)
			if (addresses[first + trip * one_trip + i] !=
			    addresses[first + i] + strides[i] * (int64_t)trip)
				return false;
	}

	std::vector<Part> parts;
	uint32_t depth = 0;

	for (size_t i = begin; i < begin + count; i++) {
		parts.push_back(nodes[i].part);
		depth = std::max(depth, shapes.depth_of(nodes[i].part.shape));
	}
	if (depth == SIMGPU_TRACE_LOOP_DEPTH_MAX)
		return false;
	nodes[begin].part = {shapes.body(parts, strides), (uint32_t)TRIPS_MIN};
	addresses.resize(first + one_trip);
	nodes.resize(begin + 1);
	return true;
}

/* Compared from the end, where lists that are not the same differ soon. */
bool Folder::are_same(size_t first, size_t second, size_t count) const
{
	while (count-- > 0)
		if (!(nodes[first + count].part == nodes[second + count].part))
			return false;
	return true;
}

/* Keep so many nodes, and their addresses. */
void Folder::cut(size_t count)
{
	addresses.resize(nodes[count].first_address);
	nodes.resize(count);
}

} /* namespace record */
