/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a text file that may be compressed (.gz, .xz, .zst, .bz2), or of a .tracez. */
#ifndef ACCELSIM_SOURCE_H
#define ACCELSIM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* Most bytes of a line: of a bulk copy, an address for each transfer. */
#define SOURCE_LINE_MAX	(8 << 20)

struct source;

/**
 * source_open() - open a file, or "-", which is standard input
 * @missing: set to the program that would decompress it and is not there, else to NULL
 *
 * Return: the file, or NULL with errno set.
 */
struct source *source_open(const char *path, const char **missing);
void source_close(struct source *source);

/**
 * source_line() - the next line
 * @line: set to it, without its end, up to a byte 0; valid until the next call
 *
 * Return: 1; 0 at the end; -EIO for a broken file; -E2BIG for a line longer than
 * SOURCE_LINE_MAX; -EILSEQ for one with a byte 0; -ENOMEM.
 */
int source_line(struct source *source, char **line);

/* What is wrong with a broken file, if more is known than that; else NULL. */
const char *source_problem(const struct source *source);

/* The line that was read last comes again. */
void source_push_back(struct source *source);

/*
 * What compresses a text that was read as it is, as that of a pipe is: "xz" or NULL.
 * zlib's is decompressed from anywhere.
 */
const char *source_compression(const char *text);

/* Number of the line that was read last, from 1. */
uint64_t source_line_number(const struct source *source);

/* How much of the file has been read, in bytes as they lie on the disk. */
uint64_t source_read_bytes(const struct source *source);
uint64_t source_file_bytes(const struct source *source);

#endif /* ACCELSIM_SOURCE_H */
