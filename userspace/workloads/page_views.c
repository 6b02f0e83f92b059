// SPDX-License-Identifier: GPL-2.0
/*
 * Page View Count (PVC). Mars, sample_apps/PageViewCount/map.cu and
 * MarsLib.cu, the Mapper of the second MapReduce: the records of a web log have
 * been grouped by the hash of their text, so that neighbors lie anywhere in it.
 * Each thread runs over its record's text byte by byte, first for the fields'
 * ends, where it writes zeros, then for a hash, and emits key and value into
 * the intermediate buffers, byte by byte, at places that prefix sums tell.
 */
#include "benchmarks.h"

#define THREADS		256
#define BLOCKS		40000
#define RECORDS		((__u64)BLOCKS * THREADS)

/* A record's text, URL and address in it; an IP's offset, which is the value */
#define ENTRY_BYTES	64
#define URL_BYTES	24
#define ADDRESS_BYTES	12
#define VALUE_BYTES	4

/* PVC_KEY_T: pointer, offset, hash; PVC_VAL_T; int2 and int4 of offsets */
#define KEY_BYTES	16
#define INPUT_BYTES	8
#define PLACE_BYTES	8
#define OFFSET_BYTES	16

/* The arrays, an element a record, one after the other. */
#define TEXT		0ULL
#define KEYS		(TEXT + RECORDS * ENTRY_BYTES)
#define VALUES		(KEYS + RECORDS * KEY_BYTES)
#define OFFSETS		(VALUES + RECORDS * INPUT_BYTES)
#define SUMS		(OFFSETS + RECORDS * OFFSET_BYTES)
#define COUNTS		(SUMS + 2 * RECORDS * FLOAT)
#define PLACES		(COUNTS + RECORDS * FLOAT)
#define INDICES		(PLACES + RECORDS * PLACE_BYTES)
#define OUT_KEYS	(INDICES + RECORDS * FLOAT)
#define OUT_VALUES	(OUT_KEYS + RECORDS * KEY_BYTES)
#define OUT_OFFSETS	(OUT_VALUES + RECORDS * VALUE_BYTES)
#define END		(OUT_OFFSETS + RECORDS * OFFSET_BYTES)

/*
 * For each byte: load, compare, two counters, branch; load, hash<<4 ^ hash>>28 ^ c; a
 * load into a register before the store
 */
#define SCAN		5
#define HASH		5
#define COPY		1
/* The counters are those of the byte before; so is the hash, a chain of four. */
#define SCAN_BYTE	"I5 I1 I5 I5 C3"
#define HASH_BYTE	"I5 I2 I3 I1 I1"
/* Indices and addresses, before the map, and around an access */
#define SETUP		20
#define ADDRESS		3

static void read_element(struct builder *b, __u64 array, __u32 bytes)
{
	load_own(b, array, THREADS, bytes, ADDRESS);
	burst(b, INDEXING, ADDRESS, WARP);
}

static void write_element(struct builder *b, __u64 array, __u32 bytes)
{
	burst(b, INDEXING, ADDRESS, WARP);
	store_own(b, array, THREADS, bytes);
}

/*
 * The threads' records: a line of memory each, whose later bytes are in the L1.
 * It is read, and written where its fields end: an atomic does both.
 */
static void split_and_hash_text(struct builder *b)
{
	builder_atomic(b, anywhere(b, TEXT, RECORDS * ENTRY_BYTES, WARP,
				   ENTRY_BYTES, 0), WARP, 0);
	burst(b, SCAN_BYTE, (URL_BYTES + ADDRESS_BYTES) * SCAN, WARP);
	burst(b, HASH_BYTE, URL_BYTES * HASH, WARP);
}

static void copy(struct builder *b, __u64 to, __u32 bytes)
{
	__u32 i;

	for (i = 0; i < bytes; i++) {
		burst(b, INDEXING, COPY, WARP);
		builder_store(b, own_element(b, to + i, THREADS, 1, bytes), WARP);
	}
}

static void begin_output(struct builder *b)
{
	burst(b, INDEXING, SETUP, WARP);
	read_element(b, COUNTS, FLOAT);
	read_element(b, OUT_OFFSETS, OFFSET_BYTES);
	read_element(b, SUMS, FLOAT);
	read_element(b, SUMS + RECORDS * FLOAT, FLOAT);
	write_element(b, OUT_OFFSETS, OFFSET_BYTES);
}

static void map(struct builder *b)
{
	read_element(b, OFFSETS, OFFSET_BYTES);
	read_element(b, VALUES, INPUT_BYTES);
	read_element(b, KEYS, KEY_BYTES);
	split_and_hash_text(b);
	builder_store(b, own_element(b, KEYS + KEY_BYTES - FLOAT, THREADS, FLOAT,
				     KEY_BYTES), WARP);
}

static void emit_intermediate(struct builder *b)
{
	builder_barrier(b);
	read_element(b, PLACES, PLACE_BYTES);
	read_element(b, SUMS, FLOAT);
	read_element(b, SUMS + RECORDS * FLOAT, FLOAT);
	copy(b, OUT_KEYS, KEY_BYTES);
	copy(b, OUT_VALUES, VALUE_BYTES);
	write_element(b, PLACES, PLACE_BYTES);
	read_element(b, INDICES, FLOAT);
	read_element(b, COUNTS, FLOAT);
	read_element(b, OUT_OFFSETS, OFFSET_BYTES);
	write_element(b, OUT_OFFSETS, OFFSET_BYTES);
	write_element(b, INDICES, FLOAT);
}

void build_page_views(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "Mapper", BLOCKS, THREADS, 32,
		       THREADS * 5 * sizeof(__u32));
	begin_output(b);
	map(b);
	emit_intermediate(b);
}
