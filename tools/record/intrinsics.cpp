// SPDX-License-Identifier: GPL-2.0
/*
 * Teaches Oclgrind some intrinsics: see intrinsics.h.
 */
#include "intrinsics.h"

#include <algorithm>
#include <cstdint>
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

const Intrinsic intrinsics[] = {
	{"llvm.assume", nullptr},
	{"llvm.experimental.noalias.scope.decl", nullptr},
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
	{"llvm.usub.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int) {
		return a > b ? a - b : 0;
	}},
	{"llvm.uadd.sat.", [](uint64_t a, uint64_t b, uint64_t, unsigned int bits) {
		return low_bits(a + b, bits) < a ? UINT64_MAX : a + b;
	}},
};

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
}

} /* namespace record */
