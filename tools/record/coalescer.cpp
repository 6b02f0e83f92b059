// SPDX-License-Identifier: GPL-2.0
/*
 * Counts lines and bank conflicts: see coalescer.h.
 */
#include "coalescer.h"

#include <algorithm>
#include <array>

#include <linux/simgpu_trace.h>

#include "lanes.h"

namespace record {

constexpr uint32_t SECTORS = 4;
constexpr uint32_t SECTOR_BYTES = 32;
constexpr uint32_t SHARED_BANKS = 32;
constexpr uint32_t BANK_BYTES = 4;

void Coalescer::add(const Access &access)
{
	uint64_t address = access.address;
	uint64_t end = address + access.bytes;

	addresses.push_back(address);
	lane_bytes = access.bytes;
	while (address < end) {
		uint64_t line = address / SIMGPU_TRACE_LINE_BYTES;
		uint64_t stop = std::min(end, (line + 1) *
					      SIMGPU_TRACE_LINE_BYTES);

		touch(line, address % SIMGPU_TRACE_LINE_BYTES, stop - address,
		      access.kind == AccessKind::ATOMIC);
		address = stop;
	}
}

void Coalescer::append_to(std::vector<uint32_t> &list, bool is_store) const
{
	for (const Line &line : lines) {
		uint32_t entry = line.index;

		for (uint32_t sector = 0; sector < SECTORS; sector++) {
			uint32_t bytes = line.touched[sector / 2] >>
					 sector % 2 * SECTOR_BYTES;

			if (!bytes)
				entry |= 1U << (SIMGPU_TRACE_LINE_SKIP_SHIFT +
						sector);
			else if (is_store && bytes != UINT32_MAX)
				entry |= SIMGPU_TRACE_LINE_PARTIAL;
		}
		list.push_back(entry);
	}
}

bool Coalescer::find_form(bool is_store, LaneForm &form) const
{
	size_t lanes = addresses.size();
	size_t group = 2;

	form = {lane_bytes, 0, lane_bytes, 0};
	if ((lane_bytes & (lane_bytes - 1)) || lines.size() > WARP_LANES)
		return false;
	if (lanes > 1)
		form.lane_stride = addresses[1] - addresses[0];
	while (group < lanes && (int64_t)(addresses[group] - addresses[group - 1]) ==
				form.lane_stride)
		group++;
	if (group < lanes) {
		form.group_lanes = group;
		form.group_stride = addresses[group] - addresses[0];
	}
	return has_form(form) && !(is_store && overlaps());
}

bool Coalescer::has_form(const LaneForm &form) const
{
	size_t group = form.group_lanes ? form.group_lanes : WARP_LANES;

	for (size_t lane = 0; lane < addresses.size(); lane++)
		if (addresses[lane] % form.access_bytes ||
		    addresses[lane] != addresses[0] +
			    lane % group * form.lane_stride +
			    lane / group * form.group_stride)
			return false;
	return true;
}

/* The device takes the bytes of lanes that write the same ones as different. */
bool Coalescer::overlaps() const
{
	uint32_t bytes = 0;

	for (const Line &line : lines)
		bytes += __builtin_popcountll(line.touched[0]) +
			 __builtin_popcountll(line.touched[1]);
	return bytes != addresses.size() * lane_bytes;
}

bool Coalescer::goes_with(const Line &line, uint32_t first_byte,
			  const uint64_t mask[2])
{
	uint32_t sector = first_byte / SECTOR_BYTES;
	uint64_t same = (uint64_t)UINT32_MAX << sector % 2 * SECTOR_BYTES;

	return (line.touched[sector / 2] & same) &&
	       !(line.touched[0] & mask[0]) && !(line.touched[1] & mask[1]);
}

void Coalescer::touch(uint32_t index, uint32_t first_byte, uint32_t bytes,
		      bool is_atomic)
{
	uint64_t mask[2] = {};

	for (uint32_t byte = first_byte; byte < first_byte + bytes; byte++)
		mask[byte / 64] |= 1ULL << (byte % 64);

	/* Of an atomic the first request for its sector that leaves the bytes alone. */
	auto found = std::find_if(lines.begin(), lines.end(),
		[&](const Line &line) {
			return line.index == index &&
			       (!is_atomic || goes_with(line, first_byte, mask));
		});

	if (found == lines.end())
		found = lines.insert(found, {index, {0, 0}});
	found->touched[0] |= mask[0];
	found->touched[1] |= mask[1];
}

void BankConflicts::add(const Access &access)
{
	uint64_t last = (access.address + access.bytes - 1) / BANK_BYTES;

	for (uint64_t word = access.address / BANK_BYTES; word <= last; word++)
		words.push_back(word);
}

uint32_t BankConflicts::cycles(bool is_atomic)
{
	std::array<uint32_t, SHARED_BANKS> wanted = {};

	std::sort(words.begin(), words.end());
	if (!is_atomic)
		words.erase(std::unique(words.begin(), words.end()),
			    words.end());
	for (uint64_t word : words)
		wanted[word % SHARED_BANKS]++;
	return *std::max_element(wanted.begin(), wanted.end());
}

} /* namespace record */
