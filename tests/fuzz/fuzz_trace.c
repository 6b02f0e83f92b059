// SPDX-License-Identifier: GPL-2.0
/*
 * Mutated traces for the validator that the kernel uses (libFuzzer). Seven of
 * eight get their size and checksum repaired, so that they reach what lies
 * behind the header. What is accepted runs on a small GPU for a while, where it
 * must neither crash nor count more than there can be; and another reader of the
 * format must find no address of some of its warps outside of the footprint.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <linux/simgpu_trace.h>
#include "../../kmod/sim/gpu.h"
#include "../../userspace/workloads/builder.h"
#include "../unit/small.h"
#include "../unit/test_recorder_expand.h"

#define CYCLES		2000
#define STEPS		2000
#define WARPS		16

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed)
{
	struct simgpu_trace_header *header = (void *)data;

	size = LLVMFuzzerMutate(data, size, room);
	if (seed % 8 && size >= sizeof(*header)) {
		/* Most as the newest version, some as older ones, which end earlier. */
		u32 sections = SIMGPU_TRACE_SECTIONS;

		header->version = SIMGPU_TRACE_VERSION;
		if (seed % 64 == 1) {
			header->version = 1;
			sections = SIMGPU_TRACE_SECTIONS_V1;
		} else if (seed % 64 < 16) {
			header->version = 2;
			sections = SIMGPU_TRACE_SECTIONS_V2;
		} else if (seed % 64 < 24) {
			header->version = 3;
			sections = SIMGPU_TRACE_SECTIONS_V3;
		}
		header->magic = SIMGPU_TRACE_MAGIC;
		header->header_bytes =
			offsetof(struct simgpu_trace_header, sections) +
			sections * sizeof(header->sections[0]);
		header->total_bytes = size;
		builder_seal(data, size);
	}
	return size;
}

static void run_kernel(const struct gpu_config *config,
		       const struct trace *trace, u32 kernel)
{
	void *memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	struct simgpu_counters counters;
	struct gpu *gpu;
	u32 i;

	MUST(memory);
	gpu = gpu_init(memory, config, 1);
	for (i = 0; i < config->sms; i++)
		gpu_sm_assign(gpu, i, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(gpu, 0, trace, kernel);
	gpu_run(gpu, CYCLES);
	gpu_tenant_counters(gpu, 0, &counters);
	MUST(counters.warp_instructions <=
	     (u64)CYCLES * config->sms * config->schedulers_per_sm);
	MUST(counters.thread_instructions <= counters.warp_instructions * 32);
	MUST(counters.l1_misses <= counters.l1_accesses);
	MUST(counters.llc_misses <= counters.llc_accesses);
	MUST(counters.blocks_finished <= trace->kernels[kernel].blocks);
	gpu_tenant_drop(gpu, 0);
	free(memory);
}

/* What is managed is whole blocks in ascending order, each with memory of the trace. */
static void look_at_managed(const struct trace *trace)
{
	u64 end = 0;
	u32 i;

	for (i = 0; i < trace->managed_count; i++) {
		const struct trace_span *span = &trace->managed[i];

		MUST(span->first % TRACE_MEMORY_BLOCK_BYTES == 0);
		MUST(span->end % TRACE_MEMORY_BLOCK_BYTES == 0);
		MUST(span->first < span->end && span->first < trace->footprint_bytes);
		MUST(span->end < trace->footprint_bytes + TRACE_MEMORY_BLOCK_BYTES);
		MUST(!i || span->first > end);
		end = span->end;
	}
}

static void run(const void *bytes, u64 memory_bytes)
{
	struct gpu_config config = small_config();
	void *memory = calloc(1, memory_bytes);
	const struct trace *trace;
	u32 kernel;

	MUST(memory);
	config.sms = 2;
	trace = trace_decode(bytes, memory);
	look_at_managed(trace);
	for (kernel = 0; kernel < trace->kernel_count && kernel < 4; kernel++)
		if (gpu_kernel_fits(&config, &trace->kernels[kernel]))
			run_kernel(&config, trace, kernel);
	free(memory);
}

/* Some warps of a kernel: the first, the last, and others between them. */
static void expand_some(const struct trace_file *file,
			const struct simgpu_trace_kernel *kernel)
{
	u64 blocks = blocks_of(kernel);
	u32 warps = warps_of(kernel), i;

	for (i = 0; i < WARPS; i++) {
		struct steps steps = { .most = STEPS };
		u64 block = i == 1 ? blocks - 1 :
			    i * 0x9e3779b97f4a7c15ULL % blocks;
		const char *error = expand_warp(file, kernel, block,
						i == 1 ? warps - 1 : i % warps,
						&steps);

		MUST(error != past_footprint && error != past_mixes);
		free_steps(&steps);
	}
}

static void expand(void *bytes, size_t size)
{
	struct trace_file file = { .bytes = bytes, .size = size };
	u64 i;

	MUST(open_trace(&file));
	for (i = 0; i < section_count(&file, SIMGPU_TRACE_KERNELS) && i < 4; i++)
		expand_some(&file, &file.kernels[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_error error = { 0 };
	/* As an upload: aligned, and with nothing readable behind it. */
	void *bytes = malloc(size ? size : 1);
	u64 memory_bytes;
	int ret;

	MUST(bytes);
	memcpy(bytes, data, size);
	ret = trace_check(bytes, size, &memory_bytes, &error);
	if (!ret) {
		run(bytes, memory_bytes);
		expand(bytes, size);
	} else {
		MUST(ret == -EINVAL || ret == -E2BIG);
		MUST(*error.field && *error.reason);
	}
	free(bytes);
	return 0;
}
