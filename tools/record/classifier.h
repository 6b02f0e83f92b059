// SPDX-License-Identifier: GPL-2.0
/*
 * What one LLVM instruction is to the recorder: its row in the table of weights,
 * what it costs, and whether it may access memory.
 * Not here: the instruction's place in the program (kernel_code.h), and what the
 * access that it makes costs (coalescer.h).
 */
#ifndef SIMGPU_RECORD_CLASSIFIER_H
#define SIMGPU_RECORD_CLASSIFIER_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "weights.h"

namespace record {

/* The widest access of a lane that a GPU makes with one instruction. */
constexpr uint32_t ACCESS_BYTES_MAX = 16;

/* Of an instruction that makes no access at all, or whose access another one makes. */
constexpr uint64_t ALL_LEFT_OUT = ~0ULL;

/**
 * struct Instruction - an LLVM instruction as the merger needs it
 * @ir: the instruction
 * @row: in the table of weights
 * @units: elements that it works on
 * @milli: compute instructions that it costs a warp, in thousandths
 * @recipe: what they are, for each of @units
 * @float_unit: the unit that does what the recipe has as single precision
 * @value: number of its result
 * @piece_bytes: the widest access that its alignment allows
 * @access_bytes: of the wider access that its own is a part of, or 0: see joiner.h
 * @access_offset: where in it
 * @access_place: of the instruction that makes that, in the segment
 * @left_out: its bytes that no access needs, by bit, or ALL_LEFT_OUT: see joiner.h
 * @carries: costs nothing, so that its result is its operands' registers
 * @barrier: a work-group barrier
 * @memory: may access memory that is not private
 * @constant: what it loads is __constant memory
 * @copies: a group copy: see GroupCopy
 * @pixels: reads or writes pixels, whose channels are one access
 * @is_op: its weight is that of the op that it becomes
 * @uses: numbers of the values that it reads
 * @from: for a phi, the block from which each of @uses comes
 */
struct Instruction {
	const llvm::Instruction *ir;
	uint32_t row;
	uint32_t units;
	uint32_t milli;
	const std::vector<RecipeStep> *recipe;
	uint8_t float_unit;
	uint32_t value;
	uint32_t piece_bytes;
	uint32_t access_bytes;
	uint32_t access_offset;
	uint32_t access_place;
	uint64_t left_out;
	bool carries;
	bool barrier;
	bool memory;
	bool constant;
	bool copies;
	bool pixels;
	bool is_op;
	std::vector<uint32_t> uses;
	std::vector<uint32_t> from;
};

/**
 * struct GroupCopy - async_work_group_copy() or its strided form
 * @count: how many elements
 * @stride: between them in global memory, or nullptr
 * @bytes: of an element
 */
struct GroupCopy {
	const llvm::Value *to;
	const llvm::Value *from;
	const llvm::Value *count;
	const llvm::Value *stride;
	size_t bytes;
	bool to_local;
};

GroupCopy group_copy_of(const llvm::CallInst &call);

/* Gives up if the call is through a pointer. */
const llvm::Function *callee_of(const llvm::CallInst *call);

/* The callee, if the program defines it; else nullptr. */
const llvm::Function *own_callee(const llvm::Instruction &ir);

class Classifier {
public:
	Classifier(const llvm::Function *kernel, const WeightTable &table);

	/* All of it but the numbers of values and blocks, which are KernelCode's. */
	Instruction classify(const llvm::Instruction &ir);

	/* Whether the work-group's shape can be seen by what was classified. */
	bool knows_its_group() const
	{
		return uses_group;
	}

private:
	void find_row(const llvm::Instruction &ir, Instruction &added);
	void classify_access(uint64_t align_bytes, const llvm::Value *pointer,
			     const char *verb, const llvm::Type *type,
			     Instruction &added);
	void classify_call(const llvm::CallInst &call, Instruction &added);
	void classify_group_copy(const llvm::CallInst &call, Instruction &added);
	void classify_call_access(const llvm::CallInst &call,
				  const std::string &name, Instruction &added);
	void classify_address(const llvm::GetElementPtrInst &address,
			      Instruction &added);
	void classify_arithmetic(const llvm::Instruction &ir, Instruction &added);

	/* The block, the base and the variable indices of an address. */
	typedef std::vector<const llvm::Value *> Address;

	const llvm::Function *kernel;
	const WeightTable &table;
	std::set<Address> addresses;
	bool uses_group = false;
};

} /* namespace record */

#endif
