// SPDX-License-Identifier: GPL-2.0
/*
 * Teaches Oclgrind some intrinsics: see intrinsics.h.
 */
#include "intrinsics.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include <llvm/IR/Instructions.h>

#include <oclgrind/WorkItem.h>

namespace record {

typedef uint64_t (*IntegerFunction)(uint64_t a, uint64_t b, uint64_t c,
				    unsigned int bits);

struct Intrinsic {
	const char *prefix;
	IntegerFunction function;	/* NULL: does nothing */
};

static uint64_t low_bits(uint64_t value, unsigned int bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

static __int128 extend(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* The nearest value that a signed integer of so many bits has. */
static uint64_t clamp_signed(__int128 value, unsigned int bits)
{
	const __int128 most = ((__int128)1 << (bits - 1)) - 1;

	return (uint64_t)std::clamp(value, -most - 1, most);
}

static uint64_t clamp_unsigned(unsigned __int128 value, unsigned int bits)
{
	return (uint64_t)std::min<unsigned __int128>(value, low_bits(UINT64_MAX, bits));
}

const Intrinsic intrinsics[] = {
	{"llvm.assume", nullptr},
	{"llvm.experimental.noalias.scope.decl", nullptr},
	{"llvm.sideeffect", nullptr},
	{"llvm.donothing", nullptr},
	{"llvm.prefetch", nullptr},
	{"llvm.fshl.", [](uint64_t a, uint64_t b, uint64_t c, unsigned int bits) {
		c %= bits;
		return c ? a << c | b >> (bits - c) : a;
	}},
	{"llvm.fshr.", [](uint64_t a, uint64_t b, uint64_t c, unsigned int bits) {
		c %= bits;
		return c ? a << (bits - c) | b >> c : b;
	}},
	{"llvm.ctpop.", [](uint64_t a, uint64_t, uint64_t, unsigned int) -> uint64_t {
		return __builtin_popcountll(a);
	}},
	{"llvm.ctlz.", [](uint64_t a, uint64_t, uint64_t, unsigned int bits) -> uint64_t {
		return a ? __builtin_clzll(a) - (64 - bits) : bits;
	}},
	{"llvm.cttz.", [](uint64_t a, uint64_t, uint64_t, unsigned int bits) -> uint64_t {
		return a ? __builtin_ctzll(a) : bits;
	}},
	{"llvm.abs.", [](uint64_t a, uint64_t, uint64_t, unsigned int bits) {
		return a >> (bits - 1) ? -a : a;
	}},
	{"llvm.bitreverse.", [](uint64_t a, uint64_t, uint64_t, unsigned int bits) {
		uint64_t reversed = 0;

		for (unsigned int i = 0; i < bits; i++)
			reversed |= (a >> i & 1) << (bits - 1 - i);
		return reversed;
	}},
	{"llvm.sadd.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return clamp_signed(extend(a, bits) + extend(b, bits), bits);
	}},
	{"llvm.ssub.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return clamp_signed(extend(a, bits) - extend(b, bits), bits);
	}},
	{"llvm.sshl.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return clamp_signed(extend(a, bits) * ((__int128)1 << b), bits);
	}},
	{"llvm.ushl.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return clamp_unsigned((unsigned __int128)a << b, bits);
	}},
	{"llvm.usub.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int) {
		return a > b ? a - b : 0;
	}},
	{"llvm.uadd.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return low_bits(a + b, bits) < a ? UINT64_MAX : a + b;
	}},
};

typedef __int128 (*WideFunction)(__int128 a, __int128 b);

/* An operation whose result is a struct: the value, and whether it fits. */
struct Overflow {
	const char *prefix;
	WideFunction function;
	bool is_signed;
};

static __int128 sum(__int128 a, __int128 b)
{
	return a + b;
}

static __int128 difference(__int128 a, __int128 b)
{
	return a - b;
}

static __int128 product(__int128 a, __int128 b)
{
	return a * b;
}

const Overflow overflows[] = {
	{"llvm.sadd.with.overflow.", sum, true},
	{"llvm.uadd.with.overflow.", sum, false},
	{"llvm.ssub.with.overflow.", difference, true},
	{"llvm.usub.with.overflow.", difference, false},
	{"llvm.smul.with.overflow.", product, true},
	{"llvm.umul.with.overflow.", product, false},
};

static void run_overflow(oclgrind::WorkItem *item, const llvm::CallInst *call,
			 const std::string &, const std::string &,
			 oclgrind::TypedValue &result, void *data)
{
	const Overflow *overflow = static_cast<const Overflow *>(data);
	oclgrind::TypedValue a = item->getOperand(call->getArgOperand(0));
	oclgrind::TypedValue b = item->getOperand(call->getArgOperand(1));
	unsigned int bits = a.size * 8;
	__int128 wide = overflow->is_signed ?
		overflow->function(extend(a.getUInt(), bits), extend(b.getUInt(), bits)) :
		overflow->function(a.getUInt(), b.getUInt());
	uint64_t value = low_bits((uint64_t)wide, bits);
	bool fits = wide == (overflow->is_signed ? extend(value, bits) : (__int128)value);

	/* Little endian, as the device is; the flag lies behind the value. */
	memset(result.data, 0, result.size * result.num);
	memcpy(result.data, &value, a.size);
	result.data[a.size] = !fits;
}

static void run_intrinsic(oclgrind::WorkItem *item, const llvm::CallInst *call,
		   const std::string &, const std::string &,
		   oclgrind::TypedValue &result, void *data)
{
	const Intrinsic *intrinsic = static_cast<const Intrinsic *>(data);

	if (!intrinsic->function)
		return;
	for (unsigned int i = 0; i < result.num; i++) {
		uint64_t operands[3] = {};

		for (unsigned int j = 0; j < std::min(call->arg_size(), 3U); j++) {
			oclgrind::TypedValue operand =
				item->getOperand(call->getArgOperand(j));

			operands[j] = operand.getUInt(i < operand.num ? i : 0);
		}
		result.setUInt(intrinsic->function(operands[0], operands[1],
						   operands[2], result.size * 8), i);
	}
}

void teach_intrinsics()
{
	/* Appended, so that what Oclgrind knows by itself comes first. */
	for (const Intrinsic &intrinsic : intrinsics)
		oclgrind::workItemPrefixBuiltins.emplace_back(intrinsic.prefix,
			oclgrind::BuiltinFunction(run_intrinsic,
				const_cast<Intrinsic *>(&intrinsic)));
	for (const Overflow &overflow : overflows)
		oclgrind::workItemPrefixBuiltins.emplace_back(overflow.prefix,
			oclgrind::BuiltinFunction(run_overflow,
				const_cast<Overflow *>(&overflow)));
}

} /* namespace record */
