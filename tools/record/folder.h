// SPDX-License-Identifier: GPL-2.0
/*
 * Loops in what a warp did. A warp's ops come as a plain list; where the same
 * ops follow each other three times or more, their addresses advancing by the
 * same strides, they become a loop (as in A. Ketterlin and Ph. Clauss,
 * "Prediction and trace compression of data access through nested loop
 * recognition", CGO 2008, with constant trip counts). Expanding the loops gives
 * the list back.
 * Not here: what warps have in common (kernel_table.h).
 */
#ifndef SIMGPU_RECORD_FOLDER_H
#define SIMGPU_RECORD_FOLDER_H

#include <cstdint>
#include <set>
#include <vector>

#include "interner.h"
#include "warp_program.h"

namespace record {

/* A piece of program: an op (trips is 0) or a loop. */
struct Part {
	uint32_t shape;
	uint32_t trips;

	bool operator==(const Part &other) const
	{
		return shape == other.shape && trips == other.trips;
	}
};

/*
 * What a piece of program is apart from where its accesses begin. Shapes are
 * numbered, and equal ones have the same number. The addresses of a piece are
 * those of its accesses, in program order, in the first trip of every loop.
 */
class Shapes {
public:
	/* Of an op; it has an address if it has a form and that is wanted. */
	uint32_t op(const WarpOp &op, bool with_address);

	/* Of the body of a loop, which advances its addresses by strides. */
	uint32_t body(const std::vector<Part> &parts,
		      const std::vector<int64_t> &strides);

	const WarpOp &op_of(uint32_t shape) const
	{
		return infos[shape].op;
	}

	bool has_address(uint32_t shape) const
	{
		return infos[shape].parts.empty() && infos[shape].addresses;
	}

	const std::vector<Part> &parts_of(uint32_t shape) const
	{
		return infos[shape].parts;
	}

	const std::vector<int64_t> &strides_of(uint32_t shape) const
	{
		return infos[shape].strides;
	}

	uint32_t addresses_of(uint32_t shape) const
	{
		return infos[shape].addresses;
	}

	/* Loops inside each other, the body's own included. */
	uint32_t depth_of(uint32_t shape) const
	{
		return infos[shape].depth;
	}

private:
	struct Info {
		WarpOp op;
		std::vector<Part> parts;
		std::vector<int64_t> strides;
		uint32_t addresses;
		uint32_t depth;
	};

	uint32_t number(const Info &info);

	Interner<uint64_t> keys;
	std::vector<uint64_t> key;
	std::vector<Info> infos;
};

/* A warp's program, folded. */
struct FoldedWarp {
	std::vector<Part> parts;
	std::vector<int64_t> addresses;
	std::vector<uint32_t> lines;	/* of accesses without an address */
};

class Folder {
public:
	explicit Folder(Shapes &shapes) : shapes(shapes) {}

	/* Accesses at these sites keep their lines; all do if @plain. */
	FoldedWarp fold(const WarpProgram &warp, const std::set<uint32_t> &listed,
			bool plain);

private:
	struct Node {
		Part part;
		size_t first_address;
	};

	void fold_end();
	bool extend(size_t count);
	bool create(size_t count);
	bool are_same(size_t first, size_t second, size_t count) const;
	void cut(size_t count);

	Shapes &shapes;
	std::vector<Node> nodes;
	std::vector<int64_t> addresses;
};

} /* namespace record */

#endif
