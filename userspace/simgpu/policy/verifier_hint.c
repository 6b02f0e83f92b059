// SPDX-License-Identifier: GPL-2.0
/*
 * Hints for refusals of the verifier; see verifier_hint.h. The texts are those of kernel/bpf of
 * 6.12, without the numbers of registers and instructions.
 */
#include <stddef.h>
#include <string.h>

#include "verifier_hint.h"

#define IN_BOUNDS							\
	"it does not see that the index is in bounds: simgpu_index(i, n) makes one of it, "	\
	"and loops over tenants are simgpu_each_slot()"
#define LOOPS								\
	"it does not see that the loop ends: write it as simgpu_each(i, n), whose body it "	\
	"walks a few times only"
#define TOO_MUCH							\
	"it gave up after too many instructions, as loops and branches multiply: write loops "	\
	"as simgpu_each(), and mark functions of numbers simgpu_apart"
#define NOT_TESTED							\
	"the pointer may be NULL there: test it before it is used, as what "			\
	"bpf_map_lookup_elem() returns"

/**
 * struct hint - what a refusal means
 * @reason: words that are in it
 * @say: the hint
 */
static const struct hint {
	const char *reason;
	const char *say;
} hints[] = {
	{ "infinite loop detected", LOOPS },
	{ "back-edge from insn", LOOPS },
	{ "BPF program is too large", TOO_MUCH },
	{ "jumps is too complex", TOO_MUCH },
	{ "_or_null'", NOT_TESTED },
	{ "Possibly NULL pointer", NOT_TESTED },
	{ "cannot write into rdonly_mem",
	  "the snapshot is read-only: what is to be remembered belongs into the state, what is "
	  "to be done into the proposal" },
	{ "outside of the allowed memory range", IN_BOUNDS },
	{ "unbounded memory access", IN_BOUNDS },
	{ "min value is negative", IN_BOUNDS },
	{ "register with unbounded min value", IN_BOUNDS },
	{ "invalid access to memory", IN_BOUNDS },
	{ "cannot use helper",
	  "of the kernel's helpers only those of maps are there: a policy has no clock but "
	  "snapshot->cycle, and no chance but simgpu_random()" },
	{ "is not allowed",
	  "a policy calls no functions of the kernel but those in simgpu/policy.bpf.h" },
	{ "stack size of",
	  "there are 512 bytes of stack: arrays belong into the state" },
	{ "invalid write to stack",
	  "there are 512 bytes of stack: arrays belong into the state" },
};

const char *verifier_hint(const char *reason)
{
	size_t i;

	for (i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (strstr(reason, hints[i].reason))
			return hints[i].say;
	return NULL;
}
