/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of converted Accel-Sim traces share: small traces as text, and their parts. */
#ifndef TESTS_UNIT_ACCELSIM_H
#define TESTS_UNIT_ACCELSIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <linux/simgpu_trace.h>
#include "../../kmod/sim/trace.h"
#include "../../userspace/accelsim/accelsim.h"

#define HEADER \
	"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
	"-shmem = 0\n-nregs = 16\n-shmem base_addr = 0x7f0000000000\n" \
	"-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format\n\n"
/* As Accel-Sim 2.0 writes it, for Hopper. */
#define HEADER_6 \
	"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
	"-shmem = 0\n-nregs = 16\n-binary version = 90\n" \
	"-accelsim tracer version = 6\n-enable lineinfo = 0\n\n#traces format\n\n"
#define BLOCK(count, text) \
	"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " #count "\n" \
	text "\n#END_TB\n"

struct outcome {
	struct accelsim_counts counts;
	void *trace;
	char *error;
	unsigned int warnings;
	char last_warning[256];
};

static inline void hear_warning(void *context, const char *text)
{
	struct outcome *outcome = context;

	assert_true(strstr(text, ".traceg:") || strstr(text, ".tracez:") ||
		    strstr(text, "kernelslist.g:"));
	snprintf(outcome->last_warning, sizeof(outcome->last_warning), "%s", text);
	outcome->warnings++;
}

/* What comes of it is good, or there is a reason. */
static inline struct outcome convert_path(const char *path, size_t most, bool kernels_alone)
{
	struct outcome outcome = { .trace = NULL };
	const struct accelsim_listener listener = {
		.context = &outcome, .warning = hear_warning,
	};
	struct trace_error error;
	u64 memory_bytes;
	size_t length;

	outcome.trace = accelsim_convert(path, "test", most, kernels_alone, &listener,
					 &outcome.counts, &length,
					 &outcome.error);
	if (!outcome.trace)
		assert_non_null(outcome.error);
	else
		assert_int_equal(trace_check(outcome.trace, length,
					     &memory_bytes, &error), 0);
	return outcome;
}

static inline struct outcome convert_bytes(const char *bytes, size_t count,
				    const char *ending, size_t most)
{
	char path[] = "/tmp/simgpu-test-XXXXXX.traceg.xz";
	struct outcome outcome;
	FILE *file;
	int fd;

	strcpy(strrchr(path, 'X') + 1, ending);
	fd = mkstemps(path, (int)strlen(ending));
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	outcome = convert_path(path, most, false);
	unlink(path);
	return outcome;
}

static inline struct outcome convert(const char *text)
{
	return convert_bytes(text, strlen(text), ".traceg",
			     SIMGPU_TRACE_BYTES_MAX);
}

static inline void outcome_free(struct outcome *outcome)
{
	free(outcome->trace);
	free(outcome->error);
}

static inline const void *section(const struct outcome *outcome, u32 id, u64 *count)
{
	const struct simgpu_trace_header *header = outcome->trace;

	*count = 0;
	/* Older versions have less sections. */
	if (offsetof(struct simgpu_trace_header, sections) +
	    (id + 1) * sizeof(header->sections[0]) > header->header_bytes)
		return NULL;
	*count = header->sections[id].count;
	return (const char *)outcome->trace + header->sections[id].offset;
}

static inline const struct simgpu_trace_op *op_at(const struct outcome *outcome,
					   u32 index)
{
	const struct simgpu_trace_op *ops;
	u64 count;

	ops = section(outcome, SIMGPU_TRACE_OPS, &count);
	assert_true(index < count);
	return &ops[index];
}

static inline u32 line_at(const struct outcome *outcome, u32 index)
{
	const __u32 *lines;
	u64 count;

	lines = section(outcome, SIMGPU_TRACE_LINES, &count);
	assert_true(index < count);
	return lines[index];
}

static inline u64 count_of(const struct outcome *outcome, u32 id)
{
	u64 count;

	section(outcome, id, &count);
	return count;
}

static inline void expect_access(const struct outcome *outcome, u32 index, u32 kind,
			  u32 count, u32 after, u32 consume_after)
{
	const struct simgpu_trace_op *op = op_at(outcome, index);

	assert_int_equal(op->kind, kind);
	assert_int_equal(op->count, count);
	assert_int_equal(op->after, after);
	assert_int_equal(op->consume_after, consume_after);
}

/* A mix as text, as builder_mix() reads it. */
static inline void mix_text(const struct outcome *outcome, u32 mix, char *text)
{
	const struct simgpu_trace_instruction *list;
	const struct simgpu_trace_mix *mixes;
	u64 count;
	u32 i;

	mixes = section(outcome, SIMGPU_TRACE_MIXES, &count);
	assert_in_range(mix, 1, count);
	list = section(outcome, SIMGPU_TRACE_INSTRUCTIONS, &count);
	mixes += mix - 1;
	assert_true(mixes->first_instruction + mixes->instruction_count <= count);
	list += mixes->first_instruction;
	for (i = 0; i < mixes->instruction_count; i++) {
		text += sprintf(text, "%s%c%u", i ? " " : "",
				"IFDSTMC"[list[i].unit], list[i].after);
		if (list[i].passes > 1)
			text += sprintf(text, "*%u", list[i].passes);
	}
}

static inline void expect_burst(const struct outcome *outcome, u32 index, u32 count,
			 const char *mix)
{
	const struct simgpu_trace_op *op = op_at(outcome, index);
	char text[SIMGPU_TRACE_MIX_MAX * 8];

	assert_int_equal(op->kind, SIMGPU_TRACE_COMPUTE);
	assert_int_equal(op->count, count);
	assert_int_equal(op->issue_cycles, 0);
	mix_text(outcome, op->mix, text);
	assert_string_equal(text, mix);
}

#endif /* TESTS_UNIT_ACCELSIM_H */
