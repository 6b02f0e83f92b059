// SPDX-License-Identifier: GPL-2.0
/* The needs of a trace's thread blocks beside what an SM has; see fits.h. */
#include <stdlib.h>

#include "../offline/run.h"
#include "demangle.h"
#include "fits.h"

/* Something of which an SM has so much and a thread block needs so much. */
struct need {
	const char *what;
	u64 need;
	u64 have;
};

/* The first need of a kernel's thread blocks that an SM cannot meet; NULL: none. */
static const struct need *unmet(const struct need *needs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (needs[i].need > needs[i].have)
			return &needs[i];
	return NULL;
}

static void say_kernel(const struct trace *trace, u32 index,
		       const struct gpu_config *config, char *words)
{
	const struct trace_kernel *kernel = &trace->kernels[index];
	const struct need needs[] = {
		{ "bytes of shared memory", kernel->shared_bytes,
		  config->shared_bytes_per_sm },
		{ "threads", kernel->block_threads, config->threads_per_sm },
		{ "warps", kernel->block_warps, config->warps_per_sm },
		{ "registers", (u64)kernel->block_threads *
		  kernel->registers_per_thread, config->registers_per_sm },
	};
	const struct need *need = unmet(needs, ARRAY_SIZE(needs));
	char *name = demangle_short(kernel->name);

	if (need)
		snprintf(words, FITS_WORDS,
			 "a thread block of kernel %u (%.60s) does not fit on an SM: it needs %llu %s, and an SM of %s has %llu",
			 index, name ? name : kernel->name, need->need,
			 need->what, config->name, need->have);
	free(name);
}

/* The memory of a trace that is not managed. */
static u64 device_bytes(const struct trace *trace)
{
	u64 bytes = trace->footprint_bytes;
	u32 i;

	for (i = 0; i < trace->managed_count; i++)
		bytes -= min(trace->managed[i].end, trace->footprint_bytes) -
			 trace->managed[i].first;
	return bytes;
}

bool trace_lacks(const struct trace *trace, const struct gpu_config *config,
		 char *words)
{
	u32 i;

	if (config->memory_mb &&
	    device_bytes(trace) > (u64)config->memory_mb << 20) {
		snprintf(words, FITS_WORDS,
			 "its footprint of %llu bytes is larger than the memory of %s, which has %u MiB (memory_mb)",
			 device_bytes(trace), config->name, config->memory_mb);
		return true;
	}
	for (i = 0; i < trace->kernel_count; i++) {
		if (gpu_kernel_fits(config, &trace->kernels[i]))
			continue;
		say_kernel(trace, i, config, words);
		return true;
	}
	return false;
}

bool workload_lacks(const struct workload *workload,
		    const struct gpu_config *config, char *words)
{
	struct trace_error refusal;
	struct trace *trace;
	bool lacks;

	if (!config || offline_load_trace(workload->bytes, workload->count,
					  &refusal, &trace))
		return false;
	lacks = trace_lacks(trace, config, words);
	offline_free_trace(trace);
	return lacks;
}

int trace_check_fits(const char *who, const struct trace *trace,
		     const struct gpu_config *config)
{
	char words[FITS_WORDS];

	return trace_lacks(trace, config, words) ? fail("%s: %s", who, words) :
						   STATUS_OK;
}
