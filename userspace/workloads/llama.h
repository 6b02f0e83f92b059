/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the operators of Llama-2-7B. */
#ifndef WORKLOADS_LLAMA_H
#define WORKLOADS_LLAMA_H

#include "common.h"

#define HALF			2
/* The model: hidden size, and inner size of its gated MLP */
#define LLAMA_HIDDEN		4096LL
#define LLAMA_MLP		11008LL
/* Tokens at once at size 1; a part of them is a multiple of 64. */
#define LLAMA_TOKENS		4096
#define LLAMA_TOKENS_UNIT	64
/* Launches of an operator: what an earlier one left in the caches is there for the next. */
#define LLAMA_LAUNCHES		3

/* Every launch but the first. */
void llama_again(struct builder *b);

/* All @blocks of the present kernel, in one row, run the programs of its one table entry. */
void llama_blocks_are_alike(struct builder *b, __u32 blocks);

#endif /* WORKLOADS_LLAMA_H */
