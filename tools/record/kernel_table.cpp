// SPDX-License-Identifier: GPL-2.0
/*
 * Finds what warps have in common: see kernel_table.h.
 */
#include "kernel_table.h"

#include <algorithm>
#include <map>

#include "lanes.h"

namespace record {

/*
 * A pattern costs as much as so many recorded lines. A site whose patterns cost
 * more than the lines that they save has its lines recorded from then on; the
 * first ones do not count, in the first warps nor on the whole.
 */
constexpr uint64_t LINES_PER_MODEL = sizeof(simgpu_trace_pattern) / sizeof(uint32_t);
constexpr uint64_t MODELS_FREE = 16;
constexpr uint64_t MODELS_EVER_FREE = 512;
constexpr uint64_t BLOCKS_FREE = 4;
/* A model with so many accesses is worth trying elsewhere. */
constexpr uint64_t PROVEN_USES = 8;

Patterns::Patterns()
{
	simgpu_trace_pattern recorded = {};

	recorded.kind = SIMGPU_TRACE_RECORDED;
	number(recorded);
}

uint32_t Patterns::number(const simgpu_trace_pattern &pattern)
{
	return keys.intern({pattern});
}

std::vector<simgpu_trace_pattern> Patterns::all(uint64_t footprint) const
{
	std::vector<simgpu_trace_pattern> patterns = keys.all();

	for (simgpu_trace_pattern &pattern : patterns)
		if (pattern.kind == SIMGPU_TRACE_AFFINE)
			pattern.region_bytes = footprint - pattern.base;
	return patterns;
}

KernelTable::KernelTable(const simgpu_trace_kernel &described, bool plain,
			 bool has_rows)
	: described(described), plain(plain), has_rows(has_rows), folder(shapes)
{
	uint32_t threads = described.block[0] * described.block[1] *
			   described.block[2];

	warps_per_block = (threads + WARP_LANES - 1) / WARP_LANES;
}

/* --- thread blocks --- */

static Point position(const simgpu_trace_kernel &kernel, uint64_t block)
{
	uint32_t x = kernel.grid[0], y = kernel.grid[1];

	return {(uint32_t)(block % x), (uint32_t)(block / x % y),
		(uint32_t)(block / x / y), 0};
}

/* The bounds of thread blocks that follow each other. */
static Bounds bounds_of(const simgpu_trace_kernel &kernel, uint64_t first,
			uint64_t last)
{
	Bounds bounds = {position(kernel, first), position(kernel, last)};

	if (bounds.low[Z] != bounds.high[Z]) {
		bounds.low[Y] = 0;
		bounds.high[Y] = kernel.grid[1] - 1;
	}
	if (bounds.low[Z] != bounds.high[Z] || bounds.low[Y] != bounds.high[Y]) {
		bounds.low[X] = 0;
		bounds.high[X] = kernel.grid[0] - 1;
	}
	return bounds;
}

void KernelTable::begin_block(uint32_t recorded, uint32_t block)
{
	uint64_t blocks = (uint64_t)described.grid[0] * described.grid[1] *
			  described.grid[2];
	uint64_t first = (uint64_t)recorded * described.sample_n;
	uint64_t end = std::min(blocks, first + described.sample_n);

	point = position(described, block);
	stands_for = bounds_of(described, first, end - 1);
	block_warps.clear();
}

void KernelTable::add_warp(const WarpProgram &warp, uint64_t footprint)
{
	uint32_t number = block_warps.size();
	FoldedWarp folded = folder.fold(warp, listed, plain);
	std::vector<uint32_t> chosen;
	uint32_t root = root_of(folded);
	uint32_t program;

	point[WARP] = stands_for.low[WARP] = stands_for.high[WARP] = number;
	/* Sites may be given up on the way; then the warp is another one. */
	while (!find_models(root, folded, chosen)) {
		folded = folder.fold(warp, listed, plain);
		root = root_of(folded);
	}
	if (!find_program(root, chosen, footprint, program)) {
		folded = folder.fold(warp, listed, true);
		root = root_of(folded);
		find_program(root, {}, footprint, program);
	}

	uint32_t list = folded.lines.empty() ? 0 : 1 + lines.intern(folded.lines);

	block_warps.push_back({program, list});
}

void KernelTable::end_block()
{
	uint32_t entry = entries.intern(block_warps);

	changes += entry_of.empty() || entry_of.back() != entry;
	entry_of.push_back(entry);
}

uint64_t KernelTable::bytes() const
{
	return op_count * sizeof(simgpu_trace_op) +
	       programs.size() * sizeof(simgpu_trace_program) +
	       models.size() * sizeof(simgpu_trace_pattern) +
	       lines.all().size() * sizeof(uint32_t) +
	       entries.all().size() * sizeof(simgpu_trace_warp) +
	       changes * (sizeof(simgpu_trace_row) + sizeof(simgpu_trace_run));
}

/* --- what a warp does, its addresses left open --- */

uint32_t KernelTable::root_of(const FoldedWarp &folded)
{
	std::vector<uint64_t> key;

	for (const Part &part : folded.parts)
		key.push_back(part.shape | (uint64_t)part.trips << 32);

	uint32_t number = root_keys.intern(key);

	if (number == roots.size()) {
		roots.push_back({folded.parts, {}, 0});
		for (const Part &part : folded.parts)
			add_leaves(roots.back(), part, 0);
		find_lists(roots.back());
	}
	return number;
}

void KernelTable::add_leaves(Root &root, const Part &part, uint32_t depth)
{
	root.op_count++;
	if (!part.trips) {
		if (shapes.has_address(part.shape))
			add_leaf(root, part.shape);
		return;
	}

	size_t first = root.leaves.size();

	root.op_count++;
	for (const Part &inner : shapes.parts_of(part.shape))
		add_leaves(root, inner, depth + 1);
	for (int64_t stride : shapes.strides_of(part.shape)) {
		Leaf &leaf = root.leaves[first++];
		int64_t way = stride * ((int64_t)part.trips - 1);

		leaf.strides[depth] = stride;
		leaf.lines *= part.trips;
		(way < 0 ? leaf.low : leaf.high) += way;
	}
}

/* About how many lines one access has. */
static double lines_of(const LaneForm &form, uint32_t lanes)
{
	double bytes = (double)std::abs(form.lane_stride) * lanes;

	return std::min<double>(lanes, 1 + bytes / SIMGPU_TRACE_LINE_BYTES);
}

void KernelTable::add_leaf(Root &root, uint32_t shape)
{
	const WarpOp &op = shapes.op_of(shape);
	uint32_t group = op.form.group_lanes ? op.form.group_lanes : WARP_LANES;
	uint32_t lanes = op.op.active_lanes;
	int64_t lane_way = op.form.lane_stride *
			   ((int64_t)std::min(group, lanes) - 1);
	int64_t group_way = op.form.group_stride * ((lanes - 1) / group);
	Leaf leaf = {};

	leaf.site = op.site;
	leaf.form = op.form;
	leaf.lanes = lanes;
	leaf.lines = lines_of(leaf.form, lanes);
	leaf.high = op.form.access_bytes;
	(lane_way < 0 ? leaf.low : leaf.high) += lane_way;
	(group_way < 0 ? leaf.low : leaf.high) += group_way;
	root.leaves.push_back(leaf);
}

/* Accesses of a site that go the same way share models, one after another. */
void KernelTable::find_lists(Root &root)
{
	std::map<std::vector<uint64_t>, uint32_t> seen;

	for (Leaf &leaf : root.leaves) {
		std::vector<uint64_t> key = {
			leaf.site,
			leaf.form.access_bytes | (uint64_t)leaf.lanes << 16 |
				(uint64_t)leaf.form.group_lanes << 32,
			(uint64_t)leaf.form.lane_stride,
			(uint64_t)leaf.form.group_stride,
		};

		key.insert(key.end(), leaf.strides.begin(), leaf.strides.end());
		key.push_back(seen[key]++);
		leaf.list = list_keys.intern(key);
		if (leaf.list == lists.size())
			lists.emplace_back();
		if (leaf.site >= sites.size())
			sites.resize(leaf.site + 1);
	}
}

/* --- models --- */

/* The models of a warp's addresses; false if a site was given up. */
bool KernelTable::find_models(uint32_t root, const FoldedWarp &folded,
			      std::vector<uint32_t> &chosen)
{
	bool good = true;

	chosen.clear();
	for (size_t i = 0; i < folded.addresses.size(); i++) {
		const Leaf &leaf = roots[root].leaves[i];
		Site &site = sites[leaf.site];

		chosen.push_back(find_model(leaf, folded.addresses[i]));
		if (should_list(site)) {
			listed.insert(leaf.site);
			good = false;
		}
	}
	return good;
}

uint32_t KernelTable::find_model(const Leaf &leaf, int64_t address)
{
	std::vector<uint32_t> &list = lists[leaf.list];
	Site &site = sites[leaf.site];
	size_t i;

	for (i = 0; i < list.size(); i++)
		if (models[list[i]].gives(point, address))
			break;
	if (i == list.size())
		i = learn(leaf, address, nullptr);
	if (i == list.size() && site.best != NONE)
		i = learn(leaf, address, &models[site.best]);
	if (i == list.size())
		return add_model(leaf, address);
	/* The next warp is likely to need it too. */
	std::rotate(list.begin(), list.begin() + i, list.begin() + i + 1);
	models[list.front()].uses++;
	site.lines += leaf.lines;
	if (site.best == NONE || models[list.front()].uses > models[site.best].uses)
		site.best = list.front();
	return list.front();
}

/*
 * Which of a leaf's models can learn the address; past the end: none. Of several
 * the one that began nearest does, since borders are elsewhere.
 */
size_t KernelTable::learn(const Leaf &leaf, int64_t address, const AddressModel *hint)
{
	std::vector<uint32_t> &list = lists[leaf.list];
	size_t best = list.size(), i;

	for (i = 0; i < list.size(); i++) {
		AddressModel trial = models[list[i]];

		if (trial.learn(point, address, leaf.form.access_bytes, hint) &&
		    (best == list.size() || trial.distance(point) <
					    models[list[best]].distance(point)))
			best = i;
	}
	if (best < list.size())
		models[list[best]].learn(point, address, leaf.form.access_bytes, hint);
	return best;
}

/* Like one that has served well, if there is one; but not twice in vain. */
uint32_t KernelTable::add_model(const Leaf &leaf, int64_t address)
{
	std::vector<uint32_t> &list = lists[leaf.list];
	uint32_t number = models.size();
	const AddressModel *like = nullptr;
	bool in_vain = false;

	for (uint32_t model : list) {
		if (models[model].uses >= PROVEN_USES && !like)
			like = &models[model];
		in_vain = in_vain || (models[model].inherited &&
				      models[model].uses <= 1);
	}
	if (like && !in_vain) {
		AddressModel copy(point, address, *like);

		copy.inherited = true;
		models.push_back(copy);
	} else {
		models.emplace_back(point, address);
	}
	models.back().uses = 1;
	list.insert(list.begin(), number);
	sites[leaf.site].models++;
	sites[leaf.site].lines += leaf.lines;
	return number;
}

bool KernelTable::should_list(const Site &site) const
{
	bool poor = site.models >= MODELS_FREE &&
		    site.lines < (double)site.models * LINES_PER_MODEL;

	return poor && (entry_of.size() >= BLOCKS_FREE ||
			site.models >= MODELS_EVER_FREE);
}

/* --- programs --- */

/*
 * The program with these models, or with none, of which nothing may lie outside
 * of the footprint in all of its bounds; false if even one of its own would.
 */
bool KernelTable::find_program(uint32_t root, const std::vector<uint32_t> &chosen,
			       uint64_t footprint, uint32_t &number)
{
	Program alone = {root, chosen, stands_for, Bounds::of(point)};
	std::vector<uint32_t> key = {root, 0};

	if (!lies_inside(alone, stands_for, footprint))
		return false;
	key.insert(key.end(), chosen.begin(), chosen.end());
	for (;; key[1]++) {
		number = program_keys.intern(key);
		if (number == programs.size()) {
			programs.push_back(alone);
			op_count += roots[root].op_count;
			return true;
		}

		Program &program = programs[number];
		Bounds bounds = program.bounds;

		bounds.widen(stands_for);
		if (program.bounds.contains(stands_for) ||
		    lies_inside(program, bounds, footprint)) {
			program.bounds = bounds;
			program.recorded.widen(Bounds::of(point));
			return true;
		}
	}
}

bool KernelTable::lies_inside(const Program &program, const Bounds &bounds,
			      uint64_t footprint) const
{
	const std::vector<Leaf> &leaves = roots[program.root].leaves;

	for (size_t i = 0; i < program.models.size(); i++) {
		int64_t low, high;

		models[program.models[i]].range(bounds, low, high);
		if (low + leaves[i].low < 0 ||
		    high + leaves[i].high > (int64_t)footprint)
			return false;
	}
	return true;
}

/* --- sections --- */

/*
 * A stride that was open when a program was recorded can have been found since,
 * and lead the thread blocks that the recorded ones stand for out of the
 * footprint. Then they stay where those were.
 */
KernelSections KernelTable::finish(size_t runs_left, uint64_t footprint)
{
	KernelSections sections = {};

	sections.kernel = described;
	for (const Program &program : programs) {
		bool stays = !lies_inside(program, program.bounds, footprint);
		size_t first = sections.ops.size(), leaf = 0;

		for (const Part &part : roots[program.root].parts)
			emit(program, stays ? &program.recorded : nullptr, part,
			     leaf, sections.patterns, sections.ops);
		sections.op_counts.push_back(sections.ops.size() - first);
	}
	sections.kernel.program_count = programs.size();
	sections.kernel.first_warp = SIMGPU_TRACE_NO_WARPS;
	if (!all_are_alike())
		emit_table(sections, runs_left);
	sections.lines = std::move(lines);
	return sections;
}

/* @still: see pattern_of() */
void KernelTable::emit(const Program &program, const Bounds *still, const Part &part,
		       size_t &leaf, Patterns &patterns,
		       std::vector<simgpu_trace_op> &ops) const
{
	simgpu_trace_op op = {};

	if (part.trips) {
		op.kind = SIMGPU_TRACE_LOOP;
		op.count = part.trips;
		ops.push_back(op);
		for (const Part &inner : shapes.parts_of(part.shape))
			emit(program, still, inner, leaf, patterns, ops);
		op.kind = SIMGPU_TRACE_LOOP_END;
		op.count = 0;
	} else {
		op = shapes.op_of(part.shape).op;
	}
	if (!part.trips && shapes.has_address(part.shape)) {
		const Leaf &access = roots[program.root].leaves[leaf];

		op.pattern = patterns.number(pattern_of(access,
					models[program.models[leaf]], still));
		leaf++;
	}
	ops.push_back(op);
}

/* @still: bounds; in dimensions in which they have no extent, nothing moves. */
simgpu_trace_pattern KernelTable::pattern_of(const Leaf &leaf,
					     const AddressModel &model,
					     const Bounds *still) const
{
	simgpu_trace_pattern pattern = {};
	int64_t strides[DIMENSIONS];
	Point begin = {};

	for (int i = 0; i < DIMENSIONS; i++) {
		bool stays = still && still->low[i] == still->high[i];

		strides[i] = stays ? 0 : model.stride(i);
		begin[i] = stays ? still->low[i] : 0;
	}

	pattern.kind = SIMGPU_TRACE_AFFINE;
	pattern.access_bytes = leaf.form.access_bytes;
	pattern.base = model.at(begin);
	for (int i = X; i <= Z; i++)
		pattern.block_stride[i] = strides[i];
	pattern.warp_stride = strides[WARP];
	pattern.lane_stride = leaf.form.lane_stride;
	pattern.group_lanes = leaf.form.group_lanes;
	pattern.group_stride = leaf.form.group_stride;
	for (size_t i = 0; i < leaf.strides.size(); i++)
		pattern.loop_stride[i] = leaf.strides[i];
	return pattern;
}

/* Whether every warp runs the one program and has no recorded lines. */
bool KernelTable::all_are_alike() const
{
	if (!has_rows || programs.size() != 1 || entries.count() != 1)
		return false;
	for (const Part &part : roots[programs[0].root].parts)
		if (has_lines(part))
			return false;
	return true;
}

bool KernelTable::has_lines(const Part &part) const
{
	if (!part.trips)
		return is_memory(shapes.op_of(part.shape).op) &&
		       !shapes.has_address(part.shape);
	for (const Part &inner : shapes.parts_of(part.shape))
		if (has_lines(inner))
			return true;
	return false;
}

/* The warp table: an entry for each thread block, or rows if they are smaller. */
void KernelTable::emit_table(KernelSections &sections, size_t runs_left) const
{
	simgpu_trace_kernel &kernel = sections.kernel;
	uint32_t length = kernel.sample_n == 1 ? kernel.grid[0] : entry_of.size();

	kernel.first_warp = 0;
	sections.warps = entries.all();
	if (has_rows)
		emit_rows(length, sections);

	size_t saved = (entry_of.size() * warps_per_block - sections.warps.size()) *
		       sizeof(simgpu_trace_warp);
	size_t cost = sections.rows.size() * sizeof(simgpu_trace_row) +
		      sections.runs.size() * sizeof(simgpu_trace_run);

	if (has_rows && cost < saved && sections.runs.size() <= runs_left &&
	    sections.rows.size() <= runs_left) {
		kernel.table_blocks = entries.count();
		kernel.row_count = sections.rows.size();
		return;
	}
	sections.rows.clear();
	sections.runs.clear();
	sections.warps.clear();
	for (uint32_t entry : entry_of) {
		auto first = entries.all().begin() + entries.list(entry).first;

		sections.warps.insert(sections.warps.end(), first,
				      first + warps_per_block);
	}
}

/* Rows that are like the one before join it; others may share earlier runs. */
void KernelTable::emit_rows(uint32_t length, KernelSections &sections) const
{
	std::map<std::vector<uint32_t>, simgpu_trace_row> known;

	for (size_t at = 0; at < entry_of.size(); at += length) {
		auto first = entry_of.begin() + at;
		std::vector<uint32_t> row(first, first + length);
		uint32_t end = at / length + 1;
		auto found = known.find(row);

		if (found == known.end()) {
			simgpu_trace_row added = {end,
				(uint32_t)sections.runs.size(), 0};

			for (uint32_t i = 0; i < length; i++)
				if (i + 1 == length || row[i] != row[i + 1])
					sections.runs.push_back({i + 1, row[i]});
			added.run_count = sections.runs.size() - added.first_run;
			found = known.emplace(row, added).first;
		}
		if (!sections.rows.empty() &&
		    sections.rows.back().first_run == found->second.first_run) {
			sections.rows.back().end = end;
			continue;
		}
		sections.rows.push_back(found->second);
		sections.rows.back().end = end;
	}
}

} /* namespace record */
