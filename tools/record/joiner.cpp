// SPDX-License-Identifier: GPL-2.0
/*
 * Finds accesses that a GPU makes with one instruction: see joiner.h.
 */
#include "joiner.h"

#include <algorithm>
#include <map>
#include <set>

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
 * @touched: of these, by bit: elements of a vector that have no value, or the one
 *	that is there already, are not stored
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

/* --- vectors of which some elements are stored --------------------------------------- */

/* The value that has element @index of a vector, and as which. */
struct Element {
	const llvm::Value *value;
	int index;	/* negative: it has no value */
};

static Element source_of(const llvm::Value *value, int index)
{
	while (index >= 0) {
		const auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
		const auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(value);
		const auto *place = insert ? llvm::dyn_cast<llvm::ConstantInt>(
			insert->getOperand(2)) : nullptr;

		if (shuffle) {
			int first = llvm::cast<llvm::FixedVectorType>(
				shuffle->getOperand(0)->getType())->getNumElements();

			index = shuffle->getMaskValue(index);
			value = shuffle->getOperand(index >= first);
			index -= index >= first ? first : 0;
		} else if (place && place->getZExtValue() != (uint64_t)index) {
			value = insert->getOperand(0);
		} else {
			break;
		}
	}
	return {value, index};
}

static bool is_simple(const llvm::Instruction &ir)
{
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(&ir);
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&ir);

	return (load && load->isSimple()) || (store && store->isSimple());
}

/* Whether a load and a store of a type in one block have the same address. */
static bool same_place(const llvm::LoadInst &load, const llvm::StoreInst &store)
{
	const llvm::DataLayout &layout = load.getModule()->getDataLayout();
	Reach from, to;

	return load.getParent() == store.getParent() && is_simple(load) &&
	       load.getType() == store.getValueOperand()->getType() &&
	       follow(load.getPointerOperand(), layout, from) &&
	       follow(store.getPointerOperand(), layout, to) &&
	       same_object(from, to) && from.offset == to.offset;
}

/* Whether what is stored as element @index is there already: loaded for the others. */
static bool is_kept(const llvm::StoreInst &store, int index)
{
	Element source = source_of(store.getValueOperand(), index);
	const auto *load = llvm::dyn_cast<llvm::LoadInst>(source.value);

	return load && source.index == index && same_place(*load, store);
}

static bool has_no_value(const Element &source)
{
	const auto *constant = llvm::dyn_cast<llvm::Constant>(source.value);
	const llvm::Constant *part = constant && source.index >= 0 ?
		constant->getAggregateElement(source.index) : nullptr;

	return source.index < 0 || (part && llvm::isa<llvm::UndefValue>(part));
}

/* The bytes that a store changes. */
static uint64_t stored_bytes(const llvm::StoreInst &store, uint64_t bytes,
			     const llvm::DataLayout &layout)
{
	const llvm::Value *value = store.getValueOperand();
	const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
	uint64_t touched = 0;

	if (!type)
		return bits(bytes);

	uint64_t element = layout.getTypeStoreSize(type->getElementType());

	for (unsigned int i = 0; i < type->getNumElements(); i++)
		if (!has_no_value(source_of(value, i)) && !is_kept(store, i))
			touched |= bits(element) << i * element;
	return touched;
}

/* Whether a user of a value, which has elements of a load, keeps them where they are. */
static bool keeps(const llvm::User &user, const llvm::Value &value,
		  const llvm::LoadInst &load)
{
	const auto *store = llvm::dyn_cast<llvm::StoreInst>(&user);
	const auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&user);
	const auto *place = extract ? llvm::dyn_cast<llvm::ConstantInt>(
		extract->getOperand(1)) : nullptr;
	unsigned int elements = llvm::cast<llvm::FixedVectorType>(
		value.getType())->getNumElements();

	if (place)
		return source_of(&value, place->getZExtValue()).value != &load;
	if (!store)
		return false;
	for (unsigned int i = 0; i < elements; i++)
		if (source_of(&value, i).value == &load && !is_kept(*store, i))
			return false;
	return true;
}

/* Whether a vector is loaded only so that it can be stored with other elements. */
static bool is_for_store(const llvm::LoadInst &load)
{
	std::set<const llvm::Value *> seen = {&load};
	std::vector<const llvm::Value *> open = {&load};

	if (!llvm::isa<llvm::FixedVectorType>(load.getType()))
		return false;
	while (!open.empty()) {
		const llvm::Value *value = open.back();

		open.pop_back();
		for (const llvm::User *user : value->users()) {
			if (llvm::isa<llvm::ShuffleVectorInst>(user) ||
			    llvm::isa<llvm::InsertElementInst>(user)) {
				if (seen.insert(user).second)
					open.push_back(user);
			} else if (!keeps(*user, *value, load)) {
				return false;
			}
		}
	}
	return true;
}

/* --- what an instruction reaches ---------------------------------------------------- */

/* Of a vector of the program's, whose bytes an access touches some of. */
constexpr uint64_t VECTOR_BYTES_MAX = 64;

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
	if (reach.bytes > (load ? ACCESS_BYTES_MAX : VECTOR_BYTES_MAX) ||
	    !follow(pointer, layout, reach))
		return false;
	reach.touched = load ? bits(reach.bytes) :
			stored_bytes(*store, reach.bytes, layout);
	/* OpenCL aligns vectors to their size. */
	if (reach.vector_bytes)
		reach.align = std::max(reach.align, (uint64_t)llvm::MinAlign(
			reach.vector_bytes, reach.offset - reach.vector_at));
	return true;
}

/* --- which belong together ---------------------------------------------------------- */

typedef std::vector<Reach> Reaches;

/* A value that was stored. */
struct WrittenValue {
	Reach reach;
	const llvm::Value *value;
};

typedef std::vector<WrittenValue> Written;

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

/* Whether it is decided which access the instruction is a part of. */
static bool is_settled(const Instruction &instruction)
{
	return instruction.access_bytes || instruction.left_out;
}

/*
 * Of those that lie in a window and are not joined yet, as many in their order as
 * touch different bytes: what a GPU does at once, if together they are all of the
 * window, or if the window is in a vector of the program's. Of stores, those too that
 * touch the same bytes: nobody sees the earlier one.
 */
static bool gather(const std::vector<Instruction> &instructions, uint32_t first,
		   const Reaches &reaches, const Reach &reach, int64_t start,
		   int64_t bytes, std::vector<const Reach *> &members)
{
	bool stores = llvm::isa<llvm::StoreInst>(instructions[first + reach.place].ir);
	uint64_t touched = 0;
	bool vector = false;

	members.clear();
	for (const Reach &other : reaches) {
		int64_t at = other.offset - start;

		if (other.place < reach.place || !same_object(other, reach) ||
		    is_settled(instructions[first + other.place]) ||
		    at < 0 || at + (int64_t)other.bytes > bytes)
			continue;
		if (!stores && touched & other.touched << at)
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

static bool overlap(const Reach &a, const Reach &b)
{
	return a.offset < b.offset + (int64_t)b.bytes &&
	       b.offset < a.offset + (int64_t)a.bytes;
}

/*
 * Stores that lie in a wider one than a GPU makes at once, before it or behind it, are
 * made with it; and of that only what is touched.
 */
static void join_wide(std::vector<Instruction> &instructions, uint32_t first,
		      Reaches &reaches)
{
	for (Reach &wide : reaches) {
		if (wide.bytes <= ACCESS_BYTES_MAX)
			continue;
		for (const Reach &other : reaches) {
			int64_t at = other.offset - wide.offset;

			if (!same_object(other, wide) || at < 0 ||
			    at + other.bytes > wide.bytes ||
			    (other.bytes == wide.bytes && other.place >= wide.place))
				continue;
			wide.touched |= other.touched << at;
			instructions[first + other.place].left_out = ALL_LEFT_OUT;
		}
		if (instructions[first + wide.place].left_out != ALL_LEFT_OUT)
			instructions[first + wide.place].left_out =
				bits(wide.bytes) & ~wide.touched;
	}
}

/* The widest accesses first. */
static void join_all(std::vector<Instruction> &instructions, uint32_t first,
		     Reaches &reaches)
{
	std::vector<const Reach *> members;
	int64_t start;

	join_wide(instructions, first, reaches);
	for (int64_t bytes = ACCESS_BYTES_MAX; bytes > 1; bytes /= 2)
		for (const Reach &reach : reaches)
			if (!is_settled(instructions[first + reach.place]) &&
			    find_window(reaches, reach, bytes, start) &&
			    gather(instructions, first, reaches, reach, start,
				   bytes, members))
				join(instructions, first, start, bytes, members);
	reaches.clear();
}

/*
 * Whether a store writes what a store before it has written, with nothing but loads and
 * stores to the same object between. If not, it is remembered.
 */
static bool is_repeated(const llvm::StoreInst &store, const Reach &reach,
			Written &written)
{
	if (!written.empty() && !same_object(written.front().reach, reach))
		written.clear();
	for (const WrittenValue &earlier : written)
		if (earlier.value == store.getValueOperand() &&
		    earlier.reach.offset == reach.offset)
			return true;
	written.erase(std::remove_if(written.begin(), written.end(),
		[&](const WrittenValue &earlier) {
			return overlap(earlier.reach, reach);
		}), written.end());
	written.push_back({reach, store.getValueOperand()});
	return false;
}

/*
 * What lies between may be the same memory: a load passes other loads alone, a
 * store none but those to the same object.
 */
void join_accesses(std::vector<Instruction> &instructions, uint32_t first,
		   uint32_t count)
{
	Reaches loads, stores;
	Written written;

	for (uint32_t place = 0; place < count; place++) {
		Instruction &instruction = instructions[first + place];
		Reach reach;

		if (!instruction.memory)
			continue;

		bool simple = is_simple(*instruction.ir);
		bool load = simple && llvm::isa<llvm::LoadInst>(instruction.ir);

		if (load && is_for_store(*llvm::cast<llvm::LoadInst>(instruction.ir))) {
			instruction.left_out = ALL_LEFT_OUT;
			continue;
		}

		bool known = simple && find_reach(*instruction.ir, place, reach);

		if (!load && !known)
			written.clear();
		if (!load && known &&
		    is_repeated(*llvm::cast<llvm::StoreInst>(instruction.ir), reach,
				written)) {
			instruction.left_out = ALL_LEFT_OUT;
			continue;
		}

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
