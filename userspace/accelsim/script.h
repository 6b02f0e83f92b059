/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the traced program did on the host, as its list says it: launches of kernels in CUDA
 * streams, and copies. It becomes the commands of a trace.
 */
#ifndef ACCELSIM_SCRIPT_H
#define ACCELSIM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu_trace.h>

#include "../workloads/builder.h"
#include "pages.h"

/**
 * struct step - a line of the list
 * @kind: SIMGPU_TRACE_COMMAND_KERNEL, SIMGPU_TRACE_COMMAND_COPY_IN or
 *	SIMGPU_TRACE_COMMAND_COPY_OUT
 * @what: of a kernel: its stream, an index in &script.streams
 * @address: of a copy: its first byte in the traced program's memory on the device
 * @bytes: of a copy: its size, 1 to SIMGPU_TRACE_COPY_BYTES_MAX
 */
struct step {
	enum simgpu_trace_command_kind kind;
	uint32_t what;
	uint64_t address;
	uint64_t bytes;
};

/**
 * struct script - the list
 * @steps: its lines, @count of them
 * @streams: CUDA streams, @stream_count of them, in the order in which they were first used
 * @copies: copies in @steps
 * @copied_bytes: their bytes
 */
struct script {
	struct step *steps;
	size_t count;
	size_t room;
	uint64_t streams[SIMGPU_TRACE_KERNELS_MAX];
	uint32_t stream_count;
	uint64_t copies;
	uint64_t copied_bytes;
};

/* Add the next kernel of the trace, launched in a stream. Return: 0 or -ENOMEM. */
int script_kernel(struct script *script, uint64_t stream);

/* Add a copy; the parameters are those of &struct step. Return: 0 or -ENOMEM. */
int script_copy(struct script *script, enum simgpu_trace_command_kind kind, uint64_t address,
		uint64_t bytes);

/* Queues that the streams become. */
uint32_t script_queues(const struct script *script);

/* Whether it is more than kernels that run one after the other. */
bool script_needs_commands(const struct script *script);

/**
 * script_build() - add allocations and commands to a trace
 * @pages: pages that the kernels touch
 * @order: places of @pages
 * @footprint: bytes that the trace touches; is made larger for copies that end behind it
 *
 * Streams are divided among the queues in the order in which they were first used. A copy
 * waits for all work before it, and all work behind it waits for it. It copies where the
 * kernels' lines of the same addresses lie. Memory that no kernel touches has no place: of
 * a copy that is partly there the rest is copied to the same place again, and all copies
 * that are wholly there to one block behind the kernels' memory.
 *
 * Return: 0; -ENOMEM; -E2BIG if there are more commands or allocations than a trace has.
 */
int script_build(const struct script *script, struct builder *builder,
		 const struct pages *pages, const uint32_t *order, uint64_t *footprint);

void script_free(struct script *script);

#endif /* ACCELSIM_SCRIPT_H */
