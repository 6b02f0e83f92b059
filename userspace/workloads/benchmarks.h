/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The benchmarks of four papers, and operators of a language model. Each is a file that emits its kernels as warp
 * programs. docs/workloads.md says what was chosen in them, and why.
 */
#ifndef WORKLOADS_BENCHMARKS_H
#define WORKLOADS_BENCHMARKS_H

#include "common.h"

/**
 * enum benchmark_set - the papers' sets of benchmarks; bits
 * @SET_HSM: Table 2 of HSM (Zhao et al., ASPLOS'20)
 * @SET_FGQOS: the ten of Parboil in fine-grained QoS (Wang et al., ISCA'17)
 * @SET_THEMIS_TRAINING: Table III of Themis (Zhao et al., IPDPS'19), programs for
 *	training its model
 * @SET_THEMIS_TEST: the same table, programs for testing its model
 * @SET_STM: the nine of spatial-temporal multitasking (Liang et al., TPDS'15)
 */
enum benchmark_set {
	SET_HSM = 1 << 0,
	SET_FGQOS = 1 << 1,
	SET_THEMIS_TRAINING = 1 << 2,
	SET_THEMIS_TEST = 1 << 3,
	SET_STM = 1 << 4,
};

/**
 * enum benchmark_class - the class that a paper gives a benchmark
 * @CLASS_UNSAID: none
 * @CLASS_MEMORY: memory-bound
 * @CLASS_COMPUTE: compute-bound
 * @CLASS_BALANCED: the third class, which only Themis has
 */
enum benchmark_class {
	CLASS_UNSAID,
	CLASS_MEMORY,
	CLASS_COMPUTE,
	CLASS_BALANCED,
};

/**
 * struct benchmark - a built-in workload
 * @name: name on command lines; HSM's abbreviation if there is one
 * @title: full name
 * @suite: the suite that the program is from
 * @sets: &enum benchmark_set: which papers use it
 * @hsm: its class in HSM's Table 2
 * @themis: its class in Themis' Table III
 * @build: emits its kernels
 * @card_ppm: part of its data with which it takes 0.3 to 1 million cycles alone on
 *	gtx480, the size for the cards of STM, or of an operator 64 tokens; 0: it has one
 *	size only
 */
struct benchmark {
	const char *name;
	const char *title;
	const char *suite;
	unsigned int sets;
	enum benchmark_class hsm;
	enum benchmark_class themis;
	void (*build)(struct builder *builder);
	__u32 card_ppm;
};

/* Those of the papers, which come first, and all */
#define BENCHMARK_COUNT		40
#define BENCHMARK_COUNT_ALL	56
/* More than the sets that one benchmark is in */
#define BENCHMARK_SETS	6

/* The benchmarks of list.h. */
extern const struct benchmark benchmarks[BENCHMARK_COUNT_ALL];

/* Finds a benchmark by its name, in either case; NULL: there is none. */
const struct benchmark *benchmark_find(const char *name);
/*
 * Whether a benchmark is in a suite: a paper's set ("hsm", "fgqos", "themis",
 * "themis-training", "themis-test", "stm"), the suite that the program is from, or "all"
 * of the papers.
 */
int benchmark_in_suite(const struct benchmark *benchmark, const char *suite);
/* The name of a set that a benchmark is in, by index from 0; NULL after the last. */
const char *benchmark_set_name(const struct benchmark *benchmark,
			       unsigned int index);
/* HSM's class, or if it has none, Themis'; NULL if neither has one. */
const char *benchmark_class_name(const struct benchmark *benchmark);
/*
 * A benchmark's trace, which the caller frees; NULL when memory ran out. @size_ppm is the
 * part of its data that it has, below 1,000,000 only if there is a @card_ppm.
 */
void *benchmark_trace(const struct benchmark *benchmark, __u32 size_ppm,
		      size_t *bytes);
/*
 * benchmark_trace() for a GPU, or for none: at @card_ppm the trace has the profile that is
 * shipped for this GPU, if there is one. @kernel: the first kernel of this name alone,
 * launched once; NULL: all kernels. NULL if there is none of the name, too.
 */
void *benchmark_trace_for(const struct benchmark *benchmark, __u32 size_ppm,
			  const char *config, const char *kernel, size_t *bytes);

#define BENCHMARK(name, title, suite, sets, hsm, themis, build, card_ppm) \
	void build_##build(struct builder *b);
#include "list.h"
#undef BENCHMARK

#endif /* WORKLOADS_BENCHMARKS_H */
