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
#include "../../userspace/workloads/burst.h"
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
	const struct dialect dialect = { version, lineinfo, 0 };
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
	} cases[] = {
		{ "0 f 1 R1 FFMA 3 R1 R2 R3 0 0", INSTRUCTION_COMPUTE },
		{ "0 f 0 BAR.SYNC 0 0 0", INSTRUCTION_BARRIER },
		{ "0 f 0 BAR.ARV 0 0 0", INSTRUCTION_COMPUTE },
		{ "0 f 1 R1 ATOMG.E.ADD 1 R2 4 1 0x80 4 0",
		  INSTRUCTION_ATOMIC },
		{ "0 f 0 RED.E.ADD 1 R2 4 1 0x80 4 0", INSTRUCTION_ATOMIC },
		{ "0 f 1 R1 LDS 1 R2 4 1 0x80 4 0", INSTRUCTION_SHARED },
		/* Of Hopper, which Ampere has not. */
		{ "0 f 0 REDG.E.ADD.F32 2 R2 R5 4 1 0x80 4 0", INSTRUCTION_ATOMIC },
		{ "0 f 1 R9 LDGMC.E.ADD.F32 1 R2 4 1 0x80 4 0", INSTRUCTION_LOAD },
		{ "0 f 0 STSM.16.MT88.4 2 R4 R8 16 1 0x80 16 0",
		  INSTRUCTION_SHARED },
		{ "0 f 0 LDGSTS.E 2 R1 R2 4 1 0x80 4 0", INSTRUCTION_COPY },
		{ "0 f 0 LDGDEPBAR 0 0 0", INSTRUCTION_GROUP },
		{ "0 f 0 DEPBAR.LE 0 0 2", INSTRUCTION_WAIT },
		/* From a constant bank without, and with, an address. */
		{ "0 f 1 R1 LDC 1 R2 0 0", INSTRUCTION_COMPUTE },
		{ "0 f 1 R1 LDC 1 R2 4 1 0x80 0 0", INSTRUCTION_CONSTANT },
		{ "0 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 0",
		  INSTRUCTION_COMPUTE },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(parse(cases[i].line, 5, 0).kind,
				 cases[i].kind);
}

static void immediates_follow_the_addresses(void **state)
{
	assert_int_equal(parse("0 f 0 DEPBAR.LE 0 0 2", 5, 0).immediate, 2);
	assert_int_equal(parse("0 f 0 DEPBAR.LE 0 0", 4, 0).immediate, 0);
	assert_int_equal(parse("0 f 1 R1 LDG 1 R2 4 2 0x80 4 4 8 -7", 5, 0)
				 .immediate, -7);
}

/* Modifiers do not count, and longer names that begin alike are others. */
static void opcodes_have_units(void **state)
{
	static const struct {
		uint32_t unit;
		const char *names;
	} cases[] = {
		{ SIMGPU_TRACE_UNIT_INTEGER,
		  "IADD3 IMAD.WIDE LOP3.LUT ISETP.GE.AND LEA.HI.X SHF.R.U32.HI "
		  "MOV SEL PRMT S2R SHFL.DOWN VOTE.ANY POPC FLO.U32 ULDC.64 "
		  "UIADD3 I2I P2R VABSDIFF4" },
		{ SIMGPU_TRACE_UNIT_FP32,
		  "FFMA FADD.FTZ FMUL FSETP.GT.AND FMNMX FSEL HFMA2.MMA HADD2 "
		  "HMUL2 FCHK F2FP.PACK_AB" },
		{ SIMGPU_TRACE_UNIT_FP64, "DFMA DADD DMUL DSETP.MAX.AND" },
		{ SIMGPU_TRACE_UNIT_SFU,
		  "MUFU.RCP MUFU.EX2 I2F.U32.RP F2I.FTZ.U32.TRUNC F2F.F64.F32 "
		  "FRND.FLOOR" },
		{ SIMGPU_TRACE_UNIT_TENSOR,
		  "HMMA.16816.F32 IMMA.8816.S8.S8 DMMA BMMA HGMMA.64x128x16.F32 "
		  "QGMMA UTCHMMA" },
		{ SIMGPU_TRACE_UNIT_SHARED,
		  "LDS.U.128 STS LDSM.16.M88.4 ATOMS.POPC.INC.32" },
		{ SIMGPU_TRACE_UNIT_CONTROL,
		  "WARPGROUP.ARRIVE ELECT BRA EXIT BSYNC BSSY NOP WARPSYNC RET.REL.NODEC MEMBAR.SC.GPU "
		  "LDGDEPBAR DEPBAR.LE BAR.ARV TEX" },
	};
	char text[256], *word, *rest;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].names);
		for (word = strtok_r(text, " ", &rest); word;
		     word = strtok_r(NULL, " ", &rest)) {
			const struct opcode *opcode = opcode_find(word);

			assert_non_null(opcode);
			assert_int_equal(opcode->unit, cases[i].unit);
		}
	}
	assert_null(opcode_find("FFM"));
	assert_null(opcode_find("FFMAX.FTZ"));
	assert_null(opcode_find(""));
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
		/* As arithmetic, its access would be lost. */
		"0 f 1 R1 LDFUTURE.E 1 R2 4 1 0x80 4 0",
	};
	const struct dialect dialect = { 5, 0, 0 };
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
	void *trace;
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
	size_t length;
	FILE *file;
	int fd;

	strcpy(strrchr(path, 'X') + 1, ending);
	fd = mkstemps(path, (int)strlen(ending));
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	outcome.trace = accelsim_convert(path, "test", most, false, &listener,
					 &outcome.counts, &length,
					 &outcome.error);
	unlink(path);
	if (!outcome.trace)
		assert_non_null(outcome.error);
	else
		assert_int_equal(trace_check(outcome.trace, length,
					     &memory_bytes, &error), 0);
	return outcome;
}

static struct outcome convert(const char *text)
{
	return convert_bytes(text, strlen(text), ".traceg",
			     SIMGPU_TRACE_BYTES_MAX);
}

static void outcome_free(struct outcome *outcome)
{
	free(outcome->trace);
	free(outcome->error);
}

static const void *section(const struct outcome *outcome, u32 id, u64 *count)
{
	const struct simgpu_trace_header *header = outcome->trace;

	*count = header->sections[id].count;
	return (const char *)outcome->trace + header->sections[id].offset;
}

static const struct simgpu_trace_op *op_at(const struct outcome *outcome,
					   u32 index)
{
	const struct simgpu_trace_op *ops;
	u64 count;

	ops = section(outcome, SIMGPU_TRACE_OPS, &count);
	assert_true(index < count);
	return &ops[index];
}

static u32 line_at(const struct outcome *outcome, u32 index)
{
	const __u32 *lines;
	u64 count;

	lines = section(outcome, SIMGPU_TRACE_LINES, &count);
	assert_true(index < count);
	return lines[index];
}

static u64 count_of(const struct outcome *outcome, u32 id)
{
	u64 count;

	section(outcome, id, &count);
	return count;
}

static void expect_access(const struct outcome *outcome, u32 index, u32 kind,
			  u32 count, u32 after, u32 consume_after)
{
	const struct simgpu_trace_op *op = op_at(outcome, index);

	assert_int_equal(op->kind, kind);
	assert_int_equal(op->count, count);
	assert_int_equal(op->after, after);
	assert_int_equal(op->consume_after, consume_after);
}

/* A mix as text, as builder_mix() reads it. */
static void mix_text(const struct outcome *outcome, u32 mix, char *text)
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

static void expect_burst(const struct outcome *outcome, u32 index, u32 count,
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

/* Bursts, the distance from a load to its first use, partial stores. */
static void warps_become_programs(void **state)
{
	struct outcome got = convert(HEADER BLOCK(8,
		"0000 ffffffff 1 R1 MOV 0 0 0\n"
		"0010 ffffffff 1 R2 MOV 0 0 0\n"
		"0020 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7fb0fcc30e00 4 0\n"
		"0030 ffffffff 1 R3 IADD3 2 R1 R2 0 0\n"
		"0040 00000000 1 R5 LDG.E 1 R4 4 1 0x0 0 0\n"
		"0050 ffffffff 1 R5 FADD 2 R4 R3 0 0\n"
		"0060 0000ffff 0 STG.E 2 R2 R5 4 1 0x7fb0fc400000 4 0\n"
		"0070 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 2, "I0");
	expect_access(&got, 1, SIMGPU_TRACE_LOAD, 1, 1, 1);
	/* R2 came later than R1, R3 later than what is not a load's. */
	expect_burst(&got, 2, 2, "I2 F1");
	expect_access(&got, 3, SIMGPU_TRACE_STORE, 1, 1, 0);
	assert_int_equal(op_at(&got, 3)->active_lanes, 16);
	expect_burst(&got, 4, 1, "C0");
	/* The lower page comes first, whichever was touched first; places in it are kept. */
	assert_int_equal(line_at(&got, 0), (2 << 20) / 128 + 0x30e00 / 128);
	/* Two sectors in full, two not at all. */
	assert_int_equal(line_at(&got, 1), 0xcU << SIMGPU_TRACE_LINE_SKIP_SHIFT);
	assert_int_equal(got.counts.warp_instructions, 7);
	assert_int_equal(got.counts.thread_instructions, 6 * 32 + 16);
	assert_int_equal(got.counts.memory_instructions, 2);
	assert_int_equal(got.counts.lines, 2);
	outcome_free(&got);
}

/* Words of one bank cost a pass each; generic accesses may be shared ones. */
static void shared_memory_has_banks(void **state)
{
	struct outcome got = convert(HEADER BLOCK(5,
		"0000 0000000f 1 R1 LDS 1 R2 4 1 0x0 128 0\n"
		"0010 0000000f 1 R3 LDS 1 R1 4 1 0x0 4 0\n"
		"0020 0000000f 1 R4 LD.E 1 R2 4 1 0x7f0000000100 4 0\n"
		"0030 0000000f 0 STS 2 R2 R4 4 1 0x0 0 0\n"
		"0040 0000000f 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 5, "M0*4 M1 M0 M1 C0");
	assert_int_equal(got.counts.lines, 0);
	outcome_free(&got);
}

/*
 * Of several producers that which comes last: an older special function beats a
 * younger addition, and what is written over counts as what is read.
 */
static void instructions_wait_for_the_last_producer(void **state)
{
	struct outcome got = convert(HEADER BLOCK(9,
		"0000 ffffffff 1 R1 MUFU.RCP 1 R9 0 0\n"
		"0010 ffffffff 1 R2 FADD 2 R9 R9 0 0\n"
		"0020 ffffffff 1 R3 FADD 2 R1 R2 0 0\n"
		"0030 ffffffff 1 R4 DADD 2 R8 R8 0 0\n"
		"0040 ffffffff 1 R5 IADD3 2 R3 R4 0 0\n"
		"0050 ffffffff 1 R5 MOV 1 R9 0 0\n"
		"0060 ffffffff 1 R255 IADD3 1 R9 0 0\n"
		"0070 ffffffff 1 R6 IADD3 1 R255 0 0\n"
		"0080 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 9, "S0 F0 F2 D0 I1 I1 I0 I0 C0");
	outcome_free(&got);
}

/* Another mask is another op, but the same warp: distances go on. */
static void lanes_part_bursts_but_not_chains(void **state)
{
	struct outcome got = convert(HEADER BLOCK(5,
		"0000 ffffffff 1 R1 FADD 1 R1 0 0\n"
		"0010 ffffffff 1 R1 FADD 1 R1 0 0\n"
		"0020 0000ffff 1 R1 FADD 1 R1 0 0\n"
		"0030 ffffffff 0 BAR.SYNC 0 0 0\n"
		"0040 ffffffff 1 R1 FADD 1 R1 0 0\n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 2, "F0 F1");
	expect_burst(&got, 1, 1, "F1");
	assert_int_equal(op_at(&got, 1)->active_lanes, 16);
	assert_int_equal(op_at(&got, 2)->kind, SIMGPU_TRACE_BARRIER);
	expect_burst(&got, 3, 1, "F2");
	outcome_free(&got);
}

/* @count lines of a loop of three, between one line before and one behind. */
static struct outcome convert_loop(int count)
{
	static const char *const body[] = {
		"0010 ffffffff 1 R1 LDS 1 R2 4 1 0x0 4 0\n",
		"0020 ffffffff 1 R4 FFMA 3 R4 R1 R6 0 0\n",
		"0030 ffffffff 0 BRA 0 0 0\n",
	};
	struct outcome got;
	size_t bytes;
	char *text;
	FILE *file = open_memstream(&text, &bytes);
	int i;

	fprintf(file, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n"
		"0000 ffffffff 1 R2 MUFU.RCP 1 R9 0 0\n", HEADER, count + 2);
	for (i = 0; i < count; i++)
		fputs(body[i % 3], file);
	fputs("0040 ffffffff 0 EXIT 0 0 0\n#END_TB\n", file);
	fclose(file);
	got = convert(text);
	free(text);
	assert_non_null(got.trace);
	return got;
}

/*
 * A loop in a burst is a mix of its body, after what comes before and differs; if
 * it is short, or the list as a whole no longer than a mix, it stays as it is.
 */
static void loops_are_folded(void **state)
{
	struct outcome got = convert_loop(6);

	expect_burst(&got, 0, 8, "S0 M1 F1 C0 M3 F1 C0 C0");
	outcome_free(&got);

	got = convert_loop(3 * 400);
	/* Once the first result is there nothing but the body is left. */
	assert_int_equal(op_at(&got, 1)->count + op_at(&got, 0)->count +
			 op_at(&got, 2)->count, 1202);
	expect_burst(&got, 2, 1, "C0");
	assert_in_range(count_of(&got, SIMGPU_TRACE_INSTRUCTIONS), 5, 64);
	outcome_free(&got);

	/* Longer than is held at once. */
	got = convert_loop(3 * 40000);
	assert_in_range(count_of(&got, SIMGPU_TRACE_INSTRUCTIONS), 5, 100);
	assert_in_range(count_of(&got, SIMGPU_TRACE_OPS), 3, 40);
	assert_int_equal(got.counts.warp_instructions, 120002);
	outcome_free(&got);
}

/* The stretch of a list is what it says, whatever the list; nothing is lost. */
static void stretches_repeat_what_they_say(void **state)
{
	static struct simgpu_trace_instruction list[6000];
	size_t total = 0, at, i, period;
	u32 random = 1;

	for (i = 0; i < 6000; i++) {
		random = random * 1103515245 + 12345;
		period = 1 + i / 1000;
		list[i] = (struct simgpu_trace_instruction) {
			.passes = 1,
			.after = i % 1000 < 500 ? i % period : random >> 20,
		};
	}
	for (at = 0; at < 6000; at += total) {
		struct stretch stretch = burst_stretch(&list[at], 6000 - at);

		total = stretch.count;
		assert_int_equal(stretch.first, 0);
		assert_in_range(total, 1, 6000 - at);
		assert_in_range(stretch.period, 1, SIMGPU_TRACE_MIX_MAX);
		assert_true(stretch.period <= total);
		for (i = stretch.period; i < total; i++)
			assert_memory_equal(&list[at + i],
					    &list[at + i - stretch.period],
					    sizeof(list[0]));
		/* The even stretches were found as such. */
		assert_true(total < 499 || stretch.period <= 6 ||
			    stretch.period == total);
	}
}

/* Copies to shared memory are waited for by group; the newest may go on. */
static void copies_wait_at_their_depbar(void **state)
{
	static const char copy[] =
		"0000 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 0x1000 4 0\n";
	struct outcome got;
	char *text;

	assert_true(asprintf(&text, "%s" BLOCK(11, "%s"
		"%s"
		"0020 ffffffff 0 LDGDEPBAR 0 0 0\n"
		"%s"
		"0040 ffffffff 0 LDGDEPBAR 0 0 0\n"
		"0050 ffffffff 0 DEPBAR.LE 0 0 1\n"
		"%s"
		"0070 ffffffff 0 DEPBAR.LE 0 0 0\n"
		"0080 ffffffff 0 LDGDEPBAR 0 0 0\n"
		"0090 ffffffff 0 DEPBAR.LE 0 0 0\n"
		"00a0 ffffffff 0 EXIT 0 0 0\n"), HEADER, copy, copy, copy,
		copy) > 0);
	got = convert(text);
	free(text);
	assert_non_null(got.trace);
	/* The first group: up to the DEPBAR at 5; the second: to that at 7. */
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 1, 0, 4);
	expect_access(&got, 1, SIMGPU_TRACE_LOAD, 1, 0, 3);
	expect_access(&got, 3, SIMGPU_TRACE_LOAD, 1, 0, 3);
	/* In no group at 7; in one, which is waited for, at 9. */
	expect_access(&got, 5, SIMGPU_TRACE_LOAD, 1, 0, 2);
	outcome_free(&got);
}

/* DEPBAR says nothing of loads into registers. */
static void depbars_leave_loads_alone(void **state)
{
	struct outcome got = convert(HEADER BLOCK(4,
		"0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n"
		"0010 ffffffff 0 LDGDEPBAR 0 0 0\n"
		"0020 ffffffff 0 DEPBAR.LE 0 0 0\n"
		"0030 ffffffff 1 R5 MOV 1 R4 0 0\n"));

	assert_non_null(got.trace);
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 1, 0, 2);
	outcome_free(&got);
}

/*
 * A load whose data nobody uses is waited for at the end; what returns nothing is
 * not. A warp's 128 bytes are four requests of an atomic.
 */
static void unused_loads_last_to_the_end(void **state)
{
	struct outcome got = convert(HEADER BLOCK(6,
		"0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0\n"
		"0010 ffffffff 0 RED.E.ADD 1 R2 4 1 0x1000 4 0\n"
		"0020 ffffffff 1 R255 ATOMG.E.ADD 1 R2 4 1 0x1000 4 0\n"
		"0030 ffffffff 1 R5 ATOMG.E.ADD 1 R2 4 1 0x1000 4 0\n"
		"0040 ffffffff 0 NOP 0 0 0\n"
		"0050 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 1, 0, 5);
	expect_access(&got, 1, SIMGPU_TRACE_ATOMIC, 4, 0, SIMGPU_TRACE_NEVER);
	expect_access(&got, 2, SIMGPU_TRACE_ATOMIC, 4, 0, SIMGPU_TRACE_NEVER);
	expect_access(&got, 3, SIMGPU_TRACE_ATOMIC, 4, 0, 2);
	outcome_free(&got);
}

/*
 * Sectors of an atomic are transactions of their own, and so are lanes that meet in
 * a word.
 */
static void atomics_do_not_share_bytes(void **state)
{
	static const u32 skip = SIMGPU_TRACE_LINE_SKIP_SHIFT;
	struct outcome got = convert(HEADER BLOCK(4,
		"0000 0000000f 0 RED.E.ADD 1 R2 4 1 0x1000 0 0\n"
		"0010 0000000f 0 RED.E.ADD 1 R2 4 0 0x1000 0x1004 0x1040 0x1040 0\n"
		"0020 0000000f 1 R1 LDG.E 1 R2 4 1 0x1000 0 0\n"
		"0030 ffffffff 0 EXIT 0 0 0\n"));
	u32 i;

	assert_non_null(got.trace);
	expect_access(&got, 0, SIMGPU_TRACE_ATOMIC, 4, 0, SIMGPU_TRACE_NEVER);
	for (i = 0; i < 4; i++)
		assert_int_equal(line_at(&got, i), 0x20 | 0xeU << skip);
	expect_access(&got, 1, SIMGPU_TRACE_ATOMIC, 3, 0, SIMGPU_TRACE_NEVER);
	assert_int_equal(line_at(&got, 4), 0x20 | 0xeU << skip);
	assert_int_equal(line_at(&got, 5), 0x20 | 0xbU << skip);
	assert_int_equal(line_at(&got, 6), 0x20 | 0xbU << skip);
	assert_int_equal(op_at(&got, 2)->count, 1);
	outcome_free(&got);
}

/* Which sectors are touched, and whether a store leaves one of them in part. */
static void lines_have_sectors(void **state)
{
	static const u32 skip = SIMGPU_TRACE_LINE_SKIP_SHIFT;
	struct outcome got = convert(HEADER BLOCK(6,
		"0000 ffffffff 0 STG.E 2 R2 R5 4 1 0x1000 4 0\n"
		"0010 0000ff00 0 STG.E 2 R2 R5 4 1 0x1020 4 0\n"
		"0020 00007f00 0 STG.E 2 R2 R5 4 1 0x1020 4 0\n"
		/* All lanes one word: it is no more than that. */
		"0030 ffffffff 0 STG.E 2 R2 R5 4 1 0x1000 0 0\n"
		/* Across the end of a line. */
		"0040 00000001 1 R1 LDG.E.128 1 R2 4 0 0x1078 0\n"
		"0050 ffffffff 0 EXIT 0 0 0\n"));
	static const u32 expected[] = {
		0x20, 0x20 | 0xdU << skip,
		0x20 | 0xdU << skip | SIMGPU_TRACE_LINE_PARTIAL,
		0x20 | 0xeU << skip | SIMGPU_TRACE_LINE_PARTIAL,
		0x20 | 0x7U << skip, 0x21 | 0xeU << skip,
	};
	u32 i;

	assert_non_null(got.trace);
	for (i = 0; i < 6; i++)
		assert_int_equal(line_at(&got, i), expected[i]);
	outcome_free(&got);
}

/* It counts as an integer one, and is named once. */
static void unknown_opcodes_are_named_once(void **state)
{
	struct outcome got = convert(HEADER BLOCK(4,
		"0000 ffffffff 1 R1 WONDER.X 0 0 0\n"
		"0010 ffffffff 1 R1 WONDER.Y 0 0 0\n"
		"0020 ffffffff 1 R1 WONDERS 0 0 0\n"
		"0030 ffffffff 0 EXIT 0 0 0\n"));

	assert_non_null(got.trace);
	assert_int_equal(got.warnings, 2);
	expect_burst(&got, 0, 4, "I0 I1 I1 C0");
	outcome_free(&got);
}

static void garbage_in_headers_is_replaced(void **state)
{
	const struct simgpu_trace_kernel *kernel;
	u64 count;
	struct outcome got = convert(
		"-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
		"-shmem = 99999999\n-nregs = 21955\n-enable lineinfo = 7\n"
		"-new key = 1\n#traces format\n"
		"#BEGIN_TB\nthread block = 0,0,0\nnew key = 2\nwarp = 0\n"
		"insts = 1\n0000 ffffffff 0 EXIT 0 0 0\n#END_TB\n");

	assert_non_null(got.trace);
	assert_int_equal(got.warnings, 3);
	kernel = section(&got, SIMGPU_TRACE_KERNELS, &count);
	assert_string_equal(kernel->name, "k");
	assert_int_equal(kernel->registers_per_thread, 32);
	assert_int_equal(kernel->shared_bytes, 0);
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
		cmocka_unit_test(opcodes_have_units),
		cmocka_unit_test(immediates_follow_the_addresses),
		cmocka_unit_test(broken_lines_say_why),
		cmocka_unit_test(warps_become_programs),
		cmocka_unit_test(shared_memory_has_banks),
		cmocka_unit_test(instructions_wait_for_the_last_producer),
		cmocka_unit_test(lanes_part_bursts_but_not_chains),
		cmocka_unit_test(loops_are_folded),
		cmocka_unit_test(stretches_repeat_what_they_say),
		cmocka_unit_test(copies_wait_at_their_depbar),
		cmocka_unit_test(depbars_leave_loads_alone),
		cmocka_unit_test(atomics_do_not_share_bytes),
		cmocka_unit_test(lines_have_sectors),
		cmocka_unit_test(unknown_opcodes_are_named_once),
		cmocka_unit_test(unused_loads_last_to_the_end),
		cmocka_unit_test(garbage_in_headers_is_replaced),
		cmocka_unit_test(what_is_wrong_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("accelsim", tests, NULL, NULL);
}
