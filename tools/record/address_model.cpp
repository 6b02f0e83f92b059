// SPDX-License-Identifier: GPL-2.0
/*
 * Finds affine functions: see address_model.h.
 */
#include "address_model.h"

#include <algorithm>

namespace record {

void Bounds::widen(const Bounds &by)
{
	for (int i = 0; i < DIMENSIONS; i++) {
		low[i] = std::min(low[i], by.low[i]);
		high[i] = std::max(high[i], by.high[i]);
	}
}

bool Bounds::contains(const Bounds &other) const
{
	for (int i = 0; i < DIMENSIONS; i++)
		if (other.low[i] < low[i] || other.high[i] > high[i])
			return false;
	return true;
}

/*
 * Thread blocks and warps come in order, so nearly always one stride is open at
 * a time. If several are, the slowest dimension gets all, the others none. A
 * stride that is open has had no part in any address so far.
 */
bool AddressModel::learn(const Point &point, int64_t wanted, uint32_t access_bytes)
{
	static const int slowest_first[] = {Z, Y, X, WARP};
	int64_t rest = wanted - at(point);

	for (int i : slowest_first) {
		int64_t way = (int64_t)point[i] - origin[i];

		if (known[i] || !way)
			continue;
		if (rest % (way * access_bytes))
			return false;

		int64_t stride = rest / way;

		if (std::abs(stride) > (int64_t)SIMGPU_TRACE_SPACE_BYTES)
			return false;
		strides[i] = stride;
		for (int j = 0; j < DIMENSIONS; j++)
			known[j] = known[j] || point[j] != origin[j];
		return true;
	}
	return !rest;
}

void AddressModel::range(const Bounds &bounds, int64_t &low, int64_t &high) const
{
	low = high = at(bounds.low);
	for (int i = 0; i < DIMENSIONS; i++) {
		int64_t way = strides[i] *
			      ((int64_t)bounds.high[i] - bounds.low[i]);

		(way < 0 ? low : high) += way;
	}
}

int64_t AddressModel::at(const Point &point) const
{
	int64_t sum = address;

	for (int i = 0; i < DIMENSIONS; i++)
		sum += strides[i] * ((int64_t)point[i] - origin[i]);
	return sum;
}

bool AddressModel::unknown(const Point &point) const
{
	for (int i = 0; i < DIMENSIONS; i++)
		if (!known[i] && point[i] != origin[i])
			return true;
	return false;
}

} /* namespace record */
