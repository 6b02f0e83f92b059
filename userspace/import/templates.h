/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthetic kernels: warp programs of a class, of which a profile says grid, block,
 * registers, shared memory and how long they take, but no instruction and no address.
 */
#ifndef IMPORT_TEMPLATES_H
#define IMPORT_TEMPLATES_H

#include "../workloads/builder.h"
#include "classes.h"

/**
 * struct synthetic - a kernel to be written
 * @kernel: what the profile says of it; its grid is known
 * @class: its class
 * @shared_bytes: its shared memory
 * @turns: how often a warp goes through the class' loop; 0: never
 * @extra: thread blocks, the first ones but not all, whose warps go through it once more
 * @tail: dependent instructions behind the loop, by which its time is set more finely
 * @base: first byte of the memory that it touches
 */
struct synthetic {
	const struct activity *kernel;
	const struct kernel_class *class;
	uint32_t shared_bytes;
	uint32_t turns;
	uint32_t extra;
	uint32_t tail;
	uint64_t base;
};

/* Registers of a thread, if the profile does not say them */
#define SYNTHETIC_REGISTERS	32
/* Greatest number of turns and of instructions of a tail */
#define SYNTHETIC_TURNS_MAX	(1U << 24)
#define SYNTHETIC_TAIL_MAX	(1U << 30)

/* Why a kernel cannot be in a trace, or NULL; the functions below are for those that can. */
const char *synthetic_refusal(const struct activity *kernel);

/**
 * synthetic_bytes() - memory that a kernel touches
 * @synthetic: the kernel
 *
 * Arrays are as large as the turns need, up to a limit, and are gone through again from there on.
 *
 * Return: bytes from @synthetic->base on, a multiple of a page.
 */
uint64_t synthetic_bytes(const struct synthetic *synthetic);

/* Bytes that the accesses of all its thread blocks touch, each access counted. */
uint64_t synthetic_moved(const struct synthetic *synthetic);

/**
 * synthetic_build() - write a kernel into a trace
 * @builder: the trace; its footprint is set
 * @synthetic: the kernel
 */
void synthetic_build(struct builder *builder, const struct synthetic *synthetic);

/**
 * synthetic_trace() - a trace with one kernel alone, at the beginning of memory
 * @synthetic: the kernel; its base counts for nothing
 * @bytes: set to the trace's size
 *
 * Return: memory that the caller frees, or NULL.
 */
void *synthetic_trace(const struct synthetic *synthetic, size_t *bytes);

#endif /* IMPORT_TEMPLATES_H */
