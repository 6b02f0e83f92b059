// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a text file that may be compressed; see source.h. zlib reads .gz and plain
 * text, liblzma .xz, tracez.c .tracez; of others the programs of that name make plain text.
 */
/* For pipe2. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "source.h"
#include "tracez.h"

#define INPUT_BYTES	65536
#define FIRST_LINE_BYTES	4096

/* What a file is compressed by; zlib does not need to be told of .gz. */
static const struct compression {
	const char *ending;
	const char *magic;
	const char *program;	/* NULL: liblzma */
} compressions[] = {
	{ ".xz", "\xfd" "7zXZ", NULL },
	{ ".zst", "\x28\xb5\x2f\xfd", "zstd" },
	{ ".bz2", "BZh", "bzip2" },
};

#define COMPRESSIONS	(sizeof(compressions) / sizeof(compressions[0]))

/**
 * struct source - an open file
 * @fd: descriptor of the file
 * @is_xz: whether liblzma reads it, and not zlib
 * @gz: what zlib reads: the file, or what @program writes
 * @program: process that decompresses it, or 0
 * @tracez: what makes its text, if it is a .tracez
 * @is_pushed_back: the line that was read last is the next one, too
 * @text: decompressed text that was not returned yet, from @at to @end
 * @line: the line that was read last; it has room for @line_room bytes
 */
struct source {
	int fd;
	bool is_xz;
	gzFile gz;
	pid_t program;
	struct tracez *tracez;
	lzma_stream xz;
	bool xz_ended;
	bool is_pushed_back;
	uint64_t file_bytes;
	uint64_t line_number;
	size_t at;
	size_t end;
	uint8_t input[INPUT_BYTES];
	char text[INPUT_BYTES];
	char *line;
	size_t line_room;
};

/* --- how it is compressed ------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && !strcmp(path + length - tail, ending);
}

static bool begins_with(const uint8_t *bytes, size_t count, const char *magic)
{
	size_t length = strlen(magic);

	return count >= length && !memcmp(bytes, magic, length);
}

/* By its name, or by how it begins; NULL: not, or as zlib knows. */
static const struct compression *find_compression(const char *path, int fd)
{
	uint8_t first[8];
	ssize_t got = pread(fd, first, sizeof(first), 0);
	size_t i;

	for (i = 0; i < COMPRESSIONS; i++)
		if (ends_in(path, compressions[i].ending))
			return &compressions[i];
	/* Of a pipe nothing can be read twice. */
	for (i = 0; got > 0 && i < COMPRESSIONS; i++)
		if (begins_with(first, (size_t)got, compressions[i].magic))
			return &compressions[i];
	return NULL;
}

const char *source_compression(const char *text)
{
	size_t i;

	for (i = 0; i < COMPRESSIONS; i++)
		if (begins_with((const uint8_t *)text, strlen(text),
				compressions[i].magic))
			return compressions[i].ending + 1;
	return NULL;
}

/* --- opening -------------------------------------------------------------------------- */

static int open_xz(struct source *source)
{
	source->is_xz = true;
	/* Bounded memory, whatever the file asks for. */
	if (lzma_stream_decoder(&source->xz, 256 << 20, LZMA_CONCATENATED) == LZMA_OK)
		return 0;
	errno = ENOMEM;
	return -1;
}

static int open_gz(struct source *source, int fd)
{
	if (fd < 0)
		return -1;
	source->gz = gzdopen(fd, "rb");
	if (source->gz)
		return 0;
	close(fd);
	errno = ENOMEM;
	return -1;
}

/* Start the program, from the file to a pipe. Return: 0 or an errno. */
static int start_program(struct source *source, const char *program, int pipe_in)
{
	char *const words[] = { (char *)program, (char *)"-dcq", NULL };
	posix_spawn_file_actions_t actions;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, source->fd, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, pipe_in,
							 STDOUT_FILENO);
	/* What it says of a broken file we say ourselves. */
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
							 "/dev/null", O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(&source->program, program, &actions, NULL, words,
				     environ);
	if (error)
		source->program = 0;
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int open_program(struct source *source, const char *program,
			const char **missing)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	error = start_program(source, program, ends[1]);
	close(ends[1]);
	if (!error)
		return open_gz(source, ends[0]);
	close(ends[0]);
	if (error == ENOENT)
		*missing = program;
	errno = error;
	return -1;
}

static int open_tracez(struct source *source)
{
	source->tracez = tracez_new(source->fd, source->file_bytes);
	if (source->tracez)
		return 0;
	errno = ENOMEM;
	return -1;
}

static int open_file(struct source *source, const char *path, const char **missing)
{
	const struct compression *compression;
	struct stat status;

	source->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
		     fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (source->fd < 0)
		return -1;
	if (!fstat(source->fd, &status)) {
		source->file_bytes = (uint64_t)status.st_size;
		if (S_ISDIR(status.st_mode)) {
			errno = EISDIR;
			return -1;
		}
	}
	if (ends_in(path, ".tracez"))
		return open_tracez(source);
	compression = find_compression(path, source->fd);
	if (!compression)
		return open_gz(source, fcntl(source->fd, F_DUPFD_CLOEXEC, 3));
	return compression->program ?
	       open_program(source, compression->program, missing) : open_xz(source);
}

struct source *source_open(const char *path, const char **missing)
{
	struct source *source = calloc(1, sizeof(*source));
	int error;

	*missing = NULL;
	if (!source)
		return NULL;
	source->xz = (lzma_stream)LZMA_STREAM_INIT;
	if (!open_file(source, path, missing))
		return source;
	error = errno;
	source_close(source);
	errno = error;
	return NULL;
}

/* A program that is not read to its end dies of the closed pipe. */
static bool program_succeeded(struct source *source)
{
	int status = 0;

	if (!source->program)
		return true;
	while (waitpid(source->program, &status, 0) < 0 && errno == EINTR)
		;
	source->program = 0;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->gz)
		gzclose(source->gz);
	program_succeeded(source);
	if (source->fd >= 0)
		close(source->fd);
	lzma_end(&source->xz);
	tracez_free(source->tracez);
	free(source->line);
	free(source);
}

/* --- reading -------------------------------------------------------------------------- */

static int read_input(struct source *source)
{
	ssize_t got = read(source->fd, source->input, INPUT_BYTES);

	if (got < 0)
		return -EIO;
	source->xz.next_in = source->input;
	source->xz.avail_in = (size_t)got;
	return 0;
}

/* Return: bytes of text, 0 at the end, or -EIO. */
static int fill_from_xz(struct source *source)
{
	lzma_stream *xz = &source->xz;
	lzma_ret ret;

	xz->next_out = (uint8_t *)source->text;
	xz->avail_out = INPUT_BYTES;
	while (xz->avail_out == INPUT_BYTES && !source->xz_ended) {
		bool at_end = false;

		if (!xz->avail_in) {
			if (read_input(source))
				return -EIO;
			at_end = !xz->avail_in;
		}
		ret = lzma_code(xz, at_end ? LZMA_FINISH : LZMA_RUN);
		if (ret == LZMA_STREAM_END)
			source->xz_ended = true;
		else if (ret != LZMA_OK)
			return -EIO;
	}
	return (int)(INPUT_BYTES - xz->avail_out);
}

static int fill(struct source *source)
{
	int got, error = Z_OK;

	if (source->is_xz) {
		got = fill_from_xz(source);
	} else if (source->tracez) {
		got = tracez_read(source->tracez, source->text, INPUT_BYTES);
		if (got < 0)
			got = -EIO;
	} else {
		got = gzread(source->gz, source->text, INPUT_BYTES);
		/* That a compressed file is cut off only shows at its end. */
		gzerror(source->gz, &error);
		if (got < 0 || error < 0 || (!got && !program_succeeded(source)))
			got = -EIO;
	}
	source->at = 0;
	source->end = got > 0 ? (size_t)got : 0;
	return got;
}

const char *source_problem(const struct source *source)
{
	return source->tracez ? tracez_problem(source->tracez) : NULL;
}

/* Add bytes to the line, which has @length. Return: 0, -E2BIG or -ENOMEM. */
static int add_to_line(struct source *source, size_t length, const char *bytes, size_t count)
{
	size_t room = source->line_room ? source->line_room : FIRST_LINE_BYTES;
	char *line;

	if (count > SOURCE_LINE_MAX - length)
		return -E2BIG;
	while (room <= length + count)
		room *= 2;
	if (room != source->line_room) {
		line = realloc(source->line, room);
		if (!line)
			return -ENOMEM;
		source->line = line;
		source->line_room = room;
	}
	memcpy(source->line + length, bytes, count);
	return 0;
}

/* Read a line, without its end. Return: whether there was one, or a negative errno. */
static int read_line(struct source *source, size_t *length)
{
	int ret;

	for (*length = 0;;) {
		const char *from, *end;
		size_t count;

		if (source->at == source->end) {
			ret = fill(source);
			if (ret < 0)
				return ret;
			if (!ret)
				return *length > 0;
		}
		from = source->text + source->at;
		end = memchr(from, '\n', source->end - source->at);
		count = end ? (size_t)(end - from) : source->end - source->at;
		ret = add_to_line(source, *length, from, count);
		if (ret)
			return ret;
		*length += count;
		source->at += count;
		if (end) {
			source->at++;
			return 1;
		}
	}
}

int source_line(struct source *source, char **line)
{
	size_t length;
	int ret;

	if (source->is_pushed_back) {
		source->is_pushed_back = false;
		*line = source->line;
		return 1;
	}
	ret = read_line(source, &length);
	if (ret <= 0)
		return ret;
	if (length && source->line[length - 1] == '\r')
		length--;
	source->line[length] = '\0';
	source->line_number++;
	*line = source->line;
	return memchr(source->line, '\0', length) ? -EILSEQ : 1;
}

void source_push_back(struct source *source)
{
	source->is_pushed_back = true;
}

uint64_t source_line_number(const struct source *source)
{
	return source->line_number;
}

/* A program that decompresses shares the place in the file. */
uint64_t source_read_bytes(const struct source *source)
{
	off_t at = source->tracez ? (off_t)tracez_position(source->tracez) :
		   lseek(source->fd, 0, SEEK_CUR);

	return at < 0 ? 0 : (uint64_t)at;
}

uint64_t source_file_bytes(const struct source *source)
{
	return source->file_bytes;
}
