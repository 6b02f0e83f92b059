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
 * One stride can be found from one address. Of several that are open, all but
 * the last are taken from a hint. A stride that is open has had no part in any
 * address so far.
 */
bool AddressModel::learn(const Point &point, int64_t wanted, uint32_t access_bytes,
			 const AddressModel *hint)
{
	AddressModel learned = *this;
	int open = -1;

	for (int i = 0; i < DIMENSIONS; i++) {
		if (known[i] || point[i] == origin[i])
			continue;
		learned.known[i] = true;
		if (hint && hint->known[i])
			learned.strides[i] = hint->strides[i];
		else if (open < 0)
			open = i;
		else
			return false;
	}

	int64_t rest = wanted - learned.at(point);

	if (open >= 0) {
		int64_t way = (int64_t)point[open] - origin[open];

		if (rest % (way * access_bytes))
			return false;
		learned.strides[open] = rest / way;
		rest = 0;
	}
	if (rest || (open >= 0 && std::abs(learned.strides[open]) >
				  (int64_t)SIMGPU_TRACE_SPACE_BYTES))
		return false;
	*this = learned;
	return true;
}

int AddressModel::distance(const Point &point) const
{
	int count = 0;

	for (int i = 0; i < DIMENSIONS; i++)
		count += point[i] != origin[i];
	return count;
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
