// SPDX-License-Identifier: GPL-2.0
/*
 * The published table of weights, and the search in it: see weights.h.
 */
#include "weights.h"

#include <cstdlib>
#include <iterator>
#include <sstream>

#include "give_up.h"

namespace record {

/* docs/recorder-internals.md prints this table; tests/unit/recorder.sh compares them. */
const Weight weights[] = {
	/* Memory: these become ops of their own. */
	{"load.global", 1000, "", "", "the LOAD op itself, one for each 16 bytes of a lane"},
	{"store.global", 1000, "", "", "the STORE op itself, one for each 16 bytes of a lane"},
	{"atomic.global", 1000, "", "", "the ATOMIC op itself"},
	{"load.constant", 1000, "", "", "the CONSTANT op itself, as for global memory"},
	{"load.local", 1000, "", "", "the instruction on shared memory itself, one for each 16 bytes of a lane"},
	{"store.local", 1000, "", "", "the instruction on shared memory itself, one for each 16 bytes of a lane"},
	{"atomic.local", 1000, "", "", "the instruction on shared memory itself"},
	{"barrier", 1000, "", "barrier work_group_barrier", "the BARRIER op itself"},
	{"load.private", 1000, "I", "", "an array that is not in registers; taken to hit always"},
	{"store.private", 1000, "I", "", "an array that is not in registers; taken to hit always"},

	/* Integers. 64-bit values are pairs of 32-bit registers. */
	{"add", 1000, "I", "", "IADD3"},
	{"add.i64", 2000, "I I1", "", "IADD3 and IADD3.X"},
	{"sub", 1000, "I", "", "IADD3"},
	{"sub.i64", 2000, "I I1", "", "IADD3 and IADD3.X"},
	{"mul", 1000, "I", "", "IMAD"},
	{"mul.i64", 4000, "I I I1x2", "", "IMAD.WIDE and three for the cross products"},
	{"and", 1000, "I", "", "LOP3"},
	{"and.i64", 2000, "I I", "", "LOP3 on each half"},
	{"or", 1000, "I", "", "LOP3"},
	{"or.i64", 2000, "I I", "", "LOP3 on each half"},
	{"xor", 1000, "I", "", "LOP3"},
	{"xor.i64", 2000, "I I", "", "LOP3 on each half"},
	{"shl", 1000, "I", "", "SHF"},
	{"shl.i64", 2000, "I I", "", "SHF on each half"},
	{"lshr", 1000, "I", "", "SHF"},
	{"lshr.i64", 2000, "I I", "", "SHF on each half"},
	{"ashr", 1000, "I", "", "SHF"},
	{"ashr.i64", 2000, "I I", "", "SHF on each half"},
	{"icmp", 1000, "I", "", "ISETP"},
	{"icmp.i64", 2000, "I I1", "", "ISETP and ISETP.EX"},
	{"select", 1000, "I", "", "SEL or FSEL"},
	{"select.i64", 2000, "I I", "", "SEL on each half"},
	{"udiv", 20000, "S S1x2 I1x17", "", "no divider: reciprocal, products, two corrections"},
	{"urem", 20000, "S S1x2 I1x17", "", "as udiv, with a last product"},
	{"sdiv", 24000, "I I1 S1x3 I1x19", "", "as udiv, with signs"},
	{"srem", 24000, "I I1 S1x3 I1x19", "", "as sdiv"},
	{"div.const", 4000, "I I1x3", "", "division by a constant: high product, shift, correction"},
	{"div.i64", 70000, "S S1x2 I1 I2x66", "", "64-bit division is a subroutine"},

	/* Floating point; of doubles the same on the unit for doubles. */
	{"fadd", 1000, "F", "", "FADD"},
	{"fsub", 1000, "F", "", "FADD with a negated operand"},
	{"fmul", 1000, "F", "", "FMUL"},
	{"fneg", 0, "", "", "an operand modifier"},
	{"fcmp", 1000, "F", "", "FSETP"},
	{"fdiv", 8000, "S F1x7", "", "MUFU.RCP, scaling, Newton step, check"},
	{"fdiv.f64", 20000, "S D1x19", "", "MUFU.RCP64H, Newton steps in DFMA, check"},
	{"frem", 20000, "S F1x19", "", "a loop of subtractions or a division"},
	{"fpext", 1000, "S", "", "F2F"},
	{"fptrunc", 1000, "S", "", "F2F"},
	{"sitofp", 1000, "S", "", "I2F"},
	{"uitofp", 1000, "S", "", "I2F"},
	{"fptosi", 1000, "S", "", "F2I"},
	{"fptoui", 1000, "S", "", "F2I"},

	/* Names for registers, and addresses. */
	{"phi", 0, "", "", "register allocation makes it disappear"},
	{"bitcast", 0, "", "", "another name for the same register"},
	{"inttoptr", 0, "", "", "another name for the same register"},
	{"ptrtoint", 0, "", "", "another name for the same register"},
	{"addrspacecast", 0, "", "", "another name for the same register"},
	{"freeze", 0, "", "", "another name for the same register"},
	{"trunc", 0, "", "", "the low register of a pair"},
	{"zext", 0, "", "", "part of the address arithmetic (IMAD.WIDE.U32)"},
	{"sext", 0, "", "", "part of the address arithmetic (IMAD.WIDE); also as mask or shifts by 32"},
	{"extractelement", 0, "", "", "vectors are sets of registers"},
	{"insertelement", 0, "", "", "vectors are sets of registers"},
	{"shufflevector", 0, "", "", "vectors are sets of registers"},
	{"extractvalue", 0, "", "", "structs are sets of registers"},
	{"insertvalue", 0, "", "", "structs are sets of registers"},
	{"alloca", 0, "", "", "the frame is laid out by the compiler"},
	{"getelementptr", 1000, "I1", "", "IMAD.WIDE, for each index that is not constant"},
	{"getelementptr.const", 0, "", "",
	 "the immediate offset; also if only that differs in a block"},

	/* Control. */
	{"br", 1000, "C", "", "BRA with a predicate (ISETP is the icmp)"},
	{"br.always", 0, "", "", "blocks are laid out so that they follow each other"},
	{"switch", 4000, "I I1x2 C1", "", "bound check, table address, table load, BRX"},
	{"ret", 1000, "C", "", "EXIT of the kernel"},
	{"ret.function", 0, "", "", "GPU compilers inline"},
	{"call", 0, "", "", "GPU compilers inline"},
	{"unreachable", 0, "", "", "never executed"},

	/* Built-in functions and intrinsics that are no memory accesses. */
	{"free", 0, "",
	 "llvm.dbg.* llvm.lifetime.* llvm.mem* as_* prefetch llvm.trap "
	 "llvm.assume* llvm.experimental.noalias* llvm.sideeffect llvm.donothing "
	 "llvm.prefetch* __translate_sampler_initializer "
	 "atomic_* atom_*",
	 "no instruction, or only the accesses that it makes"},
	{"vload", 1000, "I", "vload* vstore*", "IMAD.WIDE for the address; the accesses are ops"},
	{"fabs", 0, "", "fabs llvm.fabs*", "an operand modifier"},
	{"get_local_id", 1000, "I",
	 "get_local_id get_group_id get_local_size get_num_groups get_global_size "
	 "get_global_offset get_work_dim get_enqueued_local_size",
	 "S2R, or a read of the constant bank"},
	{"get_global_id", 3000, "I I I1", "get_global_id get_global_linear_id get_local_linear_id",
	 "two S2R and IMAD"},
	{"fma", 1000, "F", "llvm.fmuladd* fma mad", "FFMA"},
	{"integer", 1000, "I",
	 "abs mul24 mad24 mul_hi mad_hi popcount clz rotate hadd rhadd upsample "
	 "add_sat sub_sat llvm.smax* llvm.smin* llvm.umax* llvm.umin* llvm.bswap* "
	 "llvm.fshl* llvm.fshr* llvm.ctpop* llvm.ctlz* llvm.cttz* llvm.abs* llvm.bitreverse*",
	 "IMNMX, IMAD, POPC, FLO, SHF, LOP3, PRMT"},
	{"integer2", 2000, "I I1",
	 "abs_diff mad_sat bitselect llvm.usub.sat* llvm.uadd.sat* llvm.sadd.sat* llvm.ssub.sat* "
	 "llvm.sshl.sat* llvm.ushl.sat* llvm.sadd.with* llvm.uadd.with* llvm.ssub.with* "
	 "llvm.usub.with* llvm.smul.with* llvm.umul.with*",
	 "two of the row above"},
	{"minmax", 1000, "F", "min max fmin fmax step sign copysign", "FMNMX, FSET or LOP3"},
	{"clamp", 2000, "F F1", "clamp maxmag minmag fdim", "two of the row above"},
	{"round", 1000, "S", "floor ceil trunc rint round", "FRND"},
	{"convert", 1000, "S", "convert_*", "F2F, F2I, I2F or I2I"},
	{"test", 1000, "F",
	 "isequal isnotequal isgreater isgreaterequal isless islessequal "
	 "islessgreater isfinite isinf isnan isnormal isordered isunordered "
	 "signbit select all any nan",
	 "FSETP or SEL"},
	{"shuffle", 1000, "I", "shuffle shuffle2", "SEL or MOV"},
	{"dot", 1000, "F1", "dot cross", "FMUL or FFMA for each element"},
	{"mix", 2000, "F F1", "mix degrees radians fract", "FADD and FFMA"},
	{"native", 2000, "F S1",
	 "native_* half_* rsqrt",
	 "MUFU and one scaling instruction"},
	{"sqrt", 8000, "S F1x7", "sqrt smoothstep", "MUFU.RSQ, Newton step, check for special values"},
	{"length", 6000, "F F1x3 S1 F1",
	 "length distance normalize fast_length fast_distance fast_normalize",
	 "products and MUFU.RSQ, shared by the elements"},
	{"exp", 6000, "F F1x3 S1 F1", "exp exp2 exp10 ldexp ilogb logb frexp modf",
	 "range reduction, MUFU.EX2, scaling"},
	{"log", 12000, "I I1 F1x10", "log log2 log10", "exponent split and a polynomial"},
	{"sin", 20000, "F S1 F1x18",
	 "sin cos tan sincos sinpi cospi tanpi",
	 "range reduction and a polynomial; the slow path is left out"},
	{"math", 25000, "F F1x11 S1 F1x12",
	 "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cosh expm1 "
	 "log1p sinh tanh erf erfc hypot fmod remainder remquo nextafter",
	 "polynomials, often with a division"},
	{"pow", 40000, "I I1 F1x36 S1 F1", "pow pown powr rootn atan2 atan2pi lgamma lgamma_r tgamma",
	 "a logarithm and an exponential in extended precision"},
	{"fence", 1000, "C", "mem_fence read_mem_fence write_mem_fence", "MEMBAR"},
	{"image", 2000, "I I1", "read_image* write_image* get_image_*",
	 "coordinates; the access is an op"},
	{"builtin", 4000, "I I1x3", "", "any other built-in function"},
};

const size_t WEIGHTS = std::size(weights);

WeightTable::WeightTable()
{
	for (uint32_t row = 0; row < WEIGHTS; row++) {
		names[weights[row].name] = row;
		add_covered(row);
		recipes.push_back(parse(weights[row]));
	}
}

uint32_t WeightTable::opcode(const std::string &name) const
{
	auto found = names.find(name);

	if (found == names.end())
		give_up("no weight for the LLVM instruction '%s'", name.c_str());
	return found->second;
}

uint32_t WeightTable::builtin(const std::string &name) const
{
	auto found = builtins.find(name);

	if (found != builtins.end())
		return found->second;
	for (const auto &entry : prefixes)
		if (!name.compare(0, entry.first.size(), entry.first))
			return entry.second;
	return names.at("builtin");
}

/* A token is a unit, a distance or none, and "x" and how often, or nothing. */
std::vector<RecipeStep> WeightTable::parse(const Weight &weight)
{
	static const std::string letters = "IFDSTMC";
	std::vector<RecipeStep> recipe;
	std::istringstream words(weight.mix);
	std::string word;

	while (words >> word) {
		size_t unit = letters.find(word[0]);
		size_t times_at = word.find('x');
		std::string after = word.substr(1, times_at - 1);
		size_t times = times_at == std::string::npos
			     ? 1 : strtoul(&word[times_at + 1], nullptr, 10);

		if (unit == std::string::npos)
			give_up("the mix of '%s' has the unit '%c'", weight.name,
				word[0]);
		recipe.insert(recipe.end(), times, {(uint8_t)unit,
			      (uint16_t)strtoul(after.c_str(), nullptr, 10)});
	}
	if (!recipe.empty() && recipe.size() * MILLI != weight.milli)
		give_up("the mix of '%s' has %zu instructions", weight.name,
			recipe.size());
	return recipe;
}

void WeightTable::add_covered(uint32_t row)
{
	std::istringstream words(weights[row].covers);
	std::string word;

	while (words >> word) {
		if (word.back() == '*') {
			word.pop_back();
			prefixes.emplace_back(word, row);
		} else {
			builtins[word] = row;
		}
	}
}

} /* namespace record */
