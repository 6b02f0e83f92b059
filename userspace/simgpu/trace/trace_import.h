/* SPDX-License-Identifier: GPL-2.0 */
/* What simgpu trace import has made of a profile. */
#ifndef SIMGPU_TRACE_IMPORT_H
#define SIMGPU_TRACE_IMPORT_H

#include "../../import/fit.h"
#include "../../import/program.h"
#include "../command.h"

/**
 * struct imported - an imported profile
 * @activities: what the profile says
 * @program: its kernels and commands
 * @fits: by kernel of the program
 * @config: the GPU that kernels were fitted for
 * @path: file of the profile
 * @output: file of the trace
 * @name: name of the trace
 * @kernels_alone: the trace has each kernel once, and no commands
 * @trace_bytes: size of the trace
 * @reused: kernels whose memory is also another one's, since all need more than there is
 */
struct imported {
	struct activities activities;
	struct program program;
	struct fit *fits;
	struct gpu_config config;
	const char *path;
	const char *output;
	const char *name;
	bool kernels_alone;
	size_t trace_bytes;
	u32 reused;
};

#endif /* SIMGPU_TRACE_IMPORT_H */
