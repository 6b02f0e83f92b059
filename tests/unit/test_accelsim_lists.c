// SPDX-License-Identifier: GPL-2.0
/* Lists of Accel-Sim: streams become queues, copies become commands on allocations. */
/* For asprintf. */
#define _GNU_SOURCE
#include "accelsim.h"

#define PAGE	(2U << 20)

static char folder[] = "/tmp/simgpu-test-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char *path;
	FILE *file;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	free(path);
}

/* A kernel in a stream, which loads a line of each of two addresses. */
static void write_kernel(unsigned int number, const char *stream, unsigned long long first,
			 unsigned long long second)
{
	char name[32], text[1024];

	snprintf(name, sizeof(name), "kernel-%u.traceg", number);
	snprintf(text, sizeof(text),
		 "-kernel name = k%u\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
		 "-cuda stream id = %s\n-accelsim tracer version = 5\n#traces format\n"
		 "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
		 "0 ffffffff 1 R1 LDG.E 1 R2 4 1 0x%llx 4 0\n"
		 "10 ffffffff 1 R3 LDG.E 1 R2 4 1 0x%llx 4 0\n#END_TB\n",
		 number, stream, first, second);
	write_file(name, text);
}

static struct outcome convert_list(const char *list, bool kernels_alone)
{
	struct outcome outcome;
	char *path;

	write_file("kernelslist.g", list);
	assert_true(asprintf(&path, "%s/kernelslist.g", folder) > 0);
	outcome = convert_path(path, SIMGPU_TRACE_BYTES_MAX, kernels_alone);
	free(path);
	return outcome;
}

/* Commands as text: kind by letter, queue, what; of copies their bytes. */
static void expect_commands(const struct outcome *outcome, const char *expected)
{
	const struct simgpu_trace_command *commands;
	char text[2048] = "", *at = text;
	u64 count, i;

	commands = section(outcome, SIMGPU_TRACE_COMMANDS, &count);
	for (i = 0; i < count; i++) {
		const struct simgpu_trace_command *command = &commands[i];

		at += sprintf(at, "%s%c%u:%u", i ? " " : "", "?kio??rw"[command->kind],
			      command->queue, command->what);
		if (command->amount)
			at += sprintf(at, "*%llu", command->amount);
		assert_int_equal(command->repeat, 1);
	}
	assert_string_equal(text, expected);
}

static void expect_allocation(const struct outcome *outcome, u64 index, u64 base, u64 bytes,
			      const char *name)
{
	const struct simgpu_trace_allocation *allocations;
	u64 count;

	allocations = section(outcome, SIMGPU_TRACE_ALLOCATIONS, &count);
	assert_true(index < count);
	assert_int_equal(allocations[index].base, base);
	assert_int_equal(allocations[index].bytes, bytes);
	assert_string_equal(allocations[index].name, name);
}

/* Streams are queues; without copies nothing orders them. */
static void streams_become_queues(void **state)
{
	struct outcome got;

	write_kernel(1, "0", 0x7f0000000000, 0x7f0000000080);
	write_kernel(2, "94123456", 0x7f0000000000, 0x7f0000000080);
	write_kernel(3, "0", 0x7f0000000000, 0x7f0000000080);
	got = convert_list("kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n", false);
	assert_non_null(got.trace);
	expect_commands(&got, "k0:0 k1:1 k0:2");
	assert_int_equal(got.counts.streams, 2);
	assert_int_equal(got.counts.queues, 2);
	assert_int_equal(got.warnings, 0);
	outcome_free(&got);

	got = convert_list("kernel-1.traceg\nkernel-2.traceg\n", true);
	assert_non_null(got.trace);
	expect_commands(&got, "");
	assert_non_null(strstr(got.last_warning, "one after the other"));
	outcome_free(&got);

	/* One stream and no copies: kernels alone, whatever the stream. */
	got = convert_list("kernel-2.traceg\nkernel-2.traceg\n", false);
	assert_non_null(got.trace);
	expect_commands(&got, "");
	assert_int_equal(got.warnings, 0);
	outcome_free(&got);
}

/* A copy waits for all queues that have work, and all wait for it before they go on. */
static void copies_join_the_queues(void **state)
{
	struct outcome got;

	write_kernel(1, "0", 0x7f0000000000, 0x7f0000000080);
	write_kernel(2, "1", 0x7f0000000000, 0x7f0000000080);
	write_kernel(3, "2", 0x7f0000000000, 0x7f0000000080);
	got = convert_list("MemcpyHtoD,0x7f0000000000,4096\n"
			   "MemcpyHtoD,0x7f0000001000,4096\n"
			   "kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n"
			   "MemcpyDtoH,0x7f0000000000,512\n"
			   "kernel-1.traceg\nkernel-3.traceg\nkernel-3.traceg\n", false);
	assert_non_null(got.trace);
	expect_commands(&got, "i0:0*4096 i0:1*4096 r0:0 k0:0 w1:0 k1:1 k0:2 "
			      "r1:1 w0:1 o0:0*512 r0:0 k0:3 w2:0 k2:4 k2:5");
	assert_int_equal(got.counts.copies, 3);
	assert_int_equal(got.counts.copied_bytes, 8704);
	outcome_free(&got);

	/* One queue keeps its order by itself. */
	got = convert_list("kernel-1.traceg\nMemcpyDtoH,0x7f0000000000,512\nkernel-1.traceg\n",
			   false);
	assert_non_null(got.trace);
	expect_commands(&got, "k0:0 o0:0*512 k0:1");
	outcome_free(&got);
}

/* Copies begin where the kernels' lines of these addresses lie; holes are left out. */
static void copies_lie_where_kernels_read(void **state)
{
	struct outcome got;

	/* Pages 0 and 3 of a buffer of 8 MiB are touched; they are side by side here. */
	write_kernel(1, "0", 0x7f0000000000, 0x7f0000600000);
	got = convert_list("MemcpyHtoD,0x7f0000000000,8388608\n"
			   "MemcpyHtoD,0x7f0000601e00,8192\n"
			   "MemcpyHtoD,0x6f0000000000,100\n"
			   "kernel-1.traceg\n", false);
	assert_non_null(got.trace);
	assert_int_equal(line_at(&got, 1), PAGE / 128);
	/* 0x601e00 begins in the page of 4 KiB at 0x601000. */
	expect_allocation(&got, 0, 0, PAGE + 0x1000, "0x7f0000000000");
	expect_allocation(&got, 1, PAGE + 0x1000, PAGE - 0x1000, "0x7f0000601e00");
	expect_allocation(&got, 2, 2 * PAGE, PAGE, "copied, not touched");
	/* What lies in no place is copied to the last one again. */
	expect_commands(&got, "i0:0*2101248 i0:1*6287360 i0:1*8192 i0:2*100 k0:0");
	assert_int_equal(2101248 + 6287360, 8388608);
	outcome_free(&got);

	/* The same without the copies: lines lie where they lay. */
	got = convert_list("MemcpyHtoD,0x7f0000000000,8388608\nkernel-1.traceg\n", true);
	assert_non_null(got.trace);
	assert_int_equal(line_at(&got, 1), PAGE / 128);
	assert_int_equal(count_of(&got, SIMGPU_TRACE_ALLOCATIONS), 0);
	assert_int_equal(count_of(&got, SIMGPU_TRACE_COMMANDS), 0);
	outcome_free(&got);
}

/* The ends of neighbors share a page of 4 KiB; each keeps its bytes. */
static void neighbors_share_a_page(void **state)
{
	struct outcome got;

	write_kernel(1, "0", 0x7f0000000000, 0x7f0000000080);
	got = convert_list("MemcpyHtoD,0x7f0000000000,200000\n"
			   "MemcpyHtoD,0x7f0000030e00,200000\n"
			   "MemcpyHtoD,0x7f0000030e00,100\nkernel-1.traceg\n", false);
	assert_non_null(got.trace);
	expect_allocation(&got, 0, 0, 0x30000, "0x7f0000000000");
	expect_allocation(&got, 1, 0x30000, 0xe00 + 200000, "0x7f0000030e00");
	expect_commands(&got, "i0:0*200000 i0:1*200000 i0:1*100 k0:0");
	outcome_free(&got);
}

/* More streams than queues share them, which is said. */
static void many_streams_share_queues(void **state)
{
	const struct simgpu_trace_header *header;
	char stream[8], list[512] = "";
	struct outcome got;
	unsigned int i;

	for (i = 1; i <= 10; i++) {
		snprintf(stream, sizeof(stream), "%u", 100 + i);
		write_kernel(i, stream, 0x7f0000000000, 0x7f0000000080);
		sprintf(list + strlen(list), "kernel-%u.traceg\n", i);
	}
	got = convert_list(list, false);
	assert_non_null(got.trace);
	expect_commands(&got, "k0:0 k1:1 k2:2 k3:3 k4:4 k5:5 k6:6 k7:7 k0:8 k1:9");
	assert_non_null(strstr(got.last_warning, "10 CUDA streams, which share the 8 queues"));
	header = got.trace;
	assert_string_equal(header->source, "Accel-Sim, 10 streams as 8");
	outcome_free(&got);
}

static void broken_lists_say_why(void **state)
{
	static const struct {
		const char *line;
		const char *error;
	} cases[] = {
		{ "MemcpyHtoD,", "no address and number of bytes" },
		{ "MemcpyHtoD,0x7f00", "no address and number of bytes" },
		{ "MemcpyHtoD,0x7f00,", "no address and number of bytes" },
		{ "MemcpyHtoD,0x7f00,12x", "no address and number of bytes" },
		{ "MemcpyHtoD,0x7f00,-12", "no address and number of bytes" },
		{ "MemcpyHtoD,-7f00,12", "no address and number of bytes" },
		{ "MemcpyHtoD,0,12", "no address and number of bytes" },
		{ "MemcpyDtoH,0x7f00,99999999999999999999999", "no address and number of bytes" },
		{ "MemcpyDtoH,0x7f00,1099511627777", "more than 2^40" },
		{ "MemcpyDtoH,0xffffffffffffff00,512", "than there are addresses" },
	};
	struct outcome got;
	char list[256];
	size_t i;

	write_kernel(1, "0", 0x7f0000000000, 0x7f0000000080);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(list, sizeof(list), "kernel-1.traceg\n%s\n", cases[i].line);
		got = convert_list(list, false);
		assert_null(got.trace);
		assert_non_null(strstr(got.error, "kernelslist.g:2: "));
		assert_non_null(strstr(got.error, cases[i].error));
		outcome_free(&got);
	}
	/* Without commands nobody reads them. */
	got = convert_list("MemcpyHtoD,\nkernel-1.traceg\n", true);
	assert_non_null(got.trace);
	outcome_free(&got);
	/* What is left out is named, with its line. */
	got = convert_list("MemcpyDtoD,0x7f00,0x7f80,12\nMemcpyHtoD,0x7f00,0\nkernel-1.traceg\n",
			   false);
	assert_non_null(got.trace);
	assert_int_equal(got.warnings, 2);
	assert_non_null(strstr(got.last_warning, "kernelslist.g:2: a copy of 0 bytes"));
	expect_commands(&got, "");
	outcome_free(&got);
	/* A stream that is no number is the default one. */
	write_kernel(2, "main", 0x7f0000000000, 0x7f0000000080);
	got = convert_list("kernel-1.traceg\nkernel-2.traceg\n", false);
	assert_non_null(got.trace);
	assert_int_equal(got.counts.streams, 1);
	assert_non_null(strstr(got.last_warning, "-cuda stream id is \"main\""));
	outcome_free(&got);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char *command;
	int ret;

	if (asprintf(&command, "rm -r '%s'", folder) < 0)
		return -1;
	ret = system(command);
	free(command);
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_become_queues),
		cmocka_unit_test(copies_join_the_queues),
		cmocka_unit_test(copies_lie_where_kernels_read),
		cmocka_unit_test(neighbors_share_a_page),
		cmocka_unit_test(many_streams_share_queues),
		cmocka_unit_test(broken_lists_say_why),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("accelsim_lists", tests, make_folder,
					   remove_folder);
}
