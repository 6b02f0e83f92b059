// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the row of the weights for each LLVM instruction: see classifier.h.
 */
#include "classifier.h"

#include <algorithm>
#include <cstdlib>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <oclgrind/Memory.h>

#include <linux/simgpu_trace.h>

#include "give_up.h"

namespace record {

const llvm::Function *callee_of(const llvm::CallInst *call)
{
	const llvm::Value *called = call->getCalledOperand()->stripPointerCasts();
	const auto *function = llvm::dyn_cast<llvm::Function>(called);

	if (!function)
		give_up("a call through a pointer cannot be recorded");
	return function;
}

const llvm::Function *own_callee(const llvm::Instruction &ir)
{
	const auto *call = llvm::dyn_cast<llvm::CallInst>(&ir);
	const llvm::Function *callee = call ? callee_of(call) : nullptr;

	return callee && !callee->isDeclaration() ? callee : nullptr;
}

/* OpenCL's name of a built-in: "_Z13get_global_idj" is get_global_id. */
static std::string builtin_name(const llvm::Function *function)
{
	std::string name = function->getName().str();
	size_t digits = name.find_first_not_of("0123456789", 2);

	if (name.compare(0, 2, "_Z") || digits == std::string::npos)
		return name;
	return name.substr(digits, strtoul(name.c_str() + 2, nullptr, 10));
}

static bool is_private(const llvm::Value *pointer)
{
	return pointer->getType()->getPointerAddressSpace() ==
	       oclgrind::AddrSpacePrivate;
}

/* Oclgrind keeps it in global memory; only pointers tell. */
static bool is_constant(const llvm::Value *pointer)
{
	return pointer->getType()->getPointerAddressSpace() ==
	       oclgrind::AddrSpaceConstant;
}

static uint32_t elements(const llvm::Type *type)
{
	const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);

	return vector ? vector->getNumElements() : 1;
}

/*
 * A mask of the low half, or a shift by 32: what LLVM makes of
 * `int i = get_global_id(0)` where i is extended again for an address.
 */
static bool is_extension(const llvm::Instruction &ir)
{
	const auto *constant = ir.getNumOperands() == 2
		? llvm::dyn_cast<llvm::ConstantInt>(ir.getOperand(1)) : nullptr;

	if (!constant || constant->getBitWidth() != 64)
		return false;
	return ir.getOpcode() == llvm::Instruction::And
	       ? constant->getZExtValue() == UINT32_MAX
	       : ir.isShift() && constant->getZExtValue() == 32;
}

/* Rows of the weights stand for doubles too, and some built-ins for integers. */
static uint8_t float_unit_of(const llvm::Instruction &ir)
{
	const auto *call = llvm::dyn_cast<llvm::CallInst>(&ir);
	bool has_operand = call ? call->arg_size() : ir.getNumOperands();
	const llvm::Type *type = has_operand ? ir.getOperand(0)->getType()
					     : ir.getType();

	type = type->getScalarType();
	return type->isDoubleTy() ? SIMGPU_TRACE_UNIT_FP64 :
	       type->isIntegerTy() ? SIMGPU_TRACE_UNIT_INTEGER :
				     SIMGPU_TRACE_UNIT_FP32;
}

Classifier::Classifier(const llvm::Function *kernel, const WeightTable &table)
	: kernel(kernel), table(table)
{
}

Instruction Classifier::classify(const llvm::Instruction &ir)
{
	Instruction added = {};

	added.ir = &ir;
	added.units = 1;
	added.piece_bytes = ACCESS_BYTES_MAX;
	find_row(ir, added);
	added.is_op = added.barrier ||
		      (added.memory && !llvm::isa<llvm::CallInst>(ir));
	added.recipe = &table.recipe(added.row);
	added.float_unit = float_unit_of(ir);
	added.milli = added.is_op ? 0 : weights[added.row].milli * added.units;
	added.carries = !added.milli && !added.memory && !added.barrier;
	return added;
}

void Classifier::find_row(const llvm::Instruction &ir, Instruction &added)
{
	switch (ir.getOpcode()) {
	case llvm::Instruction::Load:
		classify_access(llvm::cast<llvm::LoadInst>(ir).getAlign().value(),
				ir.getOperand(0), "load", ir.getType(), added);
		break;
	case llvm::Instruction::Store:
		classify_access(llvm::cast<llvm::StoreInst>(ir).getAlign().value(),
				ir.getOperand(1), "store",
				ir.getOperand(0)->getType(), added);
		break;
	case llvm::Instruction::Call:
		classify_call(llvm::cast<llvm::CallInst>(ir), added);
		break;
	case llvm::Instruction::GetElementPtr:
		classify_address(llvm::cast<llvm::GetElementPtrInst>(ir), added);
		break;
	case llvm::Instruction::Br:
		added.row = table.opcode(
			llvm::cast<llvm::BranchInst>(ir).isConditional()
			? "br" : "br.always");
		break;
	case llvm::Instruction::Ret:
		added.row = table.opcode(ir.getFunction() == kernel
					 ? "ret" : "ret.function");
		break;
	default:
		classify_arithmetic(ir, added);
	}
}

void Classifier::classify_access(uint64_t align_bytes, const llvm::Value *pointer,
				 const char *verb, const llvm::Type *type,
				 Instruction &added)
{
	bool local = pointer->getType()->getPointerAddressSpace() ==
		     oclgrind::AddrSpaceLocal;
	const char *space = is_private(pointer) ? ".private" :
			    is_constant(pointer) ? ".constant" :
			    local ? ".local" : ".global";

	added.row = table.opcode(std::string(verb) + space);
	added.memory = !is_private(pointer);
	added.constant = is_constant(pointer);
	added.piece_bytes = std::min<uint64_t>(align_bytes, ACCESS_BYTES_MAX);
	if (!added.memory)
		added.units = elements(type);
}

void Classifier::classify_call(const llvm::CallInst &call, Instruction &added)
{
	const llvm::Function *callee = callee_of(&call);
	std::string name = builtin_name(callee);

	if (!callee->isDeclaration()) {
		added.row = table.opcode("call");
		return;
	}
	if (name == "get_local_id" || name == "get_local_size" ||
	    name == "get_group_id" || name == "get_num_groups" ||
	    name == "get_local_linear_id" ||
	    name == "get_enqueued_local_size")
		uses_group = true;

	added.row = table.builtin(name);
	added.barrier = added.row == table.opcode("barrier") ||
			name == "wait_group_events";
	if (added.barrier) {
		uses_group = true;
		return;
	}
	added.units = elements(call.getType());
	if (call.arg_size())
		added.units = std::max(added.units, elements(
				call.getArgOperand(0)->getType()));
	if (name.find("async_work_group_") == 0)
		classify_group_copy(call, added);
	else
		classify_call_access(call, name, added);
}

GroupCopy group_copy_of(const llvm::CallInst &call)
{
	const llvm::Type *element =
		call.getArgOperand(0)->getType()->getPointerElementType();

	return {
		call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2),
		call.arg_size() > 4 ? call.getArgOperand(3) : nullptr,
		oclgrind::getTypeSize(element),
		call.getArgOperand(0)->getType()->getPointerAddressSpace() ==
			oclgrind::AddrSpaceLocal,
	};
}

void Classifier::classify_group_copy(const llvm::CallInst &call, Instruction &added)
{
	uses_group = true;
	added.memory = true;
	added.copies = true;
	added.units = 1;
	added.piece_bytes = std::min<size_t>(group_copy_of(call).bytes,
					     ACCESS_BYTES_MAX);
}

/*
 * Whether a built-in accesses what an argument points to. A sampler is a pointer to
 * something opaque, in the constants' address space, that nobody reads; printf's format
 * and strings are text for the host.
 */
static bool is_accessed(const std::string &builtin, const llvm::Value *argument)
{
	const auto *pointer = llvm::dyn_cast<llvm::PointerType>(argument->getType());

	if (!pointer || builtin == "printf" || builtin.find("llvm.lifetime.") == 0)
		return false;

	const auto *pointee = llvm::dyn_cast<llvm::StructType>(
		pointer->getPointerElementType());

	return !pointee || !pointee->isOpaque() || pointee->getName().contains("image");
}

/*
 * How wide an access vload*() and vstore*() make: their vectors are only aligned as their
 * elements are, but for vloada_half*() and vstorea_half*().
 */
static uint32_t vector_access_bytes(const std::string &name, const llvm::Type *element)
{
	size_t half = name.find("a_half");
	unsigned int elements = half == std::string::npos ? 1 :
				strtoul(name.c_str() + half + 6, nullptr, 10);

	/* A vector of three has the alignment of four; no number is one. */
	elements = elements == 3 ? 4 : std::max(elements, 1U);
	return std::min<uint64_t>(elements * oclgrind::getTypeSize(element),
				  ACCESS_BYTES_MAX);
}

/* Built-ins access the memory that their pointers lead to, unless it is private. */
void Classifier::classify_call_access(const llvm::CallInst &call,
				      const std::string &name, Instruction &added)
{
	bool vector = !name.compare(0, 5, "vload") ||
		      !name.compare(0, 6, "vstore");

	added.pixels = !name.compare(0, 10, "read_image") ||
		       !name.compare(0, 11, "write_image");

	for (const llvm::Use &use : call.args()) {
		if (!is_accessed(name, use.get()))
			continue;
		if (!is_private(use.get()))
			added.memory = true;
		if (is_constant(use.get()))
			added.constant = true;
		if (vector)
			added.piece_bytes = vector_access_bytes(name,
				use->getType()->getPointerElementType());
		/* The narrower of a copy's two sides. */
		if (llvm::isa<llvm::MemIntrinsic>(&call))
			added.piece_bytes = std::min<uint64_t>(
				added.piece_bytes, call.getParamAlign(
				use.getOperandNo()).valueOrOne().value());
	}
	if (vector && !added.memory)
		added.row = table.opcode("load.private");
	if (added.memory)
		added.units = 1;
}

/*
 * Addresses of a block that differ only in constant indices share one
 * register, and have their differences as immediate offsets.
 */
void Classifier::classify_address(const llvm::GetElementPtrInst &address,
				  Instruction &added)
{
	Address key = {address.getParent(), address.getPointerOperand()};
	uint32_t variable = 0;

	for (const llvm::Use &index : address.indices()) {
		bool constant = llvm::isa<llvm::Constant>(index.get());

		key.push_back(constant ? nullptr : index.get());
		variable += !constant;
	}
	if (variable && !addresses.insert(key).second)
		variable = 0;
	added.row = table.opcode(variable ? "getelementptr"
					  : "getelementptr.const");
	added.units = std::max(variable, 1U);
}

void Classifier::classify_arithmetic(const llvm::Instruction &ir, Instruction &added)
{
	/* A comparison yields bits, but works on its operands. */
	const llvm::Type *type = ir.getType();
	std::string name = ir.getOpcodeName();

	if (llvm::isa<llvm::CmpInst>(ir))
		type = ir.getOperand(0)->getType();
	added.units = elements(type);

	const llvm::Type *scalar = type->getScalarType();
	bool wide_integer = scalar->isPointerTy() ||
			    (scalar->isIntegerTy() &&
			     scalar->getIntegerBitWidth() > 32);

	switch (ir.getOpcode()) {
	case llvm::Instruction::UDiv:
	case llvm::Instruction::URem:
	case llvm::Instruction::SDiv:
	case llvm::Instruction::SRem:
		if (llvm::isa<llvm::Constant>(ir.getOperand(1)))
			name = "div.const";
		else if (wide_integer)
			name = "div.i64";
		break;
	case llvm::Instruction::FDiv:
		if (scalar->isDoubleTy())
			name = "fdiv.f64";
		break;
	case llvm::Instruction::Select:
		if (wide_integer || scalar->isDoubleTy())
			name = "select.i64";
		break;
	case llvm::Instruction::Add:
	case llvm::Instruction::Sub:
	case llvm::Instruction::Mul:
	case llvm::Instruction::And:
	case llvm::Instruction::Or:
	case llvm::Instruction::Xor:
	case llvm::Instruction::Shl:
	case llvm::Instruction::LShr:
	case llvm::Instruction::AShr:
	case llvm::Instruction::ICmp:
		if (is_extension(ir))
			name = "sext";
		else if (wide_integer)
			name += ".i64";
		break;
	}
	added.row = table.opcode(name);
}

} /* namespace record */
