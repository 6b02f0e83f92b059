// SPDX-License-Identifier: GPL-2.0
/*
 * The static view of a kernel and of the functions that it calls: straight pieces
 * of code, where lanes that part meet again, and how values flow.
 * Not here: what an instruction costs (classifier.h), and any execution (warp.h).
 */
#ifndef SIMGPU_RECORD_KERNEL_CODE_H
#define SIMGPU_RECORD_KERNEL_CODE_H

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "classifier.h"
#include "weights.h"

namespace record {

/* In place of the number of a value, block or segment. */
constexpr uint32_t NONE = ~0U;

/**
 * struct Segment - instructions that a lane executes without a break: a basic
 *	block, cut after barriers and after calls of the program's own functions
 * @first: its first instruction, in KernelCode::instructions
 * @count: how many
 * @block: number of the basic block
 * @reconverge: where lanes that leave it for different segments meet again:
 *	the block's immediate post-dominator, or NONE
 * @call_next: for a segment that ends with a call, where the callee returns
 *	to; else NONE
 * @arguments: for the same, pairs of (value passed, callee's argument)
 * @returned: for a segment that follows a call, the callee's return value
 * @result: for the same, the value of the call; else NONE
 * @return_from: for a segment that ends a function, the value returned
 * @return_to: for the same, the number of the function's return value
 */
struct Segment {
	uint32_t first = 0;
	uint32_t count = 0;
	uint32_t block = 0;
	uint32_t reconverge = NONE;
	uint32_t call_next = NONE;
	std::vector<std::pair<uint32_t, uint32_t>> arguments;
	uint32_t returned = NONE;
	uint32_t result = NONE;
	uint32_t return_from = NONE;
	uint32_t return_to = NONE;
};

class KernelCode {
public:
	KernelCode(const llvm::Function *kernel, const WeightTable &table);

	/* The segment that begins with an instruction, or NONE. */
	uint32_t segment_at(const llvm::Instruction *ir) const;

	const Segment &segment(uint32_t index) const
	{
		return segments[index];
	}

	const Instruction &instruction(uint32_t index) const
	{
		return instructions[index];
	}

	uint32_t number_of(const Instruction &instruction) const
	{
		return &instruction - instructions.data();
	}

	uint32_t value_count() const
	{
		return values;
	}

	/* Whether the work-group's shape can be seen by the kernel. */
	bool knows_its_group() const
	{
		return classifier.knows_its_group();
	}

private:
	void collect(const llvm::Function *function);
	void number(const llvm::Function *function);
	uint32_t value_number(const llvm::Value *value) const;
	void cut(const llvm::Function *function);
	void begin_segment(const llvm::Instruction *ir, const llvm::Instruction *call);
	void end_with_call(const llvm::CallInst &call);
	void end_block(const llvm::Function *function, const llvm::BasicBlock &block);
	void find_reconvergence(const llvm::Function *function);
	Segment &last_segment(const llvm::BasicBlock &block);
	void add_instruction(const llvm::Instruction &ir);
	void add_uses(const llvm::Instruction &ir, Instruction &added);

	const llvm::Function *kernel;
	Classifier classifier;
	uint32_t values = 0;
	uint32_t blocks = 0;
	std::vector<const llvm::Function *> functions;
	std::vector<Instruction> instructions;
	std::vector<Segment> segments;
	std::unordered_map<const llvm::Value *, uint32_t> value_numbers;
	std::unordered_map<const llvm::BasicBlock *, uint32_t> block_numbers;
	std::unordered_map<const llvm::Instruction *, uint32_t> starts;
};

} /* namespace record */

#endif
