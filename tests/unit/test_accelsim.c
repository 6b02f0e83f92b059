// SPDX-License-Identifier: GPL-2.0
/*
 * Converting Accel-Sim traces: each form of an instruction line, what becomes of
 * it, and what is refused. Small traces, written here as text.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
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
#include "../../userspace/accelsim/instruction.h"

#define HEADER \
	"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
	"-shmem = 0\n-nregs = 16\n-shmem base_addr = 0x7f0000000000\n" \
	"-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format\n\n"
#define BLOCK(count, text) \
	"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " #count "\n" \
	text "\n#END_TB\n"

/* --- instruction lines -------------------------------------------------------------- */

static struct instruction parse(const char *text, uint32_t version,
				uint32_t lineinfo)
{
	const struct dialect dialect = { version, lineinfo };
	struct instruction instruction;
	char line[1024];

	snprintf(line, sizeof(line), "%s", text);
	assert_null(instruction_parse(line, &dialect, &instruction));
	return instruction;
}

static void addresses_have_three_forms(void **state)
{
	struct instruction i;

	i = parse("00a0 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x1000 0x2000 0x80 0x10 0",
		  5, 0);
	assert_int_equal(i.kind, INSTRUCTION_LOAD);
	assert_int_equal(i.lanes, 4);
	assert_int_equal(i.addresses, 4);
	assert_int_equal(i.width, 8);
	assert_int_equal(i.address[1], 0x2000);
	assert_int_equal(i.address[3], 0x10);

	i = parse("00a0 000000f0 0 STG.E 2 R2 R3 4 1 0x7fb0fc461c00 -4 0", 5, 0);
	assert_int_equal(i.kind, INSTRUCTION_STORE);
	assert_int_equal(i.address[0], 0x7fb0fc461c00);
	assert_int_equal(i.address[3], 0x7fb0fc461c00 - 12);

	/* One delta less than lanes; the immediate is none of them. */
	i = parse("00a0 00000111 1 R4 LDG.E.U8 1 R2 1 2 0x1000 128 -64 77", 5, 0);
	assert_int_equal(i.width, 1);
	assert_int_equal(i.address[0], 0x1000);
	assert_int_equal(i.address[1], 0x1080);
	assert_int_equal(i.address[2], 0x1040);
}

static void dialects_differ_in_their_prefix(void **state)
{
	struct instruction i;

	i = parse("1 2 3 0 00a0 ffffffff 1 R1 MOV 0 0", 2, 0);
	assert_string_equal(i.opcode, "MOV");
	i = parse("17 00a0 ffffffff 1 R1 MOV 0 0", 4, 1);
	assert_string_equal(i.opcode, "MOV");
	assert_int_equal(i.dest_count, 1);
	assert_int_equal(i.dest[0], 1);
}

static void opcodes_have_kinds(void **state)
{
	static const struct {
		const char *line;
		uint32_t kind;
		uint32_t issue_cycles;
	} cases[] = {
		{ "0 f 1 R1 FFMA 3 R1 R2 R3 0 0", INSTRUCTION_COMPUTE, 1 },
		{ "0 f 1 R1 MUFU.RCP 1 R1 0 0", INSTRUCTION_COMPUTE, 4 },
		{ "0 f 1 R1 DFMA 3 R1 R2 R3 0 0", INSTRUCTION_COMPUTE, 2 },
		{ "0 f 0 BAR.SYNC 0 0 0", INSTRUCTION_BARRIER, 1 },
		{ "0 f 0 BAR.ARV 0 0 0", INSTRUCTION_COMPUTE, 1 },
		{ "0 f 1 R1 ATOMG.E.ADD 1 R2 4 1 0x80 4 0",
		  INSTRUCTION_ATOMIC, 1 },
		{ "0 f 0 RED.E.ADD 1 R2 4 1 0x80 4 0", INSTRUCTION_ATOMIC, 1 },
		{ "0 f 1 R1 LDS 1 R2 4 1 0x80 4 0", INSTRUCTION_SHARED, 1 },
		/* From a constant bank without, and with, an address. */
		{ "0 f 1 R1 LDC 1 R2 0 0", INSTRUCTION_COMPUTE, 1 },
		{ "0 f 1 R1 LDC 1 R2 4 1 0x80 0 0", INSTRUCTION_CONSTANT, 1 },
		{ "0 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 0",
		  INSTRUCTION_COMPUTE, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct instruction got = parse(cases[i].line, 5, 0);

		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(got.issue_cycles, cases[i].issue_cycles);
	}
}

static void broken_lines_say_why(void **state)
{
	static const char *const lines[] = {
		"", "zz ffffffff 0 EXIT 0 0", "0 fffffffff 0 EXIT 0 0",
		"0 f 9 R1 MOV 0 0", "0 f 1 Q1 MOV 0 0", "0 f 1 R999 MOV 0 0",
		"0 f 0", "0 f 0 EXIT", "0 f 0 EXIT 0", "0 f 0 EXIT 0 -1",
		"0 f 1 R1 LDG.E 1 R2 4", "0 f 1 R1 LDG.E 1 R2 4 3 0x80",
		"0 f 1 R1 LDG.E 1 R2 4 0 0x80 0x90 0xa0",
		"0 f 1 R1 LDG.E 1 R2 4 2 0x80 4 4",
	};
	const struct dialect dialect = { 5, 0 };
	struct instruction instruction;
	char line[256];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		strcpy(line, lines[i]);
		assert_non_null(instruction_parse(line, &dialect, &instruction));
	}
}

/* --- whole traces -------------------------------------------------------------------- */

struct outcome {
	struct accelsim_counts counts;
	struct trace *trace;
	void *memory;
	char *error;
	unsigned int warnings;
};

static void hear_warning(void *context, const char *text)
{
	struct outcome *outcome = context;

	assert_non_null(strstr(text, ".traceg:"));
	outcome->warnings++;
}

static struct outcome convert_bytes(const char *bytes, size_t count,
				    const char *ending, size_t most)
{
	char path[] = "/tmp/simgpu-test-XXXXXX.traceg.xz";
	struct outcome outcome = { .trace = NULL };
	const struct accelsim_listener listener = {
		.context = &outcome, .warning = hear_warning,
	};
	struct trace_error error;
	u64 memory_bytes;
	void *encoded;
	size_t length;
	FILE *file;
	int fd;

	strcpy(strrchr(path, 'X') + 1, ending);
	fd = mkstemps(path, (int)strlen(ending));
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	encoded = accelsim_convert(path, "test", most, &listener,
				   &outcome.counts, &length, &outcome.error);
	unlink(path);
	if (!encoded) {
		assert_non_null(outcome.error);
		return outcome;
	}
	assert_int_equal(trace_check(encoded, length, &memory_bytes, &error), 0);
	outcome.memory = calloc(1, memory_bytes);
	outcome.trace = trace_decode(encoded, outcome.memory);
	free(encoded);
	return outcome;
}

static struct outcome convert(const char *text)
{
	return convert_bytes(text, strlen(text), ".traceg",
			     SIMGPU_TRACE_BYTES_MAX);
}

static void outcome_free(struct outcome *outcome)
{
	free(outcome->memory);
	free(outcome->error);
}

static void expect_op(const struct outcome *outcome, u32 index, u32 kind,
		      u32 count, u32 consume_after)
{
	const struct trace_op *op = &outcome->trace->ops[index];

	assert_int_equal(op->kind, kind);
	assert_int_equal(op->count, count);
	assert_int_equal(op->consume_after, consume_after);
}

/* Bursts, the distance from a load to its first use, partial stores. */
static void warps_become_programs(void **state)
{
	struct outcome got = convert(HEADER BLOCK(8,
		"0000 ffffffff 1 R1 MOV 0 0 0\n"
		"0010 ffffffff 1 R2 MOV 0 0 0\n"
		"0020 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7fb0fc430e00 4 0\n"
		"0030 ffffffff 1 R3 IADD3 2 R1 R2 0 0\n"
		"0040 00000000 1 R5 LDG.E 1 R4 4 1 0x0 0 0\n"
		"0050 ffffffff 1 R5 FADD 2 R4 R3 0 0\n"
		"0060 0000ffff 0 STG.E 2 R2 R5 4 1 0x7fb0fc400000 4 0\n"
		"0070 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_op(&got, 0, TRACE_COMPUTE, 2, 0);
	expect_op(&got, 1, TRACE_LOAD, 1, 1);
	expect_op(&got, 2, TRACE_COMPUTE, 2, 0);
	expect_op(&got, 3, TRACE_STORE, 1, 0);
	assert_int_equal(got.trace->ops[3].active_lanes, 16);
	expect_op(&got, 4, TRACE_COMPUTE, 1, 0);
	expect_op(&got, 5, TRACE_END, 0, 0);
	/* The lower page comes first, whichever was touched first. */
	assert_int_equal(got.trace->lines[0], 65536 / 128 + 0x0e00 / 128);
	assert_int_equal(got.trace->lines[1], TRACE_LINE_PARTIAL);
	assert_int_equal(got.counts.warp_instructions, 7);
	assert_int_equal(got.counts.thread_instructions, 6 * 32 + 16);
	assert_int_equal(got.counts.memory_instructions, 2);
	assert_int_equal(got.counts.lines, 2);
	outcome_free(&got);
}

/* Words of one bank cost a cycle each; generic accesses may be shared ones. */
static void shared_memory_has_banks(void **state)
{
	struct outcome got = convert(HEADER BLOCK(4,
		"0000 0000000f 1 R1 LDS 1 R2 4 1 0x0 128 0\n"
		"0010 0000000f 1 R1 LDS 1 R2 4 1 0x0 4 0\n"
		"0020 0000000f 1 R1 LD.E 1 R2 4 1 0x7f0000000100 4 0\n"
		"0030 0000000f 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_op(&got, 0, TRACE_SHARED, 1, 0);
	assert_int_equal(got.trace->ops[0].issue_cycles, 4);
	expect_op(&got, 1, TRACE_SHARED, 2, 0);
	assert_int_equal(got.trace->ops[1].issue_cycles, 1);
	assert_int_equal(got.counts.lines, 0);
	outcome_free(&got);
}

/* A load whose data nobody uses is waited for at the end; so are atomics. */
static void unused_loads_last_to_the_end(void **state)
{
	struct outcome got = convert(HEADER BLOCK(4,
		"0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n"
		"0010 ffffffff 0 RED.E.ADD 1 R2 4 1 0x1000 4 0\n"
		"0020 ffffffff 0 NOP 0 0 0\n"
		"0030 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_op(&got, 0, TRACE_LOAD, 1, 3);
	expect_op(&got, 1, TRACE_ATOMIC, 1, 2);
	outcome_free(&got);
}

static void garbage_in_headers_is_replaced(void **state)
{
	struct outcome got = convert(
		"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
		"-shmem = 99999999\n-nregs = 21955\n-enable lineinfo = 7\n"
		"-new key = 1\n#traces format\n"
		"#BEGIN_TB\nthread block = 0,0,0\nnew key = 2\nwarp = 0\n"
		"insts = 1\n0000 ffffffff 0 EXIT 0 0 0\n#END_TB\n");

	assert_non_null(got.trace);
	assert_int_equal(got.warnings, 3);
	assert_int_equal(got.trace->kernels[0].registers_per_thread, 32);
	assert_int_equal(got.trace->kernels[0].shared_bytes, 0);
	outcome_free(&got);
}

static void what_is_wrong_is_refused(void **state)
{
	static const char exits[] = "0000 ffffffff 0 EXIT 0 0 0\n";
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "-kernel name = k\n", "ends in its header" },
		{ "#traces\n", "no -grid dim" },
		{ "-grid dim = (0,1,1)\n#\n", "-grid dim is" },
		{ "-grid dim = (1,1,1)\n-block dim = (2048,1,1)\n#\n",
		  "more than 1024 threads" },
		{ "-grid dim = (4000000000,4000000000,4000000000)\n"
		  "-block dim = (32,1,1)\n#\n", "2^31" },
		{ HEADER, "warp 0 of thread block 0 is missing" },
		{ HEADER "thread block = 1,0,0\n", "not in the grid" },
		{ HEADER "thread block = 0,0,0\nwarp = 1\ninsts = 1\n",
		  "no warp of the thread block" },
		{ HEADER "insts = 1\n", "no warp of the thread block" },
		{ HEADER BLOCK(2, "0000 ffffffff 0 EXIT 0 0 0\n"),
		  "1 instructions less" },
		{ HEADER "thread block = 0,0,0\nwarp = 0\ninsts = 9\n",
		  "9 instructions early" },
		{ HEADER BLOCK(1, "0000 ffffffff 0\n"), "no opcode" },
		{ HEADER "what is this\n", "no line of a thread block" },
	};
	struct outcome got;
	char *twice;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = convert(cases[i].text);
		assert_null(got.trace);
		assert_non_null(strstr(got.error, cases[i].error));
		outcome_free(&got);
	}
	assert_true(asprintf(&twice, "%sthread block = 0,0,0\nwarp = 0\ninsts = 1\n%swarp = 0\ninsts = 1\n%s",
			     HEADER, exits, exits) > 0);
	got = convert(twice);
	assert_non_null(strstr(got.error, "there before"));
	outcome_free(&got);
	free(twice);
	got = convert_bytes(HEADER, strlen(HEADER), ".traceg", 100);
	assert_non_null(strstr(got.error, "larger than 100 bytes"));
	outcome_free(&got);
	got = convert_bytes("no xz", 5, ".traceg.xz", 1 << 20);
	assert_non_null(strstr(got.error, "broken off"));
	outcome_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_three_forms),
		cmocka_unit_test(dialects_differ_in_their_prefix),
		cmocka_unit_test(opcodes_have_kinds),
		cmocka_unit_test(broken_lines_say_why),
		cmocka_unit_test(warps_become_programs),
		cmocka_unit_test(shared_memory_has_banks),
		cmocka_unit_test(unused_loads_last_to_the_end),
		cmocka_unit_test(garbage_in_headers_is_replaced),
		cmocka_unit_test(what_is_wrong_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("accelsim", tests, NULL, NULL);
}
