/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The traced program's addresses packed into a tenant's 8 GiB: the pages of 2 MiB
 * that the program touched, in ascending order, so that neighbors stay neighbors. CUDA
 * gives memory in such pages: where in them an array begins decides which channels and
 * banks its lines meet, and is kept.
 */
#ifndef ACCELSIM_PAGES_H
#define ACCELSIM_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

#define PAGE_BYTES	(2U << 20)
#define PAGE_LINES	(PAGE_BYTES / SIMGPU_TRACE_LINE_BYTES)

/** struct pages - pages in the order in which they were first touched */
struct pages {
	uint64_t *number;
	uint32_t count;
	uint32_t room;
	uint32_t *slot;		/* hash table of indices + 1 */
	uint32_t slots;
};

/* The index of an address's page; -ENOMEM, or -E2BIG if there are too many pages. */
int64_t pages_find(struct pages *pages, uint64_t address);

/**
 * pages_order() - the rank of each page by its address
 *
 * Return: an array by index, which the caller frees, or NULL.
 */
uint32_t *pages_order(const struct pages *pages);

void pages_free(struct pages *pages);

#endif /* ACCELSIM_PAGES_H */
