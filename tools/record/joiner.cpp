// SPDX-License-Identifier: GPL-2.0
/*
 * Finds accesses that a GPU makes with one instruction: see joiner.h.
 */
#include "joiner.h"

#include <algorithm>
#include <map>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace record {

namespace {

/**
 * struct Reach - what a load or a store accesses, as far as the code says
 * @place: of the instruction, from the first one on
 * @base: its address is this,
 * @variable: and each of these values, times a number,
 * @offset: and this many bytes
 * @bytes: from there on
 * @touched: of these, by bit: elements of a vector that have no value are not
 *	stored
 * @align: that its address has
 * @vector_at: where the vector begins that it is part of, as @offset
 * @vector_bytes: of that vector; 0: there is none
 */
struct Reach {
	uint32_t place = 0;
	const llvm::Value *base = nullptr;
	std::map<const llvm::Value *, int64_t> variable;
	int64_t offset = 0;
	uint64_t bytes = 0;
	uint64_t touched = 0;
	uint64_t align = 1;
	int64_t vector_at = 0;
	uint64_t vector_bytes = 0;
};

} /* namespace */

static bool same_object(const Reach &a, const Reach &b)
{
	return a.base == b.base && a.variable == b.variable;
}

static uint64_t bits(uint64_t count)
{
	return count < 64 ? (1ULL << count) - 1 : ~0ULL;
}

/* The bytes of a stored value that are something. */
static uint64_t stored_bytes(const llvm::Value *value, uint64_t bytes,
			     const llvm::DataLayout &layout)
{
	const auto *constant = llvm::dyn_cast<llvm::Constant>(value);
	const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
	uint64_t touched = 0;

	if (!constant || !type)
		return bits(bytes);

	uint64_t element = layout.getTypeStoreSize(type->getElementType());

	for (unsigned int i = 0; i < type->getNumElements(); i++) {
		const llvm::Constant *part = constant->getAggregateElement(i);

		if (!part || !llvm::isa<llvm::UndefValue>(part))
			touched |= bits(element) << i * element;
	}
	return touched;
}

/* A vector begins at this offset, less what has been added to it so far. */
static void set_vector(const llvm::FixedVectorType *type, int64_t at,
		       const llvm::DataLayout &layout, Reach &reach)
{
	reach.vector_bytes = layout.getTypeAllocSize(
		const_cast<llvm::FixedVectorType *>(type));
	reach.vector_at = at;
}

/* If the last index of an address chooses an element of a vector: of which. */
static void find_vector(const llvm::GEPOperator &address,
			const llvm::DataLayout &layout, Reach &reach)
{
	const llvm::FixedVectorType *vector = nullptr;
	const llvm::ConstantInt *index = nullptr;
	const llvm::Type *inside = nullptr;

	for (auto step = llvm::gep_type_begin(address);
	     step != llvm::gep_type_end(address); ++step) {
		vector = llvm::dyn_cast_or_null<llvm::FixedVectorType>(inside);
		index = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand());
		inside = step.getIndexedType();
	}
	if (vector && index)
		set_vector(vector, reach.offset - index->getSExtValue() *
			   (int64_t)layout.getTypeAllocSize(
				   vector->getElementType()), layout, reach);
}

/* A pointer to a vector as one to its first element. */
static void find_cast_vector(const llvm::BitCastOperator &cast,
			     const llvm::DataLayout &layout, Reach &reach)
{
	const auto *pointer = llvm::dyn_cast<llvm::PointerType>(cast.getSrcTy());
	const auto *vector = pointer ? llvm::dyn_cast<llvm::FixedVectorType>(
		pointer->getNonOpaquePointerElementType()) : nullptr;

	if (vector && reach.variable.empty())
		set_vector(vector, 0, layout, reach);
}

/* One step from an address to what it is made of; nullptr: it is no sum. */
static const llvm::Value *follow_step(const llvm::GEPOperator &address,
				      const llvm::DataLayout &layout, Reach &reach)
{
	unsigned int width = layout.getIndexTypeSizeInBits(address.getType());
	llvm::MapVector<llvm::Value *, llvm::APInt> variable;
	llvm::APInt constant(width, 0);

	if (!address.collectOffset(layout, width, variable, constant))
		return nullptr;
	reach.offset += constant.getSExtValue();
	reach.vector_at += constant.getSExtValue();
	for (const auto &part : variable)
		reach.variable[part.first] += part.second.getSExtValue();
	if (!reach.vector_bytes)
		find_vector(address, layout, reach);
	return address.getPointerOperand();
}

/* Take an address apart. False: it is no sum of values and constants. */
static bool follow(const llvm::Value *pointer, const llvm::DataLayout &layout,
		   Reach &reach)
{
	while (pointer) {
		const auto *cast = llvm::dyn_cast<llvm::BitCastOperator>(pointer);
		const auto *address = llvm::dyn_cast<llvm::GEPOperator>(pointer);

		if (cast && !reach.vector_bytes)
			find_cast_vector(*cast, layout, reach);
		reach.base = pointer;
		if (cast)
			pointer = cast->getOperand(0);
		else if (address)
			pointer = follow_step(*address, layout, reach);
		else
			break;
	}
	return pointer;
}

/* False: nothing is known that would help. */
static bool find_reach(const llvm::Instruction &ir, uint32_t place, Reach &reach)
{
	const llvm::DataLayout &layout = ir.getModule()->getDataLayout();
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&ir);
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&ir);
	const llvm::Value *pointer = load ? load->getPointerOperand() :
					    store->getPointerOperand();
	const llvm::Type *type = load ? load->getType() :
					store->getValueOperand()->getType();

	reach.place = place;
	reach.bytes = layout.getTypeStoreSize(const_cast<llvm::Type *>(type));
	reach.align = load ? load->getAlign().value() : store->getAlign().value();
	if (reach.bytes > ACCESS_BYTES_MAX || !follow(pointer, layout, reach))
		return false;
	reach.touched = load ? bits(reach.bytes) :
			stored_bytes(store->getValueOperand(), reach.bytes, layout);
	/* OpenCL aligns vectors to their size. */
	if (reach.vector_bytes)
		reach.align = std::max(reach.align, (uint64_t)llvm::MinAlign(
			reach.vector_bytes, reach.offset - reach.vector_at));
	return true;
}

/* --- which belong together ---------------------------------------------------------- */

typedef std::vector<Reach> Reaches;

/* Where the aligned @bytes begin that an access lies in; false if not known. */
static bool find_window(const Reaches &reaches, const Reach &reach, int64_t bytes,
			int64_t &start)
{
	for (const Reach &other : reaches) {
		if (!same_object(other, reach) || other.align < (uint64_t)bytes)
			continue;

		int64_t away = (reach.offset - other.offset) % bytes;

		start = reach.offset - (away < 0 ? away + bytes : away);
		return reach.offset + (int64_t)reach.bytes <= start + bytes;
	}
	return false;
}

/*
 * Of those that lie in a window and are not joined yet, as many in their order as
 * touch different bytes: what a GPU does at once, if together they are all of the
 * window, or if the window is in a vector of the program's.
 */
static bool gather(const std::vector<Instruction> &instructions, uint32_t first,
		   const Reaches &reaches, const Reach &reach, int64_t start,
		   int64_t bytes, std::vector<const Reach *> &members)
{
	uint64_t touched = 0;
	bool vector = false;

	members.clear();
	for (const Reach &other : reaches) {
		int64_t at = other.offset - start;

		if (other.place < reach.place || !same_object(other, reach) ||
		    instructions[first + other.place].access_bytes ||
		    at < 0 || at + (int64_t)other.bytes > bytes)
			continue;
		if (touched & other.touched << at)
			break;
		touched |= other.touched << at;
		members.push_back(&other);
		vector |= other.vector_bytes && other.vector_at <= start &&
			  other.vector_at + (int64_t)other.vector_bytes >=
			  start + bytes;
	}
	return members.size() > 1 && (vector || touched == bits(bytes));
}

/* Loads are made where the first one stands, stores where the last one does. */
static void join(std::vector<Instruction> &instructions, uint32_t first,
		 int64_t start, int64_t bytes,
		 const std::vector<const Reach *> &members)
{
	bool store = llvm::isa<llvm::StoreInst>(
		instructions[first + members.front()->place].ir);

	for (const Reach *member : members) {
		Instruction &instruction = instructions[first + member->place];

		instruction.access_place = store ? members.back()->place :
						   members.front()->place;
		instruction.access_offset = member->offset - start;
		instruction.access_bytes = bytes;
	}
}

/* The widest accesses first. */
static void join_all(std::vector<Instruction> &instructions, uint32_t first,
		     Reaches &reaches)
{
	std::vector<const Reach *> members;
	int64_t start;

	for (int64_t bytes = ACCESS_BYTES_MAX; bytes > 1; bytes /= 2)
		for (const Reach &reach : reaches)
			if (!instructions[first + reach.place].access_bytes &&
			    find_window(reaches, reach, bytes, start) &&
			    gather(instructions, first, reaches, reach, start,
				   bytes, members))
				join(instructions, first, start, bytes, members);
	reaches.clear();
}

static bool is_simple(const llvm::Instruction &ir)
{
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&ir);
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&ir);

	return (load && load->isSimple()) || (store && store->isSimple());
}

/*
 * What lies between may be the same memory: a load passes other loads alone, a
 * store none but those to the same object.
 */
void join_accesses(std::vector<Instruction> &instructions, uint32_t first,
		   uint32_t count)
{
	Reaches loads, stores;

	for (uint32_t place = 0; place < count; place++) {
		const Instruction &instruction = instructions[first + place];
		Reach reach;

		if (!instruction.memory)
			continue;

		bool simple = is_simple(*instruction.ir);
		bool load = simple && llvm::isa<llvm::LoadInst>(instruction.ir);
		bool known = simple && find_reach(*instruction.ir, place, reach);
		bool goes_on = known && !load && !stores.empty() &&
			       same_object(stores.front(), reach);

		if (!goes_on)
			join_all(instructions, first, stores);
		if (!load)
			join_all(instructions, first, loads);
		if (known)
			(load ? loads : stores).push_back(reach);
	}
	join_all(instructions, first, stores);
	join_all(instructions, first, loads);
}

} /* namespace record */
