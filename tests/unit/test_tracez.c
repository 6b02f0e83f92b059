// SPDX-License-Identifier: GPL-2.0
/*
 * Accel-Sim's .tracez files: the same trace as its text, and what is wrong with broken ones.
 * No file of Accel-Sim's was at hand: they are written here, by the layout of its headers.
 *
 *	test_tracez --print		prints the file, --print-text its text
 */
#include <zdict.h>
#include <zstd.h>

#include "accelsim.h"

#define WARPS	2
#define LINES	400
/* Instructions of a chunk, so that a warp has several. */
#define CHUNK	150

static const char header[] =
	"-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n"
	"-nregs = 16\n-binary version = 90\n-cuda stream id = 0\n"
	"-accelsim tracer version = 6\n-enable lineinfo = 0\n\n#traces format\n\n";

/* struct file - a file that is made, and where its parts lie */
struct file {
	char bytes[1 << 18];
	size_t count;
	size_t dictionary;
	size_t first_warp;
	size_t index;
};

static void put(struct file *file, const void *bytes, size_t count)
{
	assert_true(file->count + count <= sizeof(file->bytes));
	memcpy(file->bytes + file->count, bytes, count);
	file->count += count;
}

static void put_u32(struct file *file, u32 value)
{
	put(file, &value, sizeof(value));
}

static void put_u64(struct file *file, u64 value)
{
	put(file, &value, sizeof(value));
}

static void line_of(char *text, u32 block, u32 warp, u32 number)
{
	u32 base = 0x100000 + (block * WARPS + warp) * 65536 + number * 128;

	if (number % 3)
		sprintf(text, "%04x ffffffff 1 R%u FFMA 3 R1 R2 R%u 0 0 0 NoVal ", number * 16,
			number % 7 + 3, number % 5);
	else
		sprintf(text, "%04x ffffffff 1 R%u LDG.E 1 UR4 4 1 0x7f00%08x 4 0 0 NoVal ",
			number * 16, number % 7 + 3, base);
}

/* The text of a .traceg. */
static char *make_text(void)
{
	size_t bytes;
	char *text, line[128];
	FILE *file = open_memstream(&text, &bytes);
	u32 block, warp, i;

	fputs(header, file);
	for (block = 0; block < 2; block++) {
		fprintf(file, "#BEGIN_TB\nthread block = %u,0,0\n", block);
		for (warp = 0; warp < WARPS; warp++) {
			fprintf(file, "warp = %u\ninsts = %u\n", warp, LINES);
			for (i = 0; i < LINES; i++) {
				line_of(line, block, warp, i);
				fprintf(file, "%s\n", line);
			}
		}
		fputs("#END_TB\n", file);
	}
	fclose(file);
	return text;
}

static size_t train(char *dictionary, size_t room)
{
	static char samples[4 * WARPS * LINES * 128];
	static size_t sizes[2 * WARPS * LINES];
	size_t at = 0, count = 0, got;
	u32 block, warp, i;

	for (block = 0; block < 2; block++)
		for (warp = 0; warp < WARPS; warp++)
			for (i = 0; i < LINES; i++) {
				line_of(samples + at, block, warp, i);
				sizes[count] = strlen(samples + at);
				at += sizes[count++];
			}
	got = ZDICT_trainFromBuffer(dictionary, room, samples, sizes, (unsigned int)count);
	assert_false(ZDICT_isError(got));
	return got;
}

/* A warp's data: chunks whose last line has no end. */
static void put_warp(struct file *file, ZSTD_CCtx *context, u32 block, u32 warp)
{
	static char text[CHUNK * 128], frame[CHUNK * 128 + 1024];
	u32 i, first;
	size_t bytes;

	put_u32(file, LINES);
	put_u32(file, (LINES + CHUNK - 1) / CHUNK);
	for (first = 0; first < LINES; first += CHUNK) {
		char *at = text;

		for (i = first; i < LINES && i < first + CHUNK; i++) {
			if (i > first)
				*at++ = '\n';
			line_of(at, block, warp, i);
			at += strlen(at);
		}
		bytes = ZSTD_compress2(context, frame, sizeof(frame), text,
				       (size_t)(at - text));
		assert_false(ZSTD_isError(bytes));
		put_u32(file, (u32)bytes);
		put(file, frame, bytes);
	}
}

static void make_tracez(struct file *file, bool has_dictionary)
{
	static char dictionary[4096];
	size_t bytes = has_dictionary ? train(dictionary, sizeof(dictionary)) : 0;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	u64 offsets[2][WARPS];
	u32 block, warp, first;

	assert_non_null(context);
	assert_false(ZSTD_isError(ZSTD_CCtx_loadDictionary(context, dictionary, bytes)));
	file->count = 0;
	put(file, header, sizeof(header));
	file->dictionary = file->count;
	put_u32(file, (u32)bytes);
	put_u32(file, CHUNK);
	put(file, dictionary, bytes);
	file->first_warp = file->count;
	for (block = 0; block < 2; block++)
		for (warp = 0; warp < WARPS; warp++) {
			offsets[block][warp] = file->count;
			put_warp(file, context, block, warp);
		}
	ZSTD_freeCCtx(context);
	file->index = file->count;
	put_u32(file, 2);
	for (block = 0; block < 2; block++) {
		u32 place[10] = { block, 0, 0, 0, 0, 0, block, 0, 0, block };

		put(file, place, sizeof(place));
		put_u32(file, WARPS);
		for (warp = 0; warp < WARPS; warp++) {
			put_u32(file, LINES);
			put_u32(file, (LINES + CHUNK - 1) / CHUNK);
			put_u64(file, offsets[block][warp]);
			for (first = 0; first < LINES; first += CHUNK)
				put_u32(file, LINES - first < CHUNK ? LINES - first : CHUNK);
		}
	}
	put_u64(file, file->index);
}

static struct outcome convert_file(const struct file *file)
{
	return convert_bytes(file->bytes, file->count, ".tracez", SIMGPU_TRACE_BYTES_MAX);
}

static void a_file_is_as_its_text(void **state)
{
	static struct file file;
	char *text = make_text();
	struct outcome expected = convert(text), got;
	int i;

	assert_non_null(expected.trace);
	for (i = 0; i < 2; i++) {
		make_tracez(&file, i);
		assert_true(file.count < strlen(text) / 4);
		got = convert_file(&file);
		assert_non_null(got.trace);
		assert_memory_equal(got.trace, expected.trace,
				    ((const struct simgpu_trace_header *)expected.trace)->total_bytes);
		assert_memory_equal(&got.counts, &expected.counts, sizeof(got.counts));
		outcome_free(&got);
	}
	outcome_free(&expected);
	free(text);
}

static void expect_error(const struct file *file, const char *error)
{
	struct outcome got = convert_file(file);

	assert_null(got.trace);
	if (!strstr(got.error, error))
		fail_msg("\"%s\" has no \"%s\"", got.error, error);
	outcome_free(&got);
}

/* The file with a number of 4 bytes at an offset replaced. */
static void expect_error_with(const struct file *file, size_t offset, u32 value,
			      const char *error)
{
	static struct file broken;

	broken = *file;
	memcpy(broken.bytes + offset, &value, sizeof(value));
	expect_error(&broken, error);
}

static void broken_files_say_why(void **state)
{
	static struct file file, broken;
	struct outcome got;
	size_t warp, at;
	u32 bytes;

	make_tracez(&file, true);
	/* The first warp's numbers in the index. */
	warp = file.index + 4 + 11 * 4;
	expect_error_with(&file, file.count - 8, 0, "header has no end");
	expect_error_with(&file, file.count - 8, 0xffffffff, "offset of an index");
	expect_error_with(&file, file.count - 4, 1, "offset of an index");
	expect_error_with(&file, file.dictionary, 0x7fffffff, "more than 16 MiB");
	expect_error_with(&file, file.dictionary, 1 << 20, "dictionary is broken off");
	expect_error_with(&file, file.index, 3, "index is broken off");
	expect_error_with(&file, file.index, 1, "warp 0 of thread block 1 is missing");
	expect_error_with(&file, file.index + 4, 2, "not in the grid");
	expect_error_with(&file, file.index + 4 + 40, 1, "");
	expect_error_with(&file, warp, 399, "not where its index says");
	expect_error_with(&file, warp + 8, 0x7fffffff, "lies outside of its data");
	expect_error_with(&file, warp + 8, 0, "not where its index says");
	expect_error_with(&file, warp + 16, 151, "more instructions than the warp");
	expect_error_with(&file, warp + 16, 149, "less instructions than the warp");
	at = file.first_warp + 8;
	expect_error_with(&file, at, 0x7fffffff, "chunk lies outside");
	memcpy(&bytes, file.bytes + at, sizeof(bytes));
	expect_error_with(&file, at, bytes - 1, "chunk is broken off");
	expect_error_with(&file, at, bytes + 1, "bytes behind its frame");
	expect_error_with(&file, at, 0, "chunk is broken off");
	expect_error_with(&file, at + 4, 0, "not what zstd compresses");
	/* Of another dictionary, by its number. */
	expect_error_with(&file, file.dictionary + 8 + 4, 12345, "another dictionary");

	broken = file;
	broken.count = 7;
	expect_error(&broken, "offset of an index");
	broken.count = 0;
	expect_error(&broken, "offset of an index");
	/* Text that is no .tracez. */
	broken.count = sizeof(header) - 1;
	expect_error(&broken, "offset of an index");
	/* As a text file, which it is not. */
	got = convert_bytes(file.bytes, file.count, ".traceg", 1 << 20);
	assert_non_null(strstr(got.error, "byte 0"));
	outcome_free(&got);
}

/* Whatever a byte becomes: a good trace, or a reason. convert_bytes() checks that. */
static void mutants_are_refused_or_good(void **state)
{
	static struct file file, mutant;
	u32 round, random = 7, good = 0;

	make_tracez(&file, true);
	for (round = 0; round < 600; round++) {
		struct outcome got;
		size_t at;

		random = random * 1103515245 + 12345;
		/* In turn anywhere, and in what is no frame. */
		at = round % 2 ? file.index + (random >> 8) % (file.count - file.index) :
				 (random >> 8) % file.count;
		mutant = file;
		mutant.bytes[at] = (char)(random >> 24);
		got = convert_file(&mutant);
		good += !!got.trace;
		outcome_free(&got);
	}
	assert_in_range(good, 6, 594);
}

static int print(bool is_text)
{
	static struct file file;
	char *text = make_text();

	make_tracez(&file, true);
	if (is_text)
		fputs(text, stdout);
	else
		fwrite(file.bytes, 1, file.count, stdout);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_as_its_text),
		cmocka_unit_test(broken_files_say_why),
		cmocka_unit_test(mutants_are_refused_or_good),
	};

	if (argc > 1 && !strncmp(argv[1], "--print", 7))
		return print(argv[1][7]);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tracez", tests, NULL, NULL);
}
