// SPDX-License-Identifier: GPL-2.0
/*
 * What the warps of a kernel have in common: programs with affine patterns where
 * addresses follow one, recorded lines where they do not, and which thread blocks
 * are alike. It grows with the differences between warps, not with their number.
 * Not here: loops within a warp (folder.h), and the file (trace_writer.h).
 */
#ifndef SIMGPU_RECORD_KERNEL_TABLE_H
#define SIMGPU_RECORD_KERNEL_TABLE_H

#include <cstdint>
#include <set>
#include <vector>

#include <linux/simgpu_trace.h>

#include "address_model.h"
#include "folder.h"
#include "interner.h"
#include "kernel_code.h"
#include "warp_program.h"

namespace record {

/* Patterns of all kernels, each different one once; the first is RECORDED. */
class Patterns {
public:
	Patterns();
	uint32_t number(const simgpu_trace_pattern &pattern);

	bool knows(const simgpu_trace_pattern &pattern) const
	{
		return keys.knows({pattern});
	}

	/* In the order of their numbers. */
	const std::vector<simgpu_trace_pattern> &all() const
	{
		return keys.all();
	}

	/* The affine ones end where the footprint does. */
	std::vector<simgpu_trace_pattern> all(uint64_t footprint) const;

	size_t count() const
	{
		return keys.count();
	}

private:
	Interner<simgpu_trace_pattern> keys;
};

/**
 * struct KernelSections - a kernel's part of the sections
 * @kernel: what it was described as, and what depends on the other parts; indices of
 *	the sections left out
 * @patterns: that the ops name
 * @op_counts: by program
 * @lines: the lists that the warps name: in first_line stands 1 + a list's number,
 *	or 0
 * @rows: their first_run counts from the kernel's first
 */
struct KernelSections {
	simgpu_trace_kernel kernel;
	Patterns patterns;
	std::vector<simgpu_trace_op> ops;
	std::vector<uint32_t> op_counts;
	std::vector<simgpu_trace_warp> warps;
	Interner<uint32_t> lines;
	std::vector<simgpu_trace_row> rows;
	std::vector<simgpu_trace_run> runs;
};

class KernelTable {
public:
	/*
	 * @plain: a program is a list of ops, and all lines are recorded.
	 * @has_rows: thread blocks that are alike may share entries of the warp table.
	 */
	KernelTable(const simgpu_trace_kernel &described, bool plain, bool has_rows);

	/*
	 * The warps of recorded thread block number @recorded, in order; it is
	 * @block of the grid. Nothing lies past @footprint.
	 */
	void begin_block(uint32_t recorded, uint32_t block);
	void add_warp(const WarpProgram &warp, uint64_t footprint);
	void end_block();

	/*
	 * The end; @runs_left is how many more rows and runs the file may have.
	 * Nothing lies past @footprint.
	 */
	KernelSections finish(size_t runs_left, uint64_t footprint);

	/* At most so many bytes of the file. */
	uint64_t bytes() const;

private:
	/**
	 * struct Leaf - an access with an address, in a warp's program
	 * @list: of the models that it may follow
	 * @low: the least that any lane and trip is away from the address
	 * @high: the end of the greatest
	 * @lines: about so many are saved if a model has the address
	 */
	struct Leaf {
		uint32_t site;
		uint32_t list;
		uint32_t lanes;
		LaneForm form;
		std::array<int64_t, SIMGPU_TRACE_LOOP_DEPTH_MAX> strides;
		int64_t low;
		int64_t high;
		double lines;
	};

	/* A whole warp's program, its addresses left open. */
	struct Root {
		std::vector<Part> parts;
		std::vector<Leaf> leaves;
		uint32_t op_count;
	};

	/**
	 * struct Program - what some warps run
	 * @models: by leaf
	 * @bounds: of those that run it
	 * @recorded: of those that were recorded doing so
	 */
	struct Program {
		uint32_t root;
		std::vector<uint32_t> models;
		Bounds bounds;
		Bounds recorded;
	};

	struct Site {
		double lines = 0;	/* that models have saved, about */
		uint64_t models = 0;
		uint32_t best = NONE;	/* the model with the most uses */
	};

	uint32_t root_of(const FoldedWarp &folded);
	void add_leaves(Root &root, const Part &part, uint32_t depth);
	void add_leaf(Root &root, uint32_t shape);
	void find_lists(Root &root);
	bool find_models(uint32_t root, const FoldedWarp &folded,
			 std::vector<uint32_t> &models);
	uint32_t find_model(const Leaf &leaf, int64_t address);
	size_t learn(const Leaf &leaf, int64_t address, const AddressModel *hint);
	uint32_t add_model(const Leaf &leaf, int64_t address);
	bool should_list(const Site &site) const;
	bool find_program(uint32_t root, const std::vector<uint32_t> &models,
			  uint64_t footprint, uint32_t &program);
	bool lies_inside(const Program &program, const Bounds &bounds,
			 uint64_t footprint) const;
	simgpu_trace_pattern pattern_of(const Leaf &leaf,
					const AddressModel &model,
					const Bounds *still) const;
	void emit(const Program &program, const Bounds *still, const Part &part,
		  size_t &leaf, Patterns &patterns,
		  std::vector<simgpu_trace_op> &ops) const;
	void emit_table(KernelSections &sections, size_t runs_left) const;
	void emit_rows(uint32_t length, KernelSections &sections) const;
	bool all_are_alike() const;
	bool has_lines(const Part &part) const;

	simgpu_trace_kernel described;
	bool plain;
	bool has_rows;
	uint32_t warps_per_block;
	Shapes shapes;
	Folder folder;
	Interner<uint64_t> root_keys;
	std::vector<Root> roots;
	Interner<uint64_t> list_keys;
	std::vector<std::vector<uint32_t>> lists;	/* of models */
	std::vector<AddressModel> models;
	std::vector<Site> sites;
	std::set<uint32_t> listed;	/* sites whose lines are recorded */
	Interner<uint32_t> program_keys;
	std::vector<Program> programs;
	uint64_t op_count = 0;
	Interner<uint32_t> lines;
	/* The block that is being added */
	Point point;
	Bounds stands_for;
	std::vector<simgpu_trace_warp> block_warps;
	/* All of them: the entries of each different one, and which each has */
	Interner<simgpu_trace_warp> entries;
	std::vector<uint32_t> entry_of;
	uint64_t changes = 0;	/* from one block to the next */
};

} /* namespace record */

#endif
