// SPDX-License-Identifier: GPL-2.0
/*
 * Converting Accel-Sim traces: each form of an instruction line, what becomes of
 * it, and what is refused. Small traces, written here as text.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include "accelsim.h"
#include "../../userspace/workloads/burst.h"
#include "../../userspace/accelsim/instruction.h"

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

/* --- lines of Accel-Sim 2.0 ----------------------------------------------------------- */

static void registers_have_kinds(void **state)
{
	struct dialect hopper = { 6, 0, 90 }, blackwell = { 6, 0, 100 };
	const char text[] = "0 f 1 UR255 IADD3 5 R255 UR63 UP7 P7 UP2 0 0 0 NoVal";
	struct instruction i;
	char line[sizeof(text)];
	uint32_t n;

	strcpy(line, text);
	assert_null(instruction_parse(line, &hopper, &i));
	assert_int_equal(i.dest[0], REGISTER_UNIFORM * REGISTERS_OF_KIND + REGISTER_ZERO);
	for (n = 0; n < 4; n++)
		assert_int_equal(i.source[n] % REGISTERS_OF_KIND, REGISTER_ZERO);
	assert_int_equal(i.source[2] / REGISTERS_OF_KIND, REGISTER_UNIFORM_PREDICATE);
	assert_int_equal(i.source[3] / REGISTERS_OF_KIND, REGISTER_PREDICATE);
	assert_int_equal(i.source[4], REGISTER_UNIFORM_PREDICATE * REGISTERS_OF_KIND + 2);
	/* Blackwell has more uniform registers. */
	strcpy(line, text);
	assert_null(instruction_parse(line, &blackwell, &i));
	assert_int_equal(i.source[1], REGISTER_UNIFORM * REGISTERS_OF_KIND + 63);
}

static void products_say_what_ends_a_group(void **state)
{
	static const char with[] = "0 f 1 R24 HGMMA.64x128x16.F32 2 UR4 R24 1 0 0 0 ";
	struct instruction i = parse("0 f 1 R24 HGMMA.64x128x16.F32 2 UR4 R24 1 0 0 0 NoVal",
				     6, 0);

	assert_int_equal(i.kind, INSTRUCTION_PRODUCT);
	assert_true(i.ends_group);
	assert_int_equal(i.columns, 128);
	/* Accel-Sim 2.0 without values of registers. */
	i = parse(with, 5, 0);
	assert_int_equal(i.kind, INSTRUCTION_PRODUCT);
	assert_true(i.ends_group);
	i = parse("0 f 1 R24 QGMMA.64x8x32.F32.E4M3.E4M3 1 R24 0 0 7 0 NoVal", 6, 0);
	assert_false(i.ends_group);
	assert_int_equal(i.columns, 8);
	assert_int_equal(i.immediate, 7);
	/* An older tracer, which does not say it. */
	i = parse("0 f 1 R24 HGMMA.64x128x16.F32 1 R24 0 0", 5, 0);
	assert_int_equal(i.kind, INSTRUCTION_COMPUTE);
	i = parse("0 f 0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_PRODUCT_WAIT);
	assert_int_equal(i.immediate, 1);
}

/* The threads of a barrier are its second immediate, or the first if a register has its number. */
static void barriers_have_threads(void **state)
{
	assert_int_equal(parse("0 f 0 BAR.SYNC 0 0 0 0 Val", 6, 0).barrier_threads, 0);
	assert_int_equal(parse("0 f 0 BAR.SYNC 0 0 2 128 Val", 6, 0).barrier_threads, 128);
	assert_int_equal(parse("0 f 1 R3 BAR.SYNC 0 0 64 0 Val 1 00000002", 6, 0)
				 .barrier_threads, 64);
	assert_int_equal(parse("0 f 0 BAR.SYNC 0 0 128", 5, 0).barrier_threads, 0);
	assert_int_equal(parse("0 f 0 FADD 0 0 2 128 NoVal", 6, 0).barrier_threads, 0);
}

static void bulk_copies_have_two_forms(void **state)
{
	struct instruction i;

	i = parse("0 1 0 UTMALDG.2D 0 16 0x00000808 0 48 0 4 0x7f0000001000 3 16 16 0 0 NoVal",
		  6, 0);
	assert_int_equal(i.kind, INSTRUCTION_LOAD);
	assert_int_equal(i.bulk.count, 3);
	assert_int_equal(i.bulk.width, 16);
	assert_int_equal(i.bulk.base, 0x7f0000001000);
	assert_int_equal(i.bulk.barrier, 0x808);
	assert_true(i.bulk.is_delta);
	/* For several thread blocks; two of four transfers lie outside; no values kept. */
	i = parse("0 1 0 UTMALDG.2D.MULTICAST 0 16 0x00000808 1 0x0003 64 32 3 4 0x1000 0x2000 5 0",
		  5, 0);
	assert_int_equal(i.kind, INSTRUCTION_LOAD);
	assert_int_equal(i.bulk.count, 2);
	assert_false(i.bulk.is_delta);
	/* All outside: nothing is touched. */
	i = parse("0 1 0 UTMASTG.2D 0 16 0x0 0 32 32 4 0x0 2 0 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_COMPUTE);
	assert_false(i.bulk.is_lost);
	/* The tracer has lost the address of a single transfer. */
	i = parse("0 1 0 UBLKCP.S.G 0 16 0x808 0 16 0 4 0x0 1 0 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_COMPUTE);
	assert_true(i.bulk.is_lost);
	/* Without an active lane the tracer writes no copy. */
	i = parse("0 0 0 UTMALDG.2D 0 0 0x0 0 0 0 4 0x0 0 0 0 NoVal", 6, 0);
	assert_int_equal(i.lanes, 0);
	/* Directions of the same opcode. */
	i = parse("0 1 0 UBLKCP.G.S 0 16 0x0 0 32 0 4 0x1000 2 16 0 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_STORE);
	i = parse("0 1 0 UBLKCP.S.S 0 16 0x808 0 32 0 4 0x0 2 0 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_COMPUTE);
	assert_false(i.bulk.is_lost);
	i = parse("0 1 0 UTMAREDG.2D.ADD 0 16 0x0 0 32 0 4 0x1000 2 16 0 0 NoVal", 6, 0);
	assert_int_equal(i.kind, INSTRUCTION_ATOMIC);
	/* Older tracers know no bulk copies. */
	i = parse("0 1 0 UTMAPF.2D 0 0 0", 5, 0);
	assert_int_equal(i.kind, INSTRUCTION_COMPUTE);
}

static void broken_lines_of_version_6_say_why(void **state)
{
	static const struct {
		const char *line;
		const char *problem;
	} cases[] = {
		{ "0 f 1 UR256 UMOV 0 0 0 0 NoVal", "destination" },
		{ "0 f 1 P8 ISETP 0 0 0 0 NoVal", "destination" },
		{ "0 f 1 UR UMOV 0 0 0 0 NoVal", "destination" },
		{ "0 f 0 MOV 1 UPR 0 0 0 NoVal", "source" },
		{ "0 f 0 MOV 0 0 0 0 Vals", "neither Val nor NoVal" },
		{ "0 f 1 R24 HGMMA.64x8x16.F32 0 2 0 0 0 NoVal", "group of products" },
		{ "0 f 1 R24 HGMMA.64x8x16.F32 0", "group of products" },
		{ "0 1 0 UTMALDG.2D 0 0 0", "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 2 48 0 4 0x1000 1 0 0 NoVal", "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 0 48 0 2 0x1000 3 16 16 0 0 NoVal",
		  "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 0 48 0 4 0x1000 -1 0 0 NoVal", "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 999999 0x808 0 48 0 4 0x1000 3 16 16 0 0 NoVal",
		  "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 0 48 -1 4 0x1000 3 16 16 0 0 NoVal",
		  "no bulk copy" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 0 48 0 4 0x1000 3 16 0 0 NoVal",
		  "more or less addresses" },
		{ "0 1 0 UTMALDG.2D 0 16 0x808 0 48 0 3 2 0x1000 0x2000 0x3000 0 0 NoVal",
		  "more or less addresses" },
		{ "0 1 0 UTMALDG.2D 0 0 0x808 0 48 0 4 0x1000 2 16 0 0 NoVal", "no bytes" },
	};
	const struct dialect dialect = { 6, 0, 90 };
	struct instruction instruction;
	const char *problem;
	char line[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(line, cases[i].line);
		problem = instruction_parse(line, &dialect, &instruction);
		assert_non_null(problem);
		assert_non_null(strstr(problem, cases[i].problem));
	}
}

/* --- whole traces -------------------------------------------------------------------- */

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

/* --- whole traces of Accel-Sim 2.0 ----------------------------------------------------- */

/* Uniform registers and predicates are waited for, each kind for itself. */
static void all_registers_have_writers(void **state)
{
	struct outcome got = convert(HEADER_6 BLOCK(6,
		"0000 ffffffff 1 UR4 UIADD3 1 UR5 0 0 0 NoVal \n"
		"0010 ffffffff 1 P4 ISETP.GE 1 R9 0 0 0 NoVal \n"
		"0020 ffffffff 1 R4 MOV 1 R9 0 0 0 NoVal \n"
		"0030 ffffffff 1 R5 IADD3 2 R9 UR4 0 0 0 NoVal \n"
		"0040 ffffffff 1 R6 SEL 2 R9 P4 0 0 0 NoVal \n"
		"0050 ffffffff 1 UR63 UMOV 1 UR63 0 0 0 NoVal \n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 6, "I0 I0 I0 I3 I3 I0");
	outcome_free(&got);
}

/*
 * Products of a group are waited for at the wait, not at the next use of their registers;
 * each takes as many passes as HMMA would.
 */
static void products_wait_for_their_group(void **state)
{
	struct outcome got = convert(HEADER_6 BLOCK(8,
		"0000 ffffffff 0 WARPGROUP.ARRIVE 0 0 0 0 NoVal \n"
		"0010 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR4 R24 0 0 0 0 NoVal \n"
		"0020 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR4 R24 1 0 0 0 NoVal \n"
		"0030 ffffffff 1 R56 HGMMA.64x8x16.F32 2 UR4 R56 1 0 0 0 NoVal \n"
		"0040 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal \n"
		"0050 ffffffff 1 R24 FMUL 1 R24 0 0 0 NoVal \n"
		"0060 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal \n"
		"0070 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 7 0 NoVal \n"));

	assert_non_null(got.trace);
	expect_burst(&got, 0, 8, "C0 T0*8 T0*8 T0 C2 F0 C3 C0");
	outcome_free(&got);
}

/* What a bulk copy loads is waited for at its barrier, by the warp that gave it. */
static void bulk_copies_wait_at_their_barrier(void **state)
{
	struct outcome got = convert(HEADER_6 BLOCK(7,
		"0000 00000001 0 UTMALDG.2D 0 64 0x00000808 0 192 0 4 0x7f0000000000 3 64 128 0 0 NoVal \n"
		"0010 00000001 0 UTMALDG.2D 0 128 0x00000810 0 256 0 4 0x7f0000200000 2 128 0 0 NoVal \n"
		"0020 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R5 8 1 0x820 0 0 0 Val 1 0 1 0 1 0 \n"
		"0030 ffffffff 0 NOP 0 0 0 0 NoVal \n"
		"0040 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R5 8 1 0x7f0001000808 0 0 0 Val 1 0 1 0 1 0 \n"
		"0050 ffffffff 0 NOP 0 0 0 0 NoVal \n"
		"0060 ffffffff 0 EXIT 0 0 0 0 NoVal \n"));

	assert_non_null(got.trace);
	/* Two lines: the second one in its upper half. */
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 2, 0, 3);
	assert_int_equal(op_at(&got, 0)->active_lanes, 1);
	assert_int_equal(line_at(&got, 0), 0);
	assert_int_equal(line_at(&got, 1), 1 | 0x3U << SIMGPU_TRACE_LINE_SKIP_SHIFT);
	/* Nobody waits at 0x810: the warp's end does. */
	expect_access(&got, 1, SIMGPU_TRACE_LOAD, 2, 0, 5);
	assert_int_equal(got.counts.memory_instructions, 2);
	assert_int_equal(got.counts.lines, 4);
	assert_int_equal(got.counts.warp_instructions, 7);
	outcome_free(&got);
}

/* Copies to shared memory complete the barrier that they arrive at, and none before. */
static void copies_arrive_at_barriers(void **state)
{
	struct outcome got = convert(HEADER_6 BLOCK(7,
		"0000 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 0x1000 4 0 0 NoVal\n"
		"0010 ffffffff 0 ARRIVES.LDGSTSBAR.64.ARVCNT 1 R4 8 1 0x810 0 0 0 Val 1 0\n"
		"0020 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 0x2000 4 0 0 NoVal\n"
		"0030 ffffffff 0 ARRIVES.LDGSTSBAR.64.ARVCNT 1 R4 8 1 0x818 0 0 0 Val 1 0\n"
		"0040 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64 2 R4 R5 8 1 0x810 0 0 0 Val\n"
		"0050 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64 2 R4 R5 8 1 0x818 0 0 0 Val\n"
		"0060 ffffffff 0 EXIT 0 0 0 0 NoVal\n"));

	assert_non_null(got.trace);
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 1, 0, 3);
	expect_burst(&got, 1, 1, "M0");
	expect_access(&got, 2, SIMGPU_TRACE_LOAD, 1, 0, 2);
	outcome_free(&got);
}

/* More lines than an op has are several ops; stores and reductions have their sectors. */
static void bulk_copies_become_ops(void **state)
{
	static const u32 skip = SIMGPU_TRACE_LINE_SKIP_SHIFT;
	struct outcome got;
	size_t bytes;
	char *text;
	FILE *file = open_memstream(&text, &bytes);
	int i;

	fputs(HEADER_6 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n"
	      "0000 00000001 0 UTMALDG.3D 0 128 0x808 0 8960 0 3 70 ", file);
	/* From the last one to the first one. */
	for (i = 69; i >= 0; i--)
		fprintf(file, "0x%x ", 0x10000 + 128 * i);
	fputs("0 0 NoVal \n"
	      "0010 00000001 0 UTMASTG.2D 0 16 0x0 0 48 0 3 3 0x20000 0x20010 0x20020 0 0 NoVal \n"
	      "0020 00000001 0 UTMAREDG.2D.ADD 0 64 0x0 0 128 0 4 0x30020 2 64 0 0 NoVal \n"
	      "0030 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64 2 R4 R5 8 1 0x808 0 0 0 Val \n"
	      "0040 ffffffff 0 EXIT 0 0 0 0 NoVal \n#END_TB\n", file);
	fclose(file);
	got = convert(text);
	free(text);
	assert_non_null(got.trace);
	/* The phase is the sixth instruction that issues. */
	expect_access(&got, 0, SIMGPU_TRACE_LOAD, 32, 0, 4);
	expect_access(&got, 1, SIMGPU_TRACE_LOAD, 32, 0, 3);
	expect_access(&got, 2, SIMGPU_TRACE_LOAD, 6, 0, 2);
	for (i = 0; i < 70; i++)
		assert_int_equal(line_at(&got, i), 0x10000 / 128 + i);
	/* Bytes 0 to 47: a whole sector, and a part of one. */
	expect_access(&got, 3, SIMGPU_TRACE_STORE, 1, 0, 0);
	assert_int_equal(line_at(&got, 70), 0x20000 / 128 | 0xcU << skip |
					    SIMGPU_TRACE_LINE_PARTIAL);
	/* Four sectors, over two lines. */
	expect_access(&got, 4, SIMGPU_TRACE_ATOMIC, 4, 0, SIMGPU_TRACE_NEVER);
	for (i = 0; i < 3; i++)
		assert_int_equal(line_at(&got, 71 + i),
				 0x30000 / 128 | (0xfU & ~(2U << i)) << skip);
	assert_int_equal(line_at(&got, 74), (0x30000 / 128 + 1) | 0xeU << skip);
	expect_burst(&got, 5, 2, "M0 C0");
	outcome_free(&got);
}

/* What the trace's form cannot say is said once, and what no GPU executes is left out. */
static void what_is_lost_is_said(void **state)
{
	struct outcome got = convert(
		"-grid dim = (1,1,1)\n-block dim = (128,1,1)\n-binary version = 90\n"
		"-accelsim tracer version = 6\n#traces format\n"
		"#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster rank = 0\n"
		"warp = 0\ninsts = 6\n"
		"0000 00000001 0 UBLKCP.S.G 0 16 0x808 0 16 0 4 0x0 1 0 0 NoVal \n"
		"0010 00000001 0 UBLKCP.S.G 0 16 0x808 0 16 0 4 0x0 1 0 0 NoVal \n"
		"0000 ffffffff 0 REPLAY_START 0 0 0 0\n"
		"0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 1 64 Val \n"
		"0000 ffffffff 0 REPLAY_END 0 0 0 0\n"
		"0030 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 1 128 Val \n"
		"warp = 1\ninsts = 0\nwarp = 2\ninsts = 0\nwarp = 3\ninsts = 0\n#END_TB\n");

	assert_non_null(got.trace);
	assert_int_equal(got.warnings, 2);
	assert_non_null(strstr(got.last_warning, "barrier of 2 of the 4 warps"));
	assert_int_equal(got.counts.warp_instructions, 4);
	assert_int_equal(got.counts.memory_instructions, 0);
	outcome_free(&got);
}

/* Opcodes of Hopper, Blackwell and Rubin have a class each. */
static void newer_opcodes_have_units(void **state)
{
	static const struct {
		uint32_t unit;
		const char *names;
	} cases[] = {
		{ SIMGPU_TRACE_UNIT_INTEGER,
		  "ULEPC UIADD3.64 CS2UR LDCU.64 UI2F UFFMA UFSETP MOV64IUR VISET SPARSIFY" },
		{ SIMGPU_TRACE_UNIT_FP32, "FADD2 FFMA2 FHFMA2 QFMA4 FMNMX3" },
		{ SIMGPU_TRACE_UNIT_TENSOR,
		  "HGMMA.64x256x16 IGMMA BGMMA OMMA QMMA UTCHMMA.2CTA UTCOMMA UTCSHIFT" },
		{ SIMGPU_TRACE_UNIT_SHARED,
		  "LDTM.x32 STTM UTCCP ARRIVES.LDGSTSBAR.64 SYNCSU USYNCS REDS UMEMSETS" },
		{ SIMGPU_TRACE_UNIT_CONTROL,
		  "FENCE.VIEW.ASYNC.S UTCBAR UTCATOMSWS.AND UVIRTCOUNT UGETNEXTWORKID "
		  "ACQSHMINIT USETSHMSZ UTMAL2CCTL UTMALDG.2D UTMASTG UBLKRED UBLKPF" },
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
	assert_int_equal(parse("0 f 0 USTGR 2 UR4 UR6 4 1 0x80 0 0 0 NoVal", 6, 0).kind,
			 INSTRUCTION_STORE);
	assert_int_equal(parse("0 f 0 UREDGR.ADD 2 UR4 UR6 4 1 0x80 0 0 0 NoVal", 6, 0).kind,
			 INSTRUCTION_ATOMIC);
}

static void version_7_is_refused(void **state)
{
	struct outcome got = convert("-accelsim tracer version = 7\n#\n");

	assert_non_null(strstr(got.error, "tracer version 7; versions up to 6"));
	outcome_free(&got);
	/* A line of a bulk copy may be long, but no line without end. */
	got = convert_bytes("-accelsim tracer version = 6\n\0#\n", 33, ".traceg", 1 << 20);
	assert_non_null(strstr(got.error, "byte 0"));
	outcome_free(&got);
}

/*
 * Whatever bytes change in a trace of all forms, the outcome is a good trace or a reason;
 * convert() checks that.
 */
static void mutants_are_refused_or_good(void **state)
{
	static const char text[] = HEADER_6 BLOCK(8,
		"0000 0000000f 1 UR4 LDG.E.64 2 R2 UR6 8 2 0x7f0000001000 8 8 8 0 0 NoVal\n"
		"0010 00000001 0 UTMALDG.2D 0 16 0x808 0 48 0 4 0x7f0000002000 3 16 16 0 0 NoVal\n"
		"0020 00000001 0 UTMASTG.2D 0 16 0x0 1 0x3 48 16 3 3 0x7f0000003000 0x7f0000003010 0 0 NoVal\n"
		"0030 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR4 R24 1 0 0 0 NoVal\n"
		"0040 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n"
		"0050 ffffffff 0 BAR.SYNC 0 0 1 16 Val\n"
		"0060 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64 2 R4 R5 8 1 0x808 0 0 0 Val 1 0\n"
		"0070 ffffffff 0 EXIT 0 0 0 0 NoVal\n");
	static const char bytes[] = "0123456789-xfPRUVN. \n,=";
	char mutant[sizeof(text)];
	u32 good = 0, random = 1, round;

	for (round = 0; round < 4000; round++) {
		u32 changes = 1 + round % 3;
		struct outcome got;

		memcpy(mutant, text, sizeof(text));
		while (changes--) {
			random = random * 1103515245 + 12345;
			mutant[(random >> 8) % (sizeof(text) - 1)] =
				bytes[(random >> 24) % (sizeof(bytes) - 1)];
		}
		got = convert(mutant);
		good += !!got.trace;
		outcome_free(&got);
	}
	/* Neither all nor none. */
	assert_in_range(good, 100, 3900);
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
		cmocka_unit_test(registers_have_kinds),
		cmocka_unit_test(products_say_what_ends_a_group),
		cmocka_unit_test(barriers_have_threads),
		cmocka_unit_test(bulk_copies_have_two_forms),
		cmocka_unit_test(broken_lines_of_version_6_say_why),
		cmocka_unit_test(all_registers_have_writers),
		cmocka_unit_test(products_wait_for_their_group),
		cmocka_unit_test(bulk_copies_wait_at_their_barrier),
		cmocka_unit_test(copies_arrive_at_barriers),
		cmocka_unit_test(bulk_copies_become_ops),
		cmocka_unit_test(what_is_lost_is_said),
		cmocka_unit_test(newer_opcodes_have_units),
		cmocka_unit_test(version_7_is_refused),
		cmocka_unit_test(mutants_are_refused_or_good),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("accelsim", tests, NULL, NULL);
}
