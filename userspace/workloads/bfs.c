// SPDX-License-Identifier: GPL-2.0
/*
 * Breadth-First Search (BFS). Rodinia, cuda/bfs/kernel.cu and kernel2.cu: a thread
 * a node. In each level the nodes of the frontier mark their neighbors, wherever
 * these lie, unless they have been visited; a second kernel makes the marked ones
 * the next frontier. Threads of all other nodes only look at their mask.
 */
#include "benchmarks.h"

#define THREADS		512
/* The suite's graphs have up to 2^20 nodes, with 6 edges each. */
#define BLOCKS		16384
#define NODES		((__u64)BLOCKS * THREADS)
#define EDGES		6

#define NODE_BYTES	8
#define MASK		0ULL
#define MARKED		(MASK + NODES)
#define VISITED		(MARKED + NODES)
#define NODE		(VISITED + NODES)
#define EDGE		(NODE + NODES * NODE_BYTES)
#define COST		(EDGE + NODES * EDGES * FLOAT)
#define AGAIN		(COST + NODES * FLOAT)
#define END		(AGAIN + 128)

#define LOOK		14
#define MARK		8
/* A comparison and a branch: whether the node is to be done */
#define ASK		"I1 C1"

/**
 * struct level - levels of the search
 * @lanes: nodes of a warp in the frontier; 0: hardly any
 * @found: new neighbors that a warp finds for each edge
 * @levels: number of levels that are alike
 */
struct level {
	__u32 lanes;
	__u32 found;
	__u32 levels;
};

/*
 * A random graph of 2^23 nodes: levels of 1, 6, 36, ... 280,000 nodes, then 15%,
 * 45%, 30%, 5% of all, and a last one
 */
static const struct level levels[] = {
	{ 0, 0, 7 }, { 1, 1, 1 }, { 5, 3, 1 }, { 14, 2, 1 }, { 10, 1, 1 },
	{ 2, 0, 1 }, { 0, 0, 1 },
};

/* Active nodes are spread over the warp's: every so many'th element */
static __u32 active(struct builder *b, __u64 array, __u32 bytes, __s64 stride,
		    __u32 lanes, __s64 loop_bytes)
{
	__s64 apart = WARP / lanes;

	return ACCESS(b, .base = array, .access_bytes = bytes,
		      .block_stride = { THREADS * stride },
		      .warp_stride = WARP * stride,
		      .lane_stride = apart * stride,
		      .loop_stride = { loop_bytes });
}

static void visit_neighbor(struct builder *b, const struct level *level)
{
	__u32 lanes = level->lanes, found = level->found;

	builder_load(b, active(b, EDGE, FLOAT, EDGES * FLOAT, lanes, FLOAT),
		     lanes, 0);
	burst(b, INDEXING, 3, lanes);
	builder_load(b, anywhere(b, VISITED, NODES, lanes, 1, 0), lanes, 0);
	burst(b, ASK, MARK, lanes);
	if (!found)
		return;
	builder_load(b, active(b, COST, FLOAT, FLOAT, lanes, 0), found, 0);
	burst(b, INDEXING, 5, found);
	builder_store(b, anywhere(b, COST, NODES * FLOAT, found, FLOAT, 1),
		      found);
	builder_store(b, anywhere(b, MARKED, NODES, found, 1, 1), found);
}

static void mark_neighbors(struct builder *b, const struct level *level)
{
	__u32 lanes = level->lanes, i;

	builder_kernel(b, "Kernel", BLOCKS, THREADS, 16, 0);
	burst(b, INDEXING, LOOK, WARP);
	load_own(b, MASK, THREADS, 1, 0);
	burst(b, ASK, 2, WARP);
	if (!lanes)
		return;
	builder_store(b, active(b, MASK, 1, 1, lanes, 0), lanes);
	for (i = 0; i < 2; i++)
		builder_load(b, active(b, NODE + i * FLOAT, FLOAT, NODE_BYTES,
				       lanes, 0), lanes, 1 - i);
	burst(b, INDEXING, 6, lanes);
	builder_loop(b, EDGES);
	visit_neighbor(b, level);
	builder_loop_end(b);
}

static void next_frontier(struct builder *b, const struct level *level)
{
	static const __u64 arrays[] = { MASK, VISITED, MARKED };
	__u32 lanes = level->lanes, i;

	builder_kernel(b, "Kernel2", BLOCKS, THREADS, 10, 0);
	burst(b, INDEXING, LOOK, WARP);
	load_own(b, MARKED, THREADS, 1, 0);
	burst(b, ASK, 2, WARP);
	if (!lanes)
		return;
	for (i = 0; i < 3; i++)
		builder_store(b, active(b, arrays[i], 1, 1, lanes, 0), lanes);
	builder_store(b, ACCESS(b, .base = AGAIN, .access_bytes = 1), 1);
}

void build_bfs(struct builder *b)
{
	__u32 i;

	builder_footprint(b, END);
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		mark_neighbors(b, &levels[i]);
		next_frontier(b, &levels[i]);
		builder_again(b, 2, levels[i].levels - 1);
	}
}
