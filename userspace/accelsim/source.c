// SPDX-License-Identifier: GPL-2.0
/* Lines of a text file that may be compressed; see source.h. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "source.h"

#define INPUT_BYTES	65536

/**
 * struct source - an open file
 * @fd: descriptor of an .xz file, or -1
 * @gz: any other file; zlib reads plain files as they are
 * @text: decompressed text that was not returned yet, from @at to @end
 */
struct source {
	int fd;
	gzFile gz;
	lzma_stream xz;
	bool xz_ended;
	uint64_t file_bytes;
	uint64_t xz_bytes;
	uint64_t line_number;
	size_t at;
	size_t end;
	uint8_t input[INPUT_BYTES];
	char text[INPUT_BYTES];
	char line[SOURCE_LINE_MAX + 1];
};

static bool is_xz(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".xz");
}

static int open_xz(struct source *source)
{
	/* Bounded memory, whatever the file asks for. */
	lzma_ret ret = lzma_stream_decoder(&source->xz, 256 << 20,
					   LZMA_CONCATENATED);

	if (ret == LZMA_OK)
		return 0;
	close(source->fd);
	errno = ENOMEM;
	return -1;
}

static int open_file(struct source *source, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &status))
		source->file_bytes = (uint64_t)status.st_size;
	source->fd = -1;
	if (is_xz(path)) {
		source->fd = fd;
		return open_xz(source);
	}
	source->gz = gzdopen(fd, "rb");
	if (source->gz)
		return 0;
	close(fd);
	errno = ENOMEM;
	return -1;
}

struct source *source_open(const char *path)
{
	struct source *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return NULL;
	source->xz = (lzma_stream)LZMA_STREAM_INIT;
	if (!open_file(source, path))
		return source;
	error = errno;
	free(source);
	errno = error;
	return NULL;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->gz)
		gzclose(source->gz);
	if (source->fd >= 0)
		close(source->fd);
	lzma_end(&source->xz);
	free(source);
}

static int read_input(struct source *source)
{
	ssize_t got = read(source->fd, source->input, INPUT_BYTES);

	if (got < 0)
		return -EIO;
	source->xz.next_in = source->input;
	source->xz.avail_in = (size_t)got;
	source->xz_bytes += (uint64_t)got;
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

	if (source->fd >= 0) {
		got = fill_from_xz(source);
	} else {
		got = gzread(source->gz, source->text, INPUT_BYTES);
		/* That a compressed file is cut off only shows at its end. */
		gzerror(source->gz, &error);
		if (got < 0 || error < 0)
			got = -EIO;
	}
	source->at = 0;
	source->end = got > 0 ? (size_t)got : 0;
	return got;
}

int source_line(struct source *source, char **line)
{
	size_t length = 0;
	int ret;

	*line = source->line;
	for (;;) {
		if (source->at == source->end) {
			ret = fill(source);
			if (ret < 0)
				return ret;
			if (!ret && !length)
				return 0;
			if (!ret)
				break;
		}
		while (source->at < source->end &&
		       source->text[source->at] != '\n') {
			if (length == SOURCE_LINE_MAX)
				return -E2BIG;
			source->line[length++] = source->text[source->at++];
		}
		if (source->at < source->end) {
			source->at++;
			break;
		}
	}
	if (length && source->line[length - 1] == '\r')
		length--;
	source->line[length] = '\0';
	source->line_number++;
	return 1;
}

uint64_t source_line_number(const struct source *source)
{
	return source->line_number;
}

uint64_t source_read_bytes(const struct source *source)
{
	if (source->fd >= 0)
		return source->xz_bytes - source->xz.avail_in;
	return (uint64_t)gzoffset(source->gz);
}

uint64_t source_file_bytes(const struct source *source)
{
	return source->file_bytes;
}
