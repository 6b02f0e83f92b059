// SPDX-License-Identifier: GPL-2.0
/*
 * Cuts a kernel's code into segments and numbers its values: see kernel_code.h.
 */
#include "kernel_code.h"

#include <algorithm>

#include <llvm/Analysis/PostDominators.h>

#include "joiner.h"

namespace record {

KernelCode::KernelCode(const llvm::Function *kernel, const WeightTable &table)
	: kernel(kernel), classifier(kernel, table)
{
	collect(kernel);
	for (const llvm::Function *function : functions)
		number(function);
	for (const llvm::Function *function : functions)
		cut(function);
	for (const llvm::Function *function : functions)
		find_reconvergence(function);
	for (const Segment &segment : segments)
		join_accesses(instructions, segment.first, segment.count);
}

uint32_t KernelCode::segment_at(const llvm::Instruction *ir) const
{
	auto found = starts.find(ir);

	return found == starts.end() ? NONE : found->second;
}

void KernelCode::collect(const llvm::Function *function)
{
	if (std::find(functions.begin(), functions.end(), function) !=
	    functions.end())
		return;
	functions.push_back(function);
	for (const llvm::BasicBlock &block : *function)
		for (const llvm::Instruction &ir : block)
			if (const llvm::Function *callee = own_callee(ir))
				collect(callee);
}

void KernelCode::number(const llvm::Function *function)
{
	for (const llvm::Argument &argument : function->args())
		value_numbers[&argument] = values++;
	for (const llvm::BasicBlock &block : *function) {
		block_numbers[&block] = blocks++;
		for (const llvm::Instruction &ir : block)
			value_numbers[&ir] = values++;
	}
	/* The function stands for the value that it returns. */
	value_numbers[function] = values++;
}

uint32_t KernelCode::value_number(const llvm::Value *value) const
{
	auto found = value_numbers.find(value);

	return found == value_numbers.end() ? NONE : found->second;
}

void KernelCode::cut(const llvm::Function *function)
{
	for (const llvm::BasicBlock &block : *function) {
		const llvm::Instruction *call = nullptr;
		bool open = false;

		for (const llvm::Instruction &ir : block) {
			if (!open)
				begin_segment(&ir, call);
			add_instruction(ir);
			segments.back().count++;
			call = own_callee(ir) ? &ir : nullptr;
			open = !call && !instructions.back().barrier;
			if (call)
				end_with_call(llvm::cast<llvm::CallInst>(ir));
		}
		end_block(function, block);
	}
}

void KernelCode::begin_segment(const llvm::Instruction *ir, const llvm::Instruction *call)
{
	Segment segment;

	starts[ir] = segments.size();
	segment.first = instructions.size();
	segment.block = block_numbers.at(ir->getParent());
	if (call) {
		segment.returned = value_number(own_callee(*call));
		segment.result = value_number(call);
	}
	segments.push_back(std::move(segment));
}

/* The next instruction of the block begins the next segment. */
void KernelCode::end_with_call(const llvm::CallInst &call)
{
	const llvm::Function *callee = callee_of(&call);
	Segment &segment = segments.back();

	segment.call_next = segments.size();
	for (const llvm::Argument &argument : callee->args()) {
		const llvm::Value *passed = call.getArgOperand(argument.getArgNo());

		if (value_number(passed) != NONE)
			segment.arguments.emplace_back(value_number(passed),
						       value_number(&argument));
	}
}

void KernelCode::end_block(const llvm::Function *function, const llvm::BasicBlock &block)
{
	const auto *ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());

	if (!ret || !ret->getReturnValue() || function == kernel)
		return;
	segments.back().return_from = value_number(ret->getReturnValue());
	segments.back().return_to = value_number(function);
}

void KernelCode::find_reconvergence(const llvm::Function *function)
{
	/* The tree only reads the function, but LLVM asks for it so. */
	llvm::PostDominatorTree tree(*const_cast<llvm::Function *>(function));

	for (const llvm::BasicBlock &block : *function) {
		const auto *node = tree.getNode(&block);
		const auto *parent = node ? node->getIDom() : nullptr;
		const llvm::BasicBlock *meeting =
			parent ? parent->getBlock() : nullptr;

		if (meeting)
			last_segment(block).reconverge =
				starts.at(&meeting->front());
	}
}

Segment &KernelCode::last_segment(const llvm::BasicBlock &block)
{
	uint32_t index = starts.at(&block.front());
	uint32_t number = block_numbers.at(&block);

	while (index + 1 < segments.size() &&
	       segments[index + 1].block == number)
		index++;
	return segments[index];
}

void KernelCode::add_instruction(const llvm::Instruction &ir)
{
	Instruction added = classifier.classify(ir);

	added.value = value_number(&ir);
	add_uses(ir, added);
	instructions.push_back(std::move(added));
}

void KernelCode::add_uses(const llvm::Instruction &ir, Instruction &added)
{
	const auto *phi = llvm::dyn_cast<llvm::PHINode>(&ir);

	if (own_callee(ir))
		return;
	for (unsigned int i = 0; i < ir.getNumOperands(); i++) {
		uint32_t number = value_number(ir.getOperand(i));

		if (number == NONE)
			continue;
		added.uses.push_back(number);
		if (phi)
			added.from.push_back(
				block_numbers.at(phi->getIncomingBlock(i)));
	}
}

} /* namespace record */
