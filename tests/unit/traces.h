/* SPDX-License-Identifier: GPL-2.0 */
/* Small traces for the unit tests, checked and decoded. */
#ifndef TESTS_TRACES_H
#define TESTS_TRACES_H

#include "../../kmod/sim/trace.h"
#include "../../userspace/workloads/builder.h"

/* Check and decode a finished builder's trace; frees the builder. */
struct trace *trace_of(struct builder *builder, u64 footprint_bytes);
void trace_free(struct trace *trace);

/* Blocks of 256 threads that loop over compute bursts of 32 lanes. */
struct trace *trace_compute(u32 blocks, u32 trips, u32 burst);
/* Two kernels of that kind; the second one has another name. */
struct trace *trace_compute_twice(u32 blocks, u32 trips, u32 burst);
/* Each warp reads @trips whole lines in a row, then computes @burst, a trip. */
struct trace *trace_stream(u32 blocks, u32 trips, u32 burst);
/* The same, and writes a line a trip; @lanes below 32 make the stores partial. */
struct trace *trace_copy(u32 blocks, u32 trips, u32 lanes);
/* Each warp reads @trips times @lines random lines of a region. */
struct trace *trace_random(u32 blocks, u32 trips, u32 lines, u64 region_bytes);
/* Loops of loads, partial stores, atomics, constants and barriers in a region. */
struct trace *trace_varied(u32 blocks, u32 trips, u64 region_bytes);
/*
 * Recorded reads of random lines, every fourth of them with its neighbour, so
 * that one request in five hits the row that another one opened.
 */
struct trace *trace_pairs(u32 blocks, u32 trips);

#endif /* TESTS_TRACES_H */
