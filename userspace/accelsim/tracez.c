// SPDX-License-Identifier: GPL-2.0
/* Reading .tracez files; see tracez.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "tracez.h"

/* Most bytes of the header text, and of a dictionary; Accel-Sim's have 64 KiB at most. */
#define HEADER_MAX	(64U << 10)
#define DICTIONARY_MAX	(16U << 20)
/* Most bytes of text that are made at a time, beside those of frames. */
#define LINES_MAX	512
/* Numbers of an index's thread block, of 4 bytes, and of a warp there without its chunks. */
#define BLOCK_NUMBERS	11
#define WARP_BYTES	16

/* What comes next. */
enum state { BEGINNING, BLOCKS, WARPS, CHUNKS, FRAME, DONE };

/**
 * struct tracez - a file that is read
 * @index: offset of the index
 * @at: offset of what comes next in the index
 * @blocks: thread blocks that are left
 * @warps: warps of the thread block, of which @warp come next
 * @chunks: chunks of the warp that are left
 * @instructions: instructions of the warp that its chunks have not
 * @data: offset of the warp's next chunk
 * @frame_left: bytes of the frame that were not read from the file
 * @lines: text that was made and not handed out yet, from @lines_at on
 * @ends_line: the last byte of the frame's text ended a line, or there was none
 * @problem: what is wrong
 */
struct tracez {
	int fd;
	uint64_t file_bytes;
	uint64_t index;
	uint64_t at;
	enum state state;
	uint32_t blocks;
	uint32_t warps;
	uint32_t warp;
	uint32_t chunks;
	uint64_t instructions;
	uint64_t data;
	uint32_t frame_left;
	char *lines;
	size_t lines_at;
	size_t lines_end;
	bool ends_line;
	const char *problem;
	ZSTD_DCtx *context;
	ZSTD_DDict *dictionary;
	ZSTD_inBuffer in;
	char input[65536];
};

struct tracez *tracez_new(int fd, uint64_t file_bytes)
{
	struct tracez *tracez = calloc(1, sizeof(*tracez));

	if (!tracez)
		return NULL;
	tracez->fd = fd;
	tracez->file_bytes = file_bytes;
	tracez->ends_line = true;
	tracez->context = ZSTD_createDCtx();
	tracez->lines = malloc(HEADER_MAX + LINES_MAX);
	if (tracez->context && tracez->lines)
		return tracez;
	tracez_free(tracez);
	return NULL;
}

void tracez_free(struct tracez *tracez)
{
	if (!tracez)
		return;
	ZSTD_freeDCtx(tracez->context);
	ZSTD_freeDDict(tracez->dictionary);
	free(tracez->lines);
	free(tracez);
}

const char *tracez_problem(const struct tracez *tracez)
{
	return tracez->problem;
}

uint64_t tracez_position(const struct tracez *tracez)
{
	return tracez->data;
}

static int fail(struct tracez *tracez, const char *problem)
{
	tracez->problem = problem;
	return -1;
}

/* Read @count bytes at an offset, which end before @end. */
static bool read_at(const struct tracez *tracez, uint64_t offset, uint64_t end, void *bytes,
		    size_t count)
{
	char *to = bytes;

	if (offset > end || count > end - offset)
		return false;
	while (count) {
		ssize_t got = pread(tracez->fd, to, count, (off_t)offset);

		if (got <= 0)
			return false;
		to += got;
		offset += (uint64_t)got;
		count -= (size_t)got;
	}
	return true;
}

/* --- the beginning ---------------------------------------------------------------------- */

static int read_dictionary(struct tracez *tracez, uint64_t offset, uint32_t bytes)
{
	void *dictionary;

	if (!bytes)
		return 0;
	if (bytes > DICTIONARY_MAX)
		return fail(tracez, "its dictionary has more than 16 MiB");
	dictionary = malloc(bytes);
	if (!dictionary)
		return fail(tracez, "there is no memory for its dictionary");
	if (!read_at(tracez, offset, tracez->index, dictionary, bytes)) {
		free(dictionary);
		return fail(tracez, "its dictionary is broken off");
	}
	tracez->dictionary = ZSTD_createDDict(dictionary, bytes);
	free(dictionary);
	if (!tracez->dictionary ||
	    ZSTD_isError(ZSTD_DCtx_refDDict(tracez->context, tracez->dictionary)))
		return fail(tracez, "zstd does not take its dictionary");
	return 0;
}

/* The header text becomes the first lines. */
static int begin(struct tracez *tracez)
{
	uint64_t end = tracez->file_bytes - sizeof(tracez->index);
	size_t count = HEADER_MAX;
	uint32_t sizes[2];
	const char *zero;

	if (tracez->file_bytes < sizeof(tracez->index) ||
	    !read_at(tracez, end, tracez->file_bytes, &tracez->index, sizeof(tracez->index)) ||
	    !read_at(tracez, tracez->index, end, &tracez->blocks, sizeof(tracez->blocks)))
		return fail(tracez, "it does not end in the offset of an index, as a .tracez does");
	if (count > tracez->index)
		count = tracez->index;
	if (!read_at(tracez, 0, tracez->index, tracez->lines, count))
		return fail(tracez, "it cannot be read");
	zero = memchr(tracez->lines, 0, count);
	if (!zero)
		return fail(tracez, "its header has no end in the first 64 KiB");
	tracez->lines_end = (size_t)(zero - tracez->lines);
	if (!read_at(tracez, tracez->lines_end + 1, tracez->index, sizes, sizeof(sizes)))
		return fail(tracez, "it is broken off behind its header");
	tracez->at = tracez->index + sizeof(tracez->blocks);
	tracez->state = BLOCKS;
	return read_dictionary(tracez, tracez->lines_end + 1 + sizeof(sizes), sizes[0]);
}

/* --- the index -------------------------------------------------------------------------- */

/* Take the next bytes of the index. */
static bool take(struct tracez *tracez, void *bytes, size_t count)
{
	if (!read_at(tracez, tracez->at, tracez->file_bytes - sizeof(tracez->index), bytes,
		     count))
		return false;
	tracez->at += count;
	return true;
}

static int next_block(struct tracez *tracez)
{
	uint32_t n[BLOCK_NUMBERS];

	if (!tracez->blocks) {
		tracez->state = DONE;
		return 0;
	}
	tracez->blocks--;
	if (!take(tracez, n, sizeof(n)))
		return fail(tracez, "its index is broken off");
	tracez->warps = n[10];
	tracez->warp = 0;
	tracez->state = WARPS;
	tracez->lines_end = (size_t)snprintf(tracez->lines, LINES_MAX,
		"\n#BEGIN_TB\n\nthread block = %u,%u,%u\ncluster id = %u,%u,%u\n"
		"cluster cta = %u,%u,%u\ncluster rank = %u\n",
		n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]);
	return 0;
}

/* What the index says of a warp stands before its data again. */
static int next_warp(struct tracez *tracez)
{
	uint32_t numbers[2], again[2];
	uint64_t offset;

	if (tracez->warp == tracez->warps) {
		tracez->state = BLOCKS;
		tracez->lines_end = (size_t)snprintf(tracez->lines, LINES_MAX, "\n#END_TB\n");
		return 0;
	}
	if (!take(tracez, numbers, sizeof(numbers)) || !take(tracez, &offset, sizeof(offset)))
		return fail(tracez, "its index is broken off");
	if (!read_at(tracez, offset, tracez->index, again, sizeof(again)))
		return fail(tracez, "a warp lies outside of its data");
	if (memcmp(numbers, again, sizeof(again)))
		return fail(tracez, "a warp is not where its index says");
	tracez->data = offset + sizeof(again);
	tracez->instructions = numbers[0];
	tracez->chunks = numbers[1];
	tracez->state = CHUNKS;
	tracez->lines_end = (size_t)snprintf(tracez->lines, LINES_MAX,
		"\nwarp = %u\ninsts = %u\n", tracez->warp, numbers[0]);
	tracez->warp++;
	return 0;
}

/* --- chunks ----------------------------------------------------------------------------- */

static int next_chunk(struct tracez *tracez)
{
	uint32_t count;

	if (!tracez->chunks) {
		tracez->state = WARPS;
		return tracez->instructions ?
		       fail(tracez, "a warp's chunks have less instructions than the warp") : 0;
	}
	tracez->chunks--;
	if (!take(tracez, &count, sizeof(count)))
		return fail(tracez, "its index is broken off");
	if (count > tracez->instructions)
		return fail(tracez, "a warp's chunks have more instructions than the warp");
	tracez->instructions -= count;
	if (!read_at(tracez, tracez->data, tracez->index, &tracez->frame_left,
		     sizeof(tracez->frame_left)))
		return fail(tracez, "a chunk lies outside of its data");
	tracez->data += sizeof(tracez->frame_left);
	if (tracez->frame_left > tracez->index - tracez->data)
		return fail(tracez, "a chunk lies outside of its data");
	ZSTD_DCtx_reset(tracez->context, ZSTD_reset_session_only);
	tracez->in = (ZSTD_inBuffer) { .src = tracez->input };
	tracez->state = FRAME;
	return 0;
}

/* Read the next part of the frame from the file. */
static bool fill_input(struct tracez *tracez)
{
	size_t count = tracez->frame_left < sizeof(tracez->input) ? tracez->frame_left :
								    sizeof(tracez->input);

	if (!read_at(tracez, tracez->data, tracez->index, tracez->input, count))
		return false;
	tracez->data += count;
	tracez->frame_left -= (uint32_t)count;
	tracez->in.pos = 0;
	tracez->in.size = count;
	return true;
}

/* The last line of a frame has no end; the first one of the next frame begins another. */
static void end_frame(struct tracez *tracez)
{
	tracez->state = CHUNKS;
	if (!tracez->ends_line)
		tracez->lines_end = (size_t)snprintf(tracez->lines, LINES_MAX, "\n");
	tracez->ends_line = true;
}

/* Text of the frame. Return: bytes, which may be 0, or -1. */
static int read_frame(struct tracez *tracez, char *text, size_t room)
{
	ZSTD_outBuffer out = { .dst = text, .size = room };
	size_t left;

	if (tracez->in.pos == tracez->in.size && !fill_input(tracez))
		return fail(tracez, "it cannot be read");
	left = ZSTD_decompressStream(tracez->context, &out, &tracez->in);
	if (ZSTD_isError(left))
		return fail(tracez, "a chunk is not what zstd compresses, or of another dictionary");
	/* All has been read, and zstd has nothing more of it. */
	if (left && !out.pos && tracez->in.pos == tracez->in.size && !tracez->frame_left)
		return fail(tracez, "a chunk is broken off");
	if (out.pos)
		tracez->ends_line = text[out.pos - 1] == '\n';
	if (!left) {
		if (tracez->in.pos < tracez->in.size || tracez->frame_left)
			return fail(tracez, "a chunk has bytes behind its frame");
		end_frame(tracez);
	}
	return (int)out.pos;
}

/* --- text ------------------------------------------------------------------------------- */

static int hand_out(struct tracez *tracez, char *text, size_t room)
{
	size_t count = tracez->lines_end - tracez->lines_at;

	if (count > room)
		count = room;
	memcpy(text, tracez->lines + tracez->lines_at, count);
	tracez->lines_at += count;
	if (tracez->lines_at == tracez->lines_end)
		tracez->lines_at = tracez->lines_end = 0;
	return (int)count;
}

int tracez_read(struct tracez *tracez, char *text, size_t room)
{
	static int (*const steps[])(struct tracez *tracez) = {
		[BEGINNING] = begin, [BLOCKS] = next_block, [WARPS] = next_warp,
		[CHUNKS] = next_chunk,
	};
	int got;

	for (;;) {
		if (tracez->lines_end)
			return hand_out(tracez, text, room);
		if (tracez->state == DONE)
			return 0;
		if (tracez->state == FRAME) {
			got = read_frame(tracez, text, room);
			if (got)
				return got;
		} else if (steps[tracez->state](tracez)) {
			return -1;
		}
	}
}
