// SPDX-License-Identifier: GPL-2.0
/*
 * Many lists in one array, each different list kept once.
 * Not here: what the lists are (trace_writer.h).
 */
#ifndef SIMGPU_RECORD_INTERNER_H
#define SIMGPU_RECORD_INTERNER_H

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace record {

template <typename Element>
class Interner {
public:
	struct List {
		uint32_t first;
		uint32_t count;
	};

	/* Number of the list. */
	uint32_t intern(const std::vector<Element> &list)
	{
		uint64_t hash = hash_of(list);
		uint32_t number = find(list, hash);

		if (number < lists.size())
			return number;
		by_hash.emplace(hash, lists.size());
		lists.push_back({(uint32_t)elements.size(), (uint32_t)list.size()});
		elements.insert(elements.end(), list.begin(), list.end());
		return lists.size() - 1;
	}

	bool knows(const std::vector<Element> &list) const
	{
		return find(list, hash_of(list)) < lists.size();
	}

	/* The elements of a list. */
	std::vector<Element> elements_of(uint32_t number) const
	{
		auto first = elements.begin() + lists[number].first;

		return {first, first + lists[number].count};
	}

	uint32_t count() const
	{
		return lists.size();
	}

	const List &list(uint32_t number) const
	{
		return lists[number];
	}

	const std::vector<Element> &all() const
	{
		return elements;
	}

private:
	static uint64_t hash_of(const std::vector<Element> &list)
	{
		const auto *word = reinterpret_cast<const uint32_t *>(list.data());
		size_t words = list.size() * sizeof(Element) / sizeof(uint32_t);
		uint64_t hash = list.size();

		while (words--) {
			hash = (hash ^ *word++) * 0x9e3779b97f4a7c15ULL;
			hash ^= hash >> 29;
		}
		return hash;
	}

	/* Past the end: none is the same. */
	uint32_t find(const std::vector<Element> &list, uint64_t hash) const
	{
		auto range = by_hash.equal_range(hash);

		for (auto entry = range.first; entry != range.second; ++entry)
			if (is_same(lists[entry->second], list))
				return entry->second;
		return lists.size();
	}

	bool is_same(const List &known, const std::vector<Element> &list) const
	{
		return known.count == list.size() &&
		       (list.empty() ||
			!memcmp(&elements[known.first], list.data(),
				list.size() * sizeof(Element)));
	}

	std::vector<Element> elements;
	std::vector<List> lists;
	std::unordered_multimap<uint64_t, uint32_t> by_hash;
};

} /* namespace record */

#endif
