// SPDX-License-Identifier: GPL-2.0
/*
 * How an access's first address depends on the thread block and the warp: an
 * affine function that is found from the addresses as they come, and that gives
 * every one of them back exactly.
 * Not here: which accesses share a function (kernel_table.h).
 */
#ifndef SIMGPU_RECORD_ADDRESS_MODEL_H
#define SIMGPU_RECORD_ADDRESS_MODEL_H

#include <array>
#include <cstdint>

#include <linux/simgpu_trace.h>

namespace record {

/* Which warp: x, y, z of its thread block, and its number there. */
enum { X, Y, Z, WARP, DIMENSIONS };
typedef std::array<uint32_t, DIMENSIONS> Point;

/* The smallest box with all the points that were put in. */
struct Bounds {
	Point low;
	Point high;

	static Bounds of(const Point &point)
	{
		return {point, point};
	}

	void widen(const Bounds &by);
	bool contains(const Bounds &other) const;
};

class AddressModel {
public:
	AddressModel(const Point &point, int64_t address)
		: origin(point), address(address) {}

	/* Another one with the strides of a proven one. */
	AddressModel(const Point &point, int64_t address, const AddressModel &like)
		: origin(point), address(address), strides(like.strides),
		  known(like.known) {}

	/* Whether it gives this address, with what is known. */
	bool gives(const Point &point, int64_t wanted) const
	{
		return !unknown(point) && at(point) == wanted;
	}

	/*
	 * Whether it gives this address if a stride that no address has shown
	 * yet is chosen for it; then it is. Multiples of the access. @hint: an
	 * access of the same instruction, or nullptr.
	 */
	bool learn(const Point &point, int64_t wanted, uint32_t access_bytes,
		   const AddressModel *hint);

	/* In how many dimensions it is away from where the model began. */
	int distance(const Point &point) const;

	/* The least and the greatest address within bounds. */
	void range(const Bounds &bounds, int64_t &low, int64_t &high) const;

	/* The address of a point, as far as strides are known. */
	int64_t at(const Point &point) const;

	int64_t stride(int dimension) const
	{
		return strides[dimension];
	}

	uint64_t uses = 0;
	bool inherited = false;

private:
	bool unknown(const Point &point) const;

	Point origin;
	int64_t address;
	std::array<int64_t, DIMENSIONS> strides = {};
	std::array<bool, DIMENSIONS> known = {};
};

} /* namespace record */

#endif
