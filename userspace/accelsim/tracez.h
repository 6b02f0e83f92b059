/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accel-Sim's .tracez files as text. Such a file has, with numbers of 4 or 8 bytes, the lowest
 * byte first:
 *
 *	header text, a byte 0
 *	u32 bytes of the dictionary, u32 (instructions of a chunk, not used)
 *	the dictionary, of zstd
 *	for each warp: u32 instructions, u32 chunks, for each chunk: u32 bytes, a frame of zstd
 *	the index: u32 thread blocks; for each: u32 x, y, z, cluster's x, y, z, place in the
 *		cluster x, y, z, rank in it, warps; for each warp: u32 instructions, u32 chunks,
 *		u64 offset of its data, for each chunk: u32 instructions
 *	u64 offset of the index
 *
 * Frames hold the instruction lines of a .traceg file. The text is that of the .traceg file
 * that Accel-Sim's traceDsm makes of it, line by line.
 */
#ifndef ACCELSIM_TRACEZ_H
#define ACCELSIM_TRACEZ_H

#include <stddef.h>
#include <stdint.h>

struct tracez;

/* @fd: the file, which stays the caller's. Return: NULL when memory ran out. */
struct tracez *tracez_new(int fd, uint64_t file_bytes);
void tracez_free(struct tracez *tracez);

/**
 * tracez_read() - the next bytes of the text
 *
 * Memory is bounded: by the dictionary, and by the window of zstd's frames, 128 MiB.
 *
 * Return: how many were put into @text, at most @room; 0 at the end; -1 if the file is
 * broken, see tracez_problem().
 */
int tracez_read(struct tracez *tracez, char *text, size_t room);

/* What is wrong with the file, as a sentence without an end. */
const char *tracez_problem(const struct tracez *tracez);

/* Offset of the data that were read last, in bytes. */
uint64_t tracez_position(const struct tracez *tracez);

#endif /* ACCELSIM_TRACEZ_H */
