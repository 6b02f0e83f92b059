// SPDX-License-Identifier: GPL-2.0
/*
 * How many GPU instructions one LLVM instruction counts for: the published table,
 * and how a row of it is found.
 * Not here: which row an instruction gets (classifier.h).
 */
#ifndef SIMGPU_RECORD_WEIGHTS_H
#define SIMGPU_RECORD_WEIGHTS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace record {

/**
 * struct Weight - a row of the published table
 * @name: in the trace's WEIGHTS section
 * @milli: thousandths of a GPU instruction, for each element of a vector
 * @mix: what these instructions are, in order: letters of units as in
 *	builder_mix(), each with the distance to the one that it waits for;
 *	one that is before the first, or 0, stands for the operands. "I1x3" is
 *	"I1 I1 I1". Empty for ops, and for what costs nothing
 * @covers: the OpenCL built-in functions that the row stands for; empty for
 *	LLVM opcodes, which are found by @name. A trailing '*' is a prefix
 * @why: the reason, in terms of NVIDIA's machine code (SASS)
 */
struct Weight {
	const char *name;
	uint32_t milli;
	const char *mix;
	const char *covers;
	const char *why;
};

/* A GPU instruction counts as so many. */
constexpr uint32_t MILLI = 1000;

extern const Weight weights[];
/* How many rows. */
extern const size_t WEIGHTS;

/**
 * struct RecipeStep - a GPU instruction of an LLVM instruction
 * @unit: &enum simgpu_trace_unit
 * @after: so many before it in the recipe is whose result it needs; those before the
 *	first are the operands, as is 0
 */
struct RecipeStep {
	uint8_t unit;
	uint16_t after;
};

/* Executed instructions for each row, over all work-items. */
typedef std::vector<uint64_t> Executed;

/* Finds rows of the table by opcode or by the name of a built-in function. */
class WeightTable {
public:
	WeightTable();
	uint32_t opcode(const std::string &name) const;
	uint32_t builtin(const std::string &name) const;

	/* Of one element; as many instructions as the row counts for. */
	const std::vector<RecipeStep> &recipe(uint32_t row) const
	{
		return recipes[row];
	}

private:
	static std::vector<RecipeStep> parse(const Weight &weight);
	void add_covered(uint32_t row);

	std::unordered_map<std::string, uint32_t> names;
	std::unordered_map<std::string, uint32_t> builtins;
	std::vector<std::pair<std::string, uint32_t>> prefixes;
	std::vector<std::vector<RecipeStep>> recipes;
};

} /* namespace record */

#endif
