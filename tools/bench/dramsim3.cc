// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a stream of requests (docs/dram.md) to DRAMsim3 as fast as it takes them, and
 * prints how many there were, its memory clocks, and the nanoseconds of the host. A part
 * of tools/bench/dram, which builds it with DRAMsim3's sources.
 */
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "memory_system.h"

struct Request {
	uint64_t address;
	bool write;
};

/* By the mapping rorabgbachco of one channel with 16 banks and rows of 16 lines. */
static uint64_t address_of(uint64_t bank, uint64_t row, uint64_t column)
{
	return (row << 8 | bank << 4 | column) << 7;
}

static std::vector<Request> read_stream(const char *path)
{
	std::ifstream file(path);
	std::vector<Request> requests;
	uint64_t write, bank, row, column;

	while (file >> write >> bank >> row >> column)
		requests.push_back({ address_of(bank, row, column), write != 0 });
	return requests;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: dramsim3 CONFIG OUTPUT-FOLDER STREAM\n");
		return 2;
	}
	const std::vector<Request> requests = read_stream(argv[3]);
	uint64_t done = 0, clocks = 0;
	size_t next = 0;
	auto count = [&done](uint64_t) { done++; };
	std::unique_ptr<dramsim3::MemorySystem> memory(
		dramsim3::GetMemorySystem(argv[1], argv[2], count, count));
	auto begin = std::chrono::steady_clock::now();

	for (; done < requests.size(); clocks++) {
		memory->ClockTick();
		while (next < requests.size() &&
		       memory->WillAcceptTransaction(requests[next].address,
						     requests[next].write)) {
			memory->AddTransaction(requests[next].address,
					       requests[next].write);
			next++;
		}
	}
	auto took = std::chrono::steady_clock::now() - begin;
	printf("%zu %llu %lld\n", requests.size(), (unsigned long long)clocks,
	       (long long)std::chrono::nanoseconds(took).count());
	/* Its statistics have the activates. */
	memory->PrintStats();
	return 0;
}
