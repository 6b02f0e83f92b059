// SPDX-License-Identifier: GPL-2.0
/*
 * Page View Count (PVC). Mars, sample_apps/PageViewCount/map.cu and
 * MarsLib.cu, the Mapper of the second MapReduce: the records of a web log have
 * been grouped by the hash of their text, so that neighbors lie anywhere in it.
 * Each thread runs over its record's text byte by byte, first for the fields'
 * ends, then for a hash, and emits key and value into the intermediate buffers,
 * at places that prefix sums tell.
 */
#include "benchmarks.h"

#define THREADS		256
#define BLOCKS		40000
#define RECORDS		((__u64)BLOCKS * THREADS)

/* A record's text, URL and address in it; PVC_KEY_T; the address's offset */
#define ENTRY_BYTES	64
#define URL_BYTES	24
#define ADDRESS_BYTES	12
#define KEY_BYTES	16
#define VALUE_BYTES	4
#define OFFSET_BYTES	16

/* The arrays, an element a record, one after the other. */
#define TEXT		0ULL
#define KEYS		(TEXT + RECORDS * ENTRY_BYTES)
#define OFFSETS		(KEYS + RECORDS * KEY_BYTES)
#define SUMS		(OFFSETS + RECORDS * OFFSET_BYTES)
#define OUT_KEYS	(SUMS + 3 * RECORDS * FLOAT)
#define OUT_VALUES	(OUT_KEYS + RECORDS * KEY_BYTES)
#define OUT_OFFSETS	(OUT_VALUES + RECORDS * VALUE_BYTES)
#define END		(OUT_OFFSETS + RECORDS * OFFSET_BYTES)

/* For each byte: compare; hash<<4 ^ hash>>28 ^ c; a copy; each with its loop */
#define SCAN		3
#define HASH		6
#define COPY		4
#define SETUP		20
#define PAIR		8

/* @bytes of each thread's element */
static __u32 element(struct builder *b, __u64 array, __u32 bytes,
		     __s64 element_bytes)
{
	return ACCESS(b, .base = array, .access_bytes = bytes,
		      .block_stride = { THREADS * element_bytes },
		      .warp_stride = WARP * element_bytes,
		      .lane_stride = element_bytes);
}

/* The threads' records: a line of memory each; its later bytes are in the L1. */
static void read_text(struct builder *b)
{
	struct simgpu_trace_pattern text = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = ENTRY_BYTES,
		.base = TEXT, .region_bytes = RECORDS * ENTRY_BYTES,
		.lines = WARP,
	};

	builder_load(b, builder_pattern(b, &text), WARP, 0);
	builder_compute(b, (URL_BYTES + ADDRESS_BYTES) * SCAN, WARP);
	builder_compute(b, URL_BYTES * HASH, WARP);
}

/* The copy's bytes meet in the same lines: here they go in pairs of words. */
static void copy(struct builder *b, __u64 to, __u32 bytes)
{
	__u32 part = bytes < PAIR ? bytes : PAIR, i;

	for (i = 0; i < bytes; i += part) {
		builder_compute(b, part * COPY, WARP);
		builder_store(b, element(b, to + i, part, bytes), WARP);
	}
}

static void emit_intermediate(struct builder *b)
{
	__u32 i;

	for (i = 0; i < 3; i++)
		builder_load(b, element(b, SUMS + i * RECORDS * FLOAT, FLOAT,
					FLOAT), WARP, 2 - i);
	copy(b, OUT_KEYS, KEY_BYTES);
	copy(b, OUT_VALUES, VALUE_BYTES);
	builder_compute(b, SETUP, WARP);
	builder_store(b, element(b, OUT_OFFSETS, OFFSET_BYTES, OFFSET_BYTES),
		      WARP);
}

void build_page_views(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "Mapper", BLOCKS, THREADS, 32,
		       THREADS * 5 * sizeof(__u32));
	builder_load(b, element(b, OFFSETS, OFFSET_BYTES, OFFSET_BYTES),
		     WARP, 2);
	builder_compute(b, SETUP, WARP);
	builder_load(b, element(b, KEYS, KEY_BYTES, KEY_BYTES), WARP, 0);
	read_text(b);
	builder_store(b, element(b, KEYS + KEY_BYTES - FLOAT, FLOAT, KEY_BYTES),
		      WARP);
	builder_barrier(b);
	emit_intermediate(b);
}
