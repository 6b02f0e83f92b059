// SPDX-License-Identifier: GPL-2.0
/*
 * Managed memory: faults, the pager's times to the cycle, copies beside the curve of
 * measured ones, eviction, and that no bit depends on threads or pauses.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/params.h"
#include "../../kmod/sim/sim.h"
#include "paged.h"

static u64 remote_lines(struct bench *bench)
{
	struct session_memory memory;

	session_memory_report(bench->session, &memory);
	return memory.remote_lines[0];
}

static u64 cycles_of(const struct gpu_config *config, u64 ns)
{
	return (ns * config->core_mhz + 999) / 1000;
}

static u64 copy_cycles(const struct gpu_config *config, u64 bytes)
{
	u32 rate = config->link_in_mb_per_s;

	return cycles_of(config, config->link_setup_ns) +
	       (bytes * config->core_mhz + rate - 1) / rate;
}

/* What one fault of one page takes. */
static u64 fault_cycles(const struct gpu_config *config)
{
	return cycles_of(config, config->fault_batch_ns) +
	       cycles_of(config, config->fault_block_ns) +
	       cycles_of(config, config->fault_page_ns) +
	       copy_cycles(config, (u64)config->page_kb << 10);
}

/* The cycle in which the only load of a session is sent, which is after @before. */
static u64 sent_at(struct bench *bench, u64 before)
{
	assert_int_equal(session_run(bench->session, before), SESSION_RUNNING);
	assert_int_equal(counted(bench, 0).load_requests, 0);
	while (!counted(bench, 0).load_requests)
		assert_int_equal(session_run(bench->session, 1), SESSION_RUNNING);
	return session_now(bench->session);
}

/* --- times --------------------------------------------------------------------------------- */

/* A GPU with sectors and a crossbar without ports that block, made small as small_config(). */
static void set_sectored(struct gpu_config *config)
{
	*config = *gpu_config_find("v100");
	config->sms = 8;
	config->channels = 4;
	config->llc_slices = 8;
	config->managed_mb = 2;
}

/* On an idle device a copy engine adds nothing to what the link takes. */
static void one_fault_takes_its_time(void **state)
{
	static const struct {
		u32 page_kb;
		u32 engines;
		bool sectored;
		u32 arbitration;
	} cases[] = {
		{ .page_kb = 4, .engines = 1 }, { .page_kb = 64, .engines = 1 },
		{ .page_kb = 2048, .engines = 1 }, { .page_kb = 64, .engines = 8 },
		{ .page_kb = 4 }, { .page_kb = 64 }, { .page_kb = 2048 },
		{ .page_kb = 4, .engines = 1, .sectored = true },
		{ .page_kb = 64, .engines = 1, .sectored = true,
		  .arbitration = GPU_ARBITRATE_SM },
		{ .page_kb = 2048, .sectored = true },
	};
	struct trace *trace = trace_steps(1, 128, false, 1);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 size = cases[i].page_kb;
		struct bench *resident = paged(2, size, NULL);
		struct bench *bench = paged(2, size, &memory_policy_demand);
		struct simgpu_counters counters;
		u64 sent, wanted;

		if (cases[i].sectored)
			set_sectored(&bench->options.config);
		bench->options.config.page_kb = size;
		bench->options.config.copy_engines = cases[i].engines;
		bench->options.config.slice_arbitration = cases[i].arbitration;
		resident->options.config = bench->options.config;
		manage(resident, 0);
		launch_one(resident, 0, trace);
		session_run(resident->session, 1);
		while (!counted(resident, 0).load_requests)
			session_run(resident->session, 1);
		sent = session_now(resident->session);
		wanted = sent + fault_cycles(&bench->options.config);
		manage(bench, BLOCK_BYTES);
		launch_one(bench, 0, trace);
		assert_int_equal(sent_at(bench, wanted - 10), wanted);
		run_to_end(bench);
		counters = counted(bench, 0);
		assert_int_equal(counters.faults, 1);
		assert_int_equal(counters.fault_batches, 1);
		assert_int_equal(counters.pages_in, 1);
		assert_int_equal(counters.pages_prefetched, 0);
		assert_int_equal(counters.copied_in_bytes, size << 10);
		assert_int_equal(counters.pages_evicted, 0);
		/* The warp's scheduler had nothing else to do. */
		assert_true(counters.stall_fault_cycles >=
			    fault_cycles(&bench->options.config));
		assert_true(counters.stall_memory_cycles < 1000);
		bench_free(resident);
		bench_free(bench);
	}
	trace_free(trace);
}

/* A chase has one fault a batch: GB/s by the arithmetic of the design. */
static void a_chase_has_the_rate_of_the_arithmetic(void **state)
{
	static const struct {
		u32 page_kb;
		double gb_per_s;
	} wanted[] = { { 64, 2.8 }, { 2048, 19.4 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		u32 steps = 40;
		struct bench *bench = paged(128, wanted[i].page_kb,
					    &memory_policy_demand);
		struct trace *trace = trace_steps(steps, wanted[i].page_kb << 10,
						  false, 1);
		struct simgpu_counters counters;
		double ns, rate;

		manage(bench, trace->footprint_bytes);
		launch_one(bench, 0, trace);
		ns = (double)run_to_end(bench) * 1000 / bench->options.config.core_mhz;
		counters = counted(bench, 0);
		rate = (double)counters.copied_in_bytes / ns;
		assert_int_equal(counters.fault_batches, steps);
		assert_int_equal(counters.faults, steps);
		assert_true(fabs(rate / wanted[i].gb_per_s - 1) < 0.1);
		bench_free(bench);
		trace_free(trace);
	}
}

/*
 * The curve of measured copies: GB/s = 2A/pi x atan(0.07292 x KiB), with A = 12, 24 and 48 for
 * PCI Express 3, 4 and 5. The copy of a block's first pages, which are brought at once.
 */
static void copies_follow_the_curve(void **state)
{
	static const struct {
		const char *config;
		double a;
	} links[] = { { "v100", 12 }, { "hbm80", 24 }, { "h100", 48 } };
	u32 i, kib;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		const struct gpu_config *link = gpu_config_find(links[i].config);

		for (kib = 4; kib <= 2048; kib *= 2) {
			struct trace *trace = trace_steps(1, kib << 10, false, 1);
			struct bench *bench = paged(2, 4, &memory_policy_all);
			struct gpu_config *config = &bench->options.config;
			double curve = 2 * links[i].a / M_PI * atan(0.07292 * kib);
			double far = kib < 64 ? 0.4 : 0.05, rate, ns;
			u64 before, least;

			config->link_in_mb_per_s = link->link_in_mb_per_s;
			config->link_setup_ns = link->link_setup_ns;
			/* The crossbar's ports are as wide as that GPU's. */
			config->noc_flit_bytes = link->noc_flit_bytes;
			manage(bench, kib << 10);
			launch_one(bench, 0, trace);
			before = cycles_of(config, config->fault_batch_ns) +
				 cycles_of(config, config->fault_block_ns) +
				 kib / 4 * cycles_of(config, config->fault_page_ns);
			/* Copies that have come by then are too fast. */
			least = kib * 1024 / (curve * (1 + far)) * config->core_mhz / 1000;
			/* The load is issued within the first 20 cycles. */
			ns = (double)(sent_at(bench, before + least) - before - 10) * 1000 /
			     config->core_mhz;
			rate = kib * 1024 / ns;
			if (fabs(rate / curve - 1) > far)
				fail_msg("%s: %u KiB at %.2f GB/s, not %.2f",
					 links[i].config, kib, rate, curve);
			bench_free(bench);
			trace_free(trace);
		}
	}
}

/* --- copies and kernels --------------------------------------------------------------------- */

/* When each of two tenants' launches has ended; 0: it has none. */
struct ends {
	u64 kernel;
	u64 migration;
};

static bool has_ended(const struct bench *bench, u32 slot)
{
	u32 i;

	for (i = 0; i < bench->done_count; i++)
		if (bench->done[i].slot == slot)
			return true;
	return false;
}

/*
 * A tenant whose kernel, without managed memory, waits for the memory all the time, and one
 * whose only warp reads from one block after the other, which are brought as a whole. The
 * memory has one channel, of 28 GB/s, so that the link's 24 GB/s are much of it.
 */
static struct ends side_by_side(u32 engines, bool computes)
{
	struct trace *kernel = trace_stream(75, 30, 1);
	struct trace *steps = trace_steps(3, BLOCK_BYTES, false, 1);
	struct bench *bench = paged(8, 2048, &memory_policy_all);
	struct ends ends = { 0 };
	enum session_state state;

	bench->options.config.copy_engines = engines;
	bench->options.config.channels = 1;
	bench->options.config.llc_slices = 2;
	manage(bench, 0);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 3 * BLOCK_BYTES), 0);
	if (computes)
		launch_one(bench, 0, kernel);
	launch_one(bench, 1, steps);
	do {
		state = session_run(bench->session, 100);
		if (!ends.kernel && has_ended(bench, 0))
			ends.kernel = session_now(bench->session);
		if (!ends.migration && has_ended(bench, 1))
			ends.migration = session_now(bench->session);
	} while (state != SESSION_IDLE);
	bench_free(bench);
	trace_free(kernel);
	trace_free(steps);
	return ends;
}

/*
 * Where copies go through the device, a migration slows a kernel beside it, and the other way
 * round. Where they take the link alone, the kernel only slows the three reads.
 */
static void copies_and_kernels_slow_each_other(void **state)
{
	struct ends link_alone = side_by_side(0, false), link = side_by_side(0, true);
	struct ends alone = side_by_side(1, false), both = side_by_side(1, true);

	assert_int_equal(alone.migration, link_alone.migration);
	assert_in_range(link.migration, alone.migration, alone.migration * 102 / 100);
	assert_true(both.kernel > link.kernel * 120 / 100);
	assert_true(both.migration > link.migration * 120 / 100);
}

/* --- nothing changes ----------------------------------------------------------------------- */

/* Where no tenant has managed memory, a device with some does the same, to the bit. */
static void unused_memory_changes_nothing(void **state)
{
	struct bench *without = paged(0, 64, NULL), *with = paged(64, 64, NULL);
	struct simgpu_counters first, second;

	manage(without, 0);
	manage(with, 0);
	launch_one(without, 0, middling);
	launch_one(with, 0, middling);
	assert_int_equal(run_to_end(without), run_to_end(with));
	first = counted(without, 0);
	second = counted(with, 0);
	assert_memory_equal(&first, &second, sizeof(first));
	bench_free(without);
	bench_free(with);
}

/* A second run over pages that have all come takes as long as without managed memory. */
static void pages_that_have_come_cost_nothing(void **state)
{
	struct trace *trace = trace_random(200, 10, 4, 4 * MIB);
	struct bench *bench[2];
	u64 begin[2], end[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		bench[i] = paged(8, 64, &memory_policy_all);
		manage(bench[i], i * 4 * MIB);
		launch_one(bench[i], 0, trace);
		run_to_end(bench[i]);
		/* Refresh, and all clocks, at the same phase: a common multiple of them. */
		begin[i] = 35 * 11 * 1716 * 20;
		assert_true(session_now(bench[i]->session) < begin[i]);
		assert_int_equal(session_run(bench[i]->session, 1), SESSION_IDLE);
	}
	for (i = 0; i < 2; i++) {
		u64 sequence, faults = counted(bench[i], 0).faults;

		assert_int_equal(session_launch(bench[i]->session, 0, trace, 1, begin[i],
						&sequence), 0);
		end[i] = run_to_end(bench[i]);
		assert_int_equal(counted(bench[i], 0).faults, faults);
		assert_int_equal(!faults, !i);
	}
	/* What the first runs left in the caches and rows differs a little. */
	assert_true(end[1] - begin[1] < (end[0] - begin[0]) * 102 / 100);
	assert_true(end[0] - begin[0] < (end[1] - begin[1]) * 102 / 100);
	bench_free(bench[0]);
	bench_free(bench[1]);
	trace_free(trace);
}

/* --- eviction ------------------------------------------------------------------------------ */

/* Three blocks take turns in the only chunk, and are written. Return: what was counted. */
static struct simgpu_counters written_pages(u32 engines)
{
	struct trace *trace = trace_steps(3, BLOCK_BYTES, true, 4);
	struct bench *bench = paged(2, 64, &memory_policy_demand);
	struct simgpu_counters counters;
	struct session_memory memory;

	bench->options.config.copy_engines = engines;
	manage(bench, 3 * BLOCK_BYTES);
	launch_one(bench, 0, trace);
	run_to_end(bench);
	counters = counted(bench, 0);
	assert_int_equal(counters.pages_in, 12);
	assert_int_equal(counters.pages_again, 9);
	assert_int_equal(counters.chunks_evicted, 11);
	assert_int_equal(counters.pages_evicted, 11);
	assert_int_equal(counters.copied_out_bytes, 11 << 16);
	assert_int_equal(counters.copied_in_bytes, 12 << 16);
	session_memory_report(bench->session, &memory);
	assert_string_equal(memory.policy, "demand");
	assert_string_equal(memory.fell_back, "");
	assert_int_equal(memory.chunks, 1);
	assert_int_equal(memory.chunks_used, 1);
	assert_int_equal(memory.resident_pages[0], 1);
	bench_free(bench);
	trace_free(trace);
	return counters;
}

static void written_pages_go_back(void **state)
{
	const u32 lines = 65536 / GPU_LINE_BYTES;
	struct simgpu_counters link = written_pages(0), engine = written_pages(1);

	/* Each line was written, and had left the caches when its page was copied. */
	assert_int_equal(link.dram_writebacks, 11);
	/* An engine writes all lines of a page, and finds them in the caches afterwards. */
	assert_int_equal(engine.dram_writebacks, 0);
	assert_int_equal(engine.dram_fills, 0);
	assert_int_equal(engine.llc_accesses, link.llc_accesses + (12 + 11) * lines);
	assert_int_equal(engine.llc_misses, 12 * lines);
}

/* Pages that were only read are not copied back; an eviction takes its time. */
static void read_pages_do_not_go_back(void **state)
{
	struct trace *trace = trace_steps(2, BLOCK_BYTES, false, 5);
	struct bench *bench = paged(2, 64, &memory_policy_demand);
	const struct gpu_config *config = &bench->options.config;
	struct simgpu_counters counters;
	u64 least, end;

	manage(bench, 2 * BLOCK_BYTES);
	launch_one(bench, 0, trace);
	end = run_to_end(bench);
	counters = counted(bench, 0);
	assert_int_equal(counters.chunks_evicted, 9);
	assert_int_equal(counters.copied_out_bytes, 0);
	assert_int_equal(counters.dram_writebacks, 0);
	least = 10 * fault_cycles(config) + 9 * cycles_of(config, config->evict_ns);
	assert_in_range(end, least, least + 10 * 1500);
	bench_free(bench);
	trace_free(trace);
}

/* A store that was on its way when its page was taken away is not lost. */
static void nothing_is_lost_under_pressure(void **state)
{
	struct trace *trace = trace_varied(4, 1, 16 * MIB);
	struct bench *resident = paged(0, 64, NULL);
	struct bench *bench = paged(12, 64, NULL);
	struct simgpu_counters first, second;

	/* So small that units stop, too. */
	bench->options.config.fault_buffer = 6;
	manage(resident, 0);
	manage(bench, 16 * MIB);
	launch_one(resident, 0, trace);
	launch_one(bench, 0, trace);
	run_to_end(resident);
	run_to_end(bench);
	first = counted(resident, 0);
	second = counted(bench, 0);
	assert_int_equal(first.warp_instructions, second.warp_instructions);
	assert_int_equal(first.thread_instructions, second.thread_instructions);
	assert_int_equal(first.blocks_finished, second.blocks_finished);
	assert_int_equal(first.l1_accesses, second.l1_accesses);
	assert_int_equal(first.l1_stores, second.l1_stores);
	assert_true(second.chunks_evicted > 10);
	assert_true(second.copied_out_bytes > 0);
	bench_free(resident);
	bench_free(bench);
	trace_free(trace);
}

/* --- other answers than to bring pages ------------------------------------------------------- */

/* What the policies of these tests answer for all blocks; @pinned: for block 0 alone. */
static struct {
	u32 action;
	u32 us;
	bool only_first;
} answers;

static int place_as_told(const struct simgpu_place *place, void *state,
			 struct simgpu_placement *placement)
{
	u32 i;

	for (i = 0; i < place->count; i++) {
		if (answers.only_first && place->block[i].block)
			continue;
		placement->action[i] = answers.action;
		placement->us[i] = answers.us;
	}
	return 0;
}

static const struct simgpu_memory_policy *as_told(u32 action, u32 us, bool only_first)
{
	static struct simgpu_memory_policy policy;

	policy = memory_policy_demand;
	strcpy(policy.name, "told");
	policy.place = place_as_told;
	answers.action = action;
	answers.us = us;
	answers.only_first = only_first;
	return &policy;
}

/* What the link needs for a line, or for its sectors. */
static u64 line_cycles(const struct gpu_config *config, u32 rate, u32 lines)
{
	return ((u64)lines * GPU_LINE_BYTES * config->core_mhz + rate - 1) / rate;
}

/* A line on the host: there and back through the crossbar, the link's latency and its time. */
static void a_remote_line_takes_its_time(void **state)
{
	struct trace *trace = trace_steps(3, 4096, false, 1);
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = paged(2, 64, as_told(SIMGPU_MEMORY_REMOTE, 0, false));
		const struct gpu_config *config = &bench->options.config;
		struct simgpu_counters counters;
		struct session_memory memory;
		u64 bytes;

		if (i)
			set_sectored(&bench->options.config);
		manage(bench, MIB);
		launch_one(bench, 0, trace);
		run_to_end(bench);
		counters = counted(bench, 0);
		session_memory_report(bench->session, &memory);
		/* Four bytes a lane fill a line; sectors are asked for one by one. */
		bytes = line_cycles(config, config->link_in_mb_per_s, 1);
		assert_int_equal(remote_lines(bench), i ? 12 : 3);
		assert_int_equal(counters.load_requests, remote_lines(bench));
		if (!i)
			assert_int_equal(counters.load_cycles,
					 3 * (gpu_window(config) + bytes +
					      cycles_of(config, config->link_latency_ns)));
		assert_int_equal(counters.faults, 1);
		assert_int_equal(counters.pages_in, 0);
		assert_int_equal(counters.llc_accesses, 0);
		assert_int_equal(counters.dram_fills + counters.dram_writebacks, 0);
		assert_int_equal(memory.chunks_used, 0);
		assert_int_equal(memory.resident_pages[0], 0);
		bench_free(bench);
	}
	trace_free(trace);
}

/* Many reads, or reads and writes, take what the link can carry of each. */
static void remote_lines_fill_the_link(void **state)
{
	struct trace *traces[] = { trace_stream(200, 20, 1), trace_copy(200, 20, 32) };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(traces); i++) {
		struct bench *bench = paged(2, 2048, as_told(SIMGPU_MEMORY_REMOTE, 0, false));
		const struct gpu_config *config = &bench->options.config;
		struct simgpu_counters counters;
		u64 end, least;

		manage(bench, 64 * MIB);
		launch_one(bench, 0, traces[i]);
		end = run_to_end(bench);
		counters = counted(bench, 0);
		assert_int_equal(counters.load_requests, 200 * 8 * 20);
		assert_int_equal(remote_lines(bench), (1 + i) * counters.load_requests);
		assert_int_equal(counters.llc_accesses, 0);
		least = line_cycles(config, config->link_in_mb_per_s,
				    (u32)counters.load_requests);
		/* A few faults stand before it. */
		assert_in_range(end, least, least + counters.fault_batches *
					    fault_cycles(config) + least / 10);
		bench_free(bench);
		trace_free(traces[i]);
	}
}

/* Blocks of slot 1 stay on the host; those of slot 0 are brought. */
static int second_stays(const struct simgpu_place *place, void *state,
			struct simgpu_placement *placement)
{
	u32 i;

	for (i = 0; i < place->count; i++)
		if (place->block[i].slot)
			placement->action[i] = SIMGPU_MEMORY_REMOTE;
	return 0;
}

/* Of a launch that is still to come */
#define LATE	90000000ULL

/*
 * The cycles until slot 0 has 24 MiB, if it asks for them, and until slot 1 has read 32,000
 * lines on the host, if it does; 0: it does not.
 */
static void share_link(bool copies, bool lines, u64 *copied, u64 *read)
{
	static struct simgpu_memory_policy policy;
	struct trace *brief = trace_steps(1, 128, false, 1), *stream = trace_stream(200, 20, 1);
	struct bench *bench;
	u64 sequence;

	policy = memory_policy_demand;
	strcpy(policy.name, "second-stays");
	policy.place = second_stays;
	bench = paged(32, 2048, &policy);
	manage(bench, 24 * MIB);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 64 * MIB), 0);
	if (copies)
		assert_int_equal(session_prefetch(bench->session, 0, 0, 24 * MIB), 0);
	/* So that time passes. */
	assert_int_equal(session_launch(bench->session, 0, brief, 1, LATE, &sequence), 0);
	if (lines)
		launch_one(bench, 1, stream);
	*copied = *read = 0;
	while ((copies && !*copied) || (lines && !*read)) {
		assert_int_equal(session_run(bench->session, 1000), SESSION_RUNNING);
		if (!*copied && counted(bench, 0).pages_in == 12 && !pager_is_busy(bench->session))
			*copied = session_now(bench->session);
		if (!*read && !bench->session->tenants[1].pending)
			*read = session_now(bench->session);
		assert_true(session_now(bench->session) < LATE);
	}
	bench_free(bench);
	trace_free(brief);
	trace_free(stream);
}

/* While both are under way each has half of the link: who has less to carry ends in twice its time. */
static void copies_and_lines_share_the_link(void **state)
{
	u64 copied, read, copied_beside, read_beside, none;

	share_link(true, false, &copied, &none);
	share_link(false, true, &none, &read);
	/* 4 MB of lines, 25 MB of copies */
	assert_true(5 * read < copied);
	share_link(true, true, &copied_beside, &read_beside);
	assert_in_range(read_beside, 2 * read * 9 / 10, 2 * read * 11 / 10);
	assert_in_range(copied_beside, copied + read * 8 / 10, copied + read * 11 / 10);
}

/* When the time is over, an access faults again. */
static void pages_stay_on_the_host_for_their_time(void **state)
{
	struct trace *trace = trace_steps(2, 128, false, 1000);
	struct bench *bench = paged(2, 64, as_told(SIMGPU_MEMORY_REMOTE, 300, false));
	const struct gpu_config *config = &bench->options.config;
	struct simgpu_counters counters;
	u64 end;

	/* Room for one of the two lines, so that each access goes over the link. */
	bench->options.config.l1_sets = 1;
	bench->options.config.l1_ways = 1;
	bench->options.config.fault_batch_ns = 1000;
	manage(bench, MIB);
	launch_one(bench, 0, trace);
	end = run_to_end(bench);
	counters = counted(bench, 0);
	assert_int_equal(counters.pages_in, 0);
	assert_int_equal(remote_lines(bench), 2000);
	assert_true(counters.faults > 5);
	assert_in_range(counters.faults, end / (310 * config->core_mhz),
			end / (300 * config->core_mhz) + 1);
	bench_free(bench);
	trace_free(trace);
}

/* A throttled fault takes as much longer as the policy says, to the cycle. */
static void a_throttled_fault_waits(void **state)
{
	struct trace *trace = trace_steps(1, 128, false, 1);
	u64 sent[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = paged(2, 64, as_told(SIMGPU_MEMORY_THROTTLE, i * 77, false));

		manage(bench, MIB);
		launch_one(bench, 0, trace);
		sent[i] = sent_at(bench, i ? sent[0] : fault_cycles(&bench->options.config));
		run_to_end(bench);
		assert_int_equal(counted(bench, 0).faults, 1);
		assert_int_equal(counted(bench, 0).pages_in, 1);
		if (i)
			assert_int_equal(sent[1], sent[0] + 77 *
						  bench->options.config.core_mhz);
		bench_free(bench);
	}
	trace_free(trace);
}

/* A pinned block stays while others take turns, and goes if it is the only one. */
static void a_pinned_block_stays(void **state)
{
	struct trace *trace = trace_steps(3, BLOCK_BYTES, false, 5);
	u64 in[3];
	u32 i;

	for (i = 0; i < 3; i++) {
		struct bench *bench = paged(i < 2 ? 4 : 2, 64,
					    as_told(SIMGPU_MEMORY_PIN, 0, i));

		if (!i)
			answers.action = SIMGPU_MEMORY_MIGRATE;
		manage(bench, 3 * BLOCK_BYTES);
		launch_one(bench, 0, trace);
		run_to_end(bench);
		in[i] = counted(bench, 0).pages_in;
		bench_free(bench);
	}
	assert_int_equal(in[0], 15);
	assert_int_equal(in[1], 11);
	assert_int_equal(in[2], 15);
	trace_free(trace);
}

/* Two blocks take turns in a chunk: they thrash, are throttled, and stay on the host then. */
static void thrashing_is_answered_as_by_nvidia(void **state)
{
	struct trace *trace = trace_steps(2, BLOCK_BYTES, false, 40);
	struct bench *bench = paged(2, 64, &memory_policy_uvm_thrash);
	struct simgpu_counters counters;

	manage(bench, 2 * BLOCK_BYTES);
	launch_one(bench, 0, trace);
	run_to_end(bench);
	counters = counted(bench, 0);
	/* Brought at first and at two events, then ten times throttled; then mapped. */
	assert_int_equal(counters.pages_in, 2 * (3 + 10));
	/* One of them is mapped; then the chunk is the other one's. */
	assert_int_equal(counters.faults, 2 * (3 + 10) + 1);
	assert_true(remote_lines(bench) > 0);
	bench_free(bench);
	trace_free(trace);
}

/* Some of each answer. */
static int mixed_place(const struct simgpu_place *place, void *state,
		       struct simgpu_placement *placement)
{
	u32 i;

	for (i = 0; i < place->count; i++) {
		placement->action[i] = (place->block[i].block + place->block[i].again) %
				       SIMGPU_MEMORY_ACTIONS;
		placement->us[i] = 5 + place->block[i].block;
	}
	return 0;
}

static const struct simgpu_memory_policy *mixed_policy(void)
{
	static struct simgpu_memory_policy policy;

	policy = memory_policy_demand;
	strcpy(policy.name, "mixed");
	policy.place = mixed_place;
	policy.lapse_us = 100;
	return &policy;
}

/* --- the same bits --------------------------------------------------------------------------- */

/* The views of a device take turns, the last one first. */
static void run_views(void *context, struct gpu *gpu, u64 until, bool may_pause)
{
	u32 i;

	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
		for (i = gpu->views; i-- > 0;)
			gpu_take_step(gpu, i);
}

/* Two tenants that are short of memory, somewhere on their way. */
static struct bench *busy_bench(struct trace *trace,
				const struct simgpu_memory_policy *policy, bool sectored)
{
	struct bench *bench = paged(4, 64, policy);

	if (sectored)
		set_sectored(&bench->options.config);
	bench->options.config.managed_mb = 4;

	bench->options.config.fault_buffer = 3;
	bench->options.config.fault_batch = 8;
	bench->hooks.run_gpu = run_views;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 0, 12 * MIB), 0);
	assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
	launch_one(bench, 0, trace);
	launch_one(bench, 1, trace);
	return bench;
}

static u64 hash_after(const struct simgpu_memory_policy *policy, bool sectored,
		      u32 views, u64 step)
{
	struct trace *trace = trace_varied(40, 5, 12 * MIB);
	struct bench *bench = busy_bench(trace, policy, sectored);
	struct gpu *gpu = (struct gpu *)session_gpu(bench->session);
	void *memory;
	u64 hash;

	memory = aligned_alloc(64, (gpu_view_bytes(&gpu->config, views) + 127) & ~63UL);
	gpu_set_views(gpu, memory, views);
	while (session_now(bench->session) < 300000)
		session_run(bench->session,
			    min(step, 300000 - session_now(bench->session)));
	assert_true(counted(bench, 0).chunks_evicted);
	hash = session_state_hash(bench->session);
	bench_free(bench);
	free(memory);
	trace_free(trace);
	return hash;
}

static void no_bit_depends_on_threads_or_pauses(void **state)
{
	const struct simgpu_memory_policy *policies[] = { NULL, mixed_policy() };
	u32 i;

	for (i = 0; i < 4; i++) {
		const struct simgpu_memory_policy *policy = policies[i / 2];
		u64 hash = hash_after(policy, i % 2, 1, 300000);

		assert_int_equal(hash_after(policy, i % 2, 3, 300000), hash);
		assert_int_equal(hash_after(policy, i % 2, 1, 77), hash);
		assert_int_equal(hash_after(policy, i % 2, 2, 1501), hash);
	}
}

/*
 * Change some bytes, see that the hash is no longer @hash, that of the device as it is, and
 * change them back. The caller sees at its end that the hash is @hash again.
 */
static void expect_hashed(struct bench *bench, u64 hash, void *bytes, size_t count)
{
	u8 *at = bytes;
	size_t i;

	/* Every third byte, as a hash of a device takes a while. */
	for (i = 0; i < count; i += 3) {
		at[i] ^= 0x41;
		assert_int_not_equal(session_state_hash(bench->session), hash);
		at[i] ^= 0x41;
	}
}

#define HASHED(bench, hash, object) \
	expect_hashed(bench, hash, &(object), sizeof(object))

/* The SM of a device with the most faults that nobody has taken. */
static u32 faulting_sm(const struct gpu *gpu)
{
	u32 best = 0, i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->managed_memory->sm[i].noted >
		    gpu->managed_memory->sm[best].noted)
			best = i;
	return best;
}

static void what_decides_is_hashed(void **state)
{
	struct trace *trace = trace_varied(40, 5, 12 * MIB);
	struct bench *bench = busy_bench(trace, NULL, false);
	struct gpu *gpu = (struct gpu *)session_gpu(bench->session);
	struct copy_queue *queue;
	struct sm_faults *faults;
	struct fault_wait *wait;
	struct sm *port = &gpu->sms[gpu->config.sms];
	struct pager *pager;
	u64 hash;
	u32 sm;

	do {
		session_run(bench->session, 100);
		pager = bench->session->pager;
		sm = faulting_sm(gpu);
		faults = &gpu->managed_memory->sm[sm];
		queue = &gpu->managed_memory->engine[PAGER_ENGINE].queue[GPU_COPY_IN];
	} while (!queue->jobs || pager->state == PAGER_IDLE || !pager->copies || !faults->noted ||
		 !gpu->sms[sm].faulted || pager->copy_head > PAGER_COPIES - 2);
	wait = &faults->wait[lowest_bit(gpu->sms[sm].faulted)];
	hash = session_state_hash(bench->session);
	HASHED(bench, hash, faults->note[0].cycle);
	HASHED(bench, hash, faults->note[0].page);
	HASHED(bench, hash, faults->note[0].write);
	HASHED(bench, hash, wait->wake);
	HASHED(bench, hash, wait->partial);
	HASHED(bench, hash, wait->kind);
	HASHED(bench, hash, wait->load);
	HASHED(bench, hash, wait->words);
	HASHED(bench, hash, wait->line[0]);
	HASHED(bench, hash, wait->sectors[0]);
	HASHED(bench, hash, wait->stored[0]);
	HASHED(bench, hash, pager->memory[0].pages[5].state);
	HASHED(bench, hash, pager->memory[0].pages[5].touched);
	HASHED(bench, hash, pager->memory[1].past[7]);
	HASHED(bench, hash, pager->clock);
	HASHED(bench, hash, pager->free_at);
	HASHED(bench, hash, pager->link_in);
	HASHED(bench, hash, pager->link_out);
	HASHED(bench, hash, pager->batch);
	HASHED(bench, hash, pager->state);
	HASHED(bench, hash, pager->block);
	HASHED(bench, hash, pager->victim);
	HASHED(bench, hash, pager->heard);
	HASHED(bench, hash, pager->decided);
	HASHED(bench, hash, pager->remote_next);
	HASHED(bench, hash, pager->outs);
	HASHED(bench, hash, queue->head);
	/* So many are hashed, so change the lowest byte alone. */
	expect_hashed(bench, hash, &queue->jobs, 1);
	HASHED(bench, hash, queue->sending);
	HASHED(bench, hash, queue->job[queue->head]);
	HASHED(bench, hash, port->in_free);
	HASHED(bench, hash, port->out_free);
	HASHED(bench, hash, gpu->sm_ports[gpu->config.sms].free);
	HASHED(bench, hash, pager->waited);
	HASHED(bench, hash, pager->chunk[1]);
	HASHED(bench, hash, pager->copy[pager->copy_head]);
	HASHED(bench, hash, pager->asked[0]);
	gpu->managed ^= 2;
	assert_int_not_equal(session_state_hash(bench->session), hash);
	gpu->managed ^= 2;
	assert_int_equal(session_state_hash(bench->session), hash);
	bench_free(bench);
	trace_free(trace);
}

static void what_decides_on_the_host_is_hashed(void **state)
{
	struct trace *trace = trace_varied(40, 5, 12 * MIB);
	struct bench *bench = busy_bench(trace, mixed_policy(), false);
	struct gpu *gpu = (struct gpu *)session_gpu(bench->session);
	struct remote_direction *way;
	struct pager *pager;
	u64 hash;

	do {
		assert_int_equal(session_run(bench->session, 100), SESSION_RUNNING);
		pager = bench->session->pager;
		way = &gpu->managed_memory->link.direction[REMOTE_IN];
	} while (!way->count || !pager->delays);
	hash = session_state_hash(bench->session);
	HASHED(bench, hash, pager->delayed[0]);
	HASHED(bench, hash, pager->memory[0].blocks[1]);
	HASHED(bench, hash, way->free);
	HASHED(bench, hash, way->count);
	HASHED(bench, hash, way->copies_until);
	HASHED(bench, hash, way->taken);
	HASHED(bench, hash, gpu->requests[way->waiting.head].ready);
	HASHED(bench, hash, gpu->requests[way->waiting.head].mail.sender);
	HASHED(bench, hash, gpu->slices[gpu->config.llc_slices].in_free);
	HASHED(bench, hash, gpu->slice_ports[gpu->config.llc_slices].free);
	assert_int_equal(session_state_hash(bench->session), hash);
	bench_free(bench);
	trace_free(trace);
}

/* --- tenants --------------------------------------------------------------------------------- */

/* Who leaves in the middle of a migration leaves nothing behind. */
static void a_tenant_leaves_in_the_middle(void **state)
{
	struct trace *trace = trace_varied(100, 10, 12 * MIB);
	struct session_memory memory;
	struct bench *bench;
	u64 at;

	for (at = 21000; at < 150000; at += 4550) {
		bench = paged(4, 64, at % 9100 ? NULL : mixed_policy());
		manage(bench, 12 * MIB);
		join(bench, 1);
		assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
		launch_one(bench, 0, trace);
		launch_one(bench, 1, brief);
		session_run(bench->session, at);
		session_leave(bench->session, 0);
		session_memory_report(bench->session, &memory);
		assert_int_equal(memory.resident_pages[0], 0);
		run_to_end(bench);
		session_run(bench->session, 1000);
		session_memory_report(bench->session, &memory);
		assert_int_equal(memory.chunks_used, 0);
		bench_free(bench);
	}
	trace_free(trace);
}

static void two_tenants_share_the_pager(void **state)
{
	struct trace *trace = trace_steps(8, 65536, false, 1);
	struct bench *bench = paged(16, 64, &memory_policy_demand);

	manage(bench, MIB);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, MIB), 0);
	launch_one(bench, 0, trace);
	launch_one(bench, 1, trace);
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).pages_in, 8);
	assert_int_equal(counted(bench, 1).pages_in, 8);
	/* Both fault at a time: each batch has one's, or both's. */
	assert_in_range(counted(bench, 0).fault_batches, 1, 8);
	bench_free(bench);
	trace_free(trace);
}

static void what_cannot_be_managed_is_refused(void **state)
{
	struct bench *bench = paged(0, 64, NULL);
	const char *field;
	u64 sequence;

	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_manage(bench->session, 0, MIB), -EINVAL);
	bench_free(bench);
	bench = paged(2, 64, NULL);
	bench_start(bench);
	assert_int_equal(session_manage(bench->session, 0, MIB), -EINVAL);
	join(bench, 0);
	assert_int_equal(session_manage(bench->session, 0, 0), -EINVAL);
	assert_int_equal(session_manage(bench->session, 0, (8ULL << 30) + 1), -EINVAL);
	assert_int_equal(session_manage(bench->session, 64, MIB), -EINVAL);
	assert_int_equal(session_manage(bench->session, 0, MIB), 0);
	assert_int_equal(session_manage(bench->session, 0, MIB), -EBUSY);
	assert_int_equal(session_set_sampled(bench->session, 5), -EINVAL);
	join(bench, 1);
	assert_int_equal(session_launch(bench->session, 1, brief, 1, 0, &sequence), 0);
	assert_int_equal(session_manage(bench->session, 1, MIB), -EBUSY);
	bench_free(bench);
	bench = paged(2, 64, NULL);
	bench->options.sampled = 5;
	manage(bench, 0);
	assert_int_equal(session_manage(bench->session, 0, MIB), -EINVAL);
	bench->options.config.managed_mb = 3;
	assert_int_equal(gpu_config_check(&bench->options.config, &field), -EINVAL);
	assert_string_equal(field, "managed_mb");
	bench->options.config.managed_mb = 2;
	bench->options.config.page_kb = 8;
	assert_int_equal(gpu_config_check(&bench->options.config, &field), -EINVAL);
	assert_string_equal(field, "page_kb");
	bench_free(bench);
}

/* --- policies -------------------------------------------------------------------------------- */

static int bad_place(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement)
{
	placement->bring[0][SIMGPU_BLOCK_WORDS - 1] = ~0ULL;
	return 0;
}

static int no_place(const struct simgpu_place *place, void *state,
		    struct simgpu_placement *placement)
{
	return -EINVAL;
}

static int unknown_action(const struct simgpu_place *place, void *state,
			  struct simgpu_placement *placement)
{
	placement->action[0] = SIMGPU_MEMORY_ACTIONS;
	return 0;
}

static int long_time(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement)
{
	placement->us[0] = SIMGPU_MEMORY_US_MAX + 1;
	return 0;
}

static void a_policy_that_fails_is_replaced(void **state)
{
	static const struct {
		int (*place)(const struct simgpu_place *place, void *state,
			     struct simgpu_placement *placement);
		const char *reason;
	} failures[] = {
		{ bad_place, "bad brings pages behind a block's end (slot 0, block 0)" },
		{ no_place, "bad returned an error (slot 0, block 0)" },
		{ unknown_action, "bad answers with an unknown action (slot 0, block 0)" },
		{ long_time, "bad answers with a time that is too long (slot 0, block 0)" },
	};
	struct simgpu_memory_policy bad = memory_policy_demand;
	struct trace *trace = trace_steps(2, 65536, false, 1);
	struct session_memory memory;
	struct bench *bench;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(failures); i++) {
		bad.place = failures[i].place;
		strcpy(bad.name, "bad");
		bench = paged(4, 64, &bad);
		manage(bench, MIB);
		launch_one(bench, 0, trace);
		run_to_end(bench);
		session_memory_report(bench->session, &memory);
		assert_string_equal(memory.policy, "uvm");
		assert_string_equal(memory.fell_back, failures[i].reason);
		assert_int_equal(counted(bench, 0).faults, 2);
		bench_free(bench);
	}
	trace_free(trace);
}

/* What a policy brings for faults on the pages of @faulted beside @resident ones. */
static u64 brings(const struct simgpu_memory_policy *policy, u32 page_kb, u32 pages,
		  u64 faulted, u64 resident)
{
	static struct simgpu_placement placement;
	static struct simgpu_place place;

	memset(&placement, 0, sizeof(placement));
	memset(&place, 0, sizeof(place));
	params_initial(policy->params, place.params);
	place.page_bytes = page_kb << 10;
	place.count = 1;
	place.block[0].pages = pages;
	place.block[0].faulted[0] = faulted;
	place.block[0].resident[0] = resident;
	assert_int_equal(policy->place(&place, NULL, &placement), 0);
	return placement.bring[0][0] & ~resident;
}

static void policies_bring_what_they_say(void **state)
{
	const struct simgpu_memory_policy *uvm = &memory_policy_uvm;

	assert_int_equal(brings(&memory_policy_demand, 64, 32, 2, 0), 0);
	assert_int_equal(brings(&memory_policy_all, 64, 32, 2, 0), 0xffffffff);
	assert_int_equal(brings(&memory_policy_all, 64, 5, 2, 0), 0x1f);
	/* One of two pages is not more than 51%. */
	assert_int_equal(brings(uvm, 64, 32, 2, 0), 2);
	/* Three of four are, but not of eight. */
	assert_int_equal(brings(uvm, 64, 32, 4, 3), 0xc);
	/* Five of eight are; with those brought too, eight of 16 are not. */
	assert_int_equal(brings(uvm, 64, 32, 1 << 4, 0xf), 0xf0);
	/* Each level adds to the next one. */
	assert_int_equal(brings(uvm, 64, 32, 1 << 8, 0xff), 0xff00);
	assert_int_equal(brings(uvm, 64, 32, 1 << 16, 0xffff), 0xffff0000);
	/* Pages of 4 KiB come in groups of 64 KiB. */
	assert_int_equal(brings(uvm, 4, 512, 1 << 5, 0), 0xffff);
	/* A block's end is not passed. */
	assert_int_equal(brings(uvm, 4, 7, 1, 0), 0x7f);
	assert_int_equal(brings(uvm, 2048, 1, 1, 0), 1);
}

/* Pages that each of @order touches; how many come again. */
static u64 again_under(const struct simgpu_memory_policy *policy)
{
	struct builder *b = builder_new("hot", "test");
	struct simgpu_trace_pattern hot = { .access_bytes = 4, .lane_stride = 4 };
	struct simgpu_trace_pattern cold = {
		.access_bytes = 4, .lane_stride = 4, .base = (s64)BLOCK_BYTES,
		.loop_stride = { BLOCK_BYTES },
	};
	struct bench *bench = paged(6, 64, policy);
	struct trace *trace;
	u32 first, second;
	u64 again;

	builder_footprint(b, 13 * BLOCK_BYTES);
	builder_kernel(b, "hot", 1, 32, 16, 0);
	first = builder_access(b, &hot);
	second = builder_access(b, &cold);
	builder_loop(b, 12);
	builder_load(b, first, 32, 0);
	builder_compute(b, 1, 32);
	builder_load(b, second, 32, 0);
	builder_compute(b, 1, 32);
	builder_loop_end(b);
	trace = trace_of(b, 0);
	manage(bench, trace->footprint_bytes);
	launch_one(bench, 0, trace);
	run_to_end(bench);
	again = counted(bench, 0).pages_again;
	bench_free(bench);
	trace_free(trace);
	return again;
}

/* A block that is read again and again stays only where its uses count. */
static void victims_are_those_of_the_policy(void **state)
{
	assert_int_equal(again_under(&memory_policy_lfu), 0);
	assert_true(again_under(&memory_policy_uvm) > 2);
	assert_true(again_under(&memory_policy_fifo) > 2);
	assert_true(again_under(&memory_policy_demand) > 2);
}

static void policies_are_found_by_name(void **state)
{
	const struct simgpu_memory_policy *policy;
	u32 i;

	for (i = 0; (policy = registry_memory_policy_at(i)); i++)
		assert_ptr_equal(registry_memory_policy_find(policy->name), policy);
	assert_int_equal(i, 9);
	assert_null(registry_memory_policy_find("none"));
}

/*
 * Footprints of 16 MiB in 16 MiB of memory that is not managed: the second of two plain
 * tenants waits for the first. The managed one, which came last and has 16 MiB too, does not.
 */
static void managed_memory_takes_no_room(void **state)
{
	/* Few reads: where the managed tenant's pages take turns, each may fault. */
	struct trace *reads = trace_random(8, 4, 4, 1 << 24);
	struct bench *bench = paged(8, 64, NULL);
	u64 sequence;

	bench->options.config.memory_mb = 16;
	manage(bench, 1 << 24);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 1, reads, 1, 0);
	launch(bench, 2, reads, 1, 0);
	launch(bench, 0, reads, 2, 100);
	session_run(bench->session, 500);
	assert_true(report_of(bench, 0).active);
	assert_true(report_of(bench, 1).active);
	assert_false(report_of(bench, 0).waits_for_memory);
	assert_true(report_of(bench, 2).waits_for_memory);
	assert_int_equal(report_of(bench, 2).sms, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(report_of(bench, 0).latency.launches, 1);
	assert_int_equal(report_of(bench, 2).latency.launches, 1);
	bench_free(bench);
	bench = paged(32, 64, NULL);
	bench->options.config.memory_mb = 15;
	manage(bench, 1 << 24);
	join(bench, 1);
	assert_int_equal(session_launch(bench->session, 1, reads, 1, 0, &sequence), -ENOSPC);
	launch(bench, 0, reads, 1, 0);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE), SESSION_IDLE);
	bench_free(bench);
	trace_free(reads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_fault_takes_its_time),
		cmocka_unit_test(a_chase_has_the_rate_of_the_arithmetic),
		cmocka_unit_test(copies_follow_the_curve),
		cmocka_unit_test(copies_and_kernels_slow_each_other),
		cmocka_unit_test(unused_memory_changes_nothing),
		cmocka_unit_test(pages_that_have_come_cost_nothing),
		cmocka_unit_test(written_pages_go_back),
		cmocka_unit_test(read_pages_do_not_go_back),
		cmocka_unit_test(nothing_is_lost_under_pressure),
		cmocka_unit_test(a_remote_line_takes_its_time),
		cmocka_unit_test(remote_lines_fill_the_link),
		cmocka_unit_test(copies_and_lines_share_the_link),
		cmocka_unit_test(pages_stay_on_the_host_for_their_time),
		cmocka_unit_test(a_throttled_fault_waits),
		cmocka_unit_test(a_pinned_block_stays),
		cmocka_unit_test(thrashing_is_answered_as_by_nvidia),
		cmocka_unit_test(no_bit_depends_on_threads_or_pauses),
		cmocka_unit_test(what_decides_is_hashed),
		cmocka_unit_test(what_decides_on_the_host_is_hashed),
		cmocka_unit_test(a_tenant_leaves_in_the_middle),
		cmocka_unit_test(two_tenants_share_the_pager),
		cmocka_unit_test(what_cannot_be_managed_is_refused),
		cmocka_unit_test(a_policy_that_fails_is_replaced),
		cmocka_unit_test(policies_bring_what_they_say),
		cmocka_unit_test(victims_are_those_of_the_policy),
		cmocka_unit_test(policies_are_found_by_name),
		cmocka_unit_test(managed_memory_takes_no_room),
	};

	return cmocka_run_group_tests_name("pager", tests, make_traces, free_traces);
}
