/* SPDX-License-Identifier: GPL-2.0 */
/* What kind of work a kernel of a library does, by its name and shape. */
#ifndef IMPORT_CLASSES_H
#define IMPORT_CLASSES_H

#include "activities.h"

/**
 * enum family - how a class' warps work
 * @FAMILY_STREAM: they go through arrays, each its own elements
 * @FAMILY_TILES: thread blocks multiply tiles that they copy into shared memory
 * @FAMILY_GATHER: they read rows from anywhere
 */
enum family {
	FAMILY_STREAM,
	FAMILY_TILES,
	FAMILY_GATHER,
};

/**
 * struct kernel_class - a class of kernels, and what its warp program is made of
 * @name: as reports have it
 * @words: parts of kernels' names, in lower case, with blanks between them
 * @family: how its warps work
 * @loads: of FAMILY_STREAM and FAMILY_GATHER: arrays that are read a turn
 * @stores: arrays that are written a turn
 * @mix: instructions between the loads and the stores of a turn, for builder_mix()
 * @count: how many of them
 * @adds_up: the threads of a thread block add up a value at the end
 */
struct kernel_class {
	const char *name;
	const char *words;
	enum family family;
	uint32_t loads;
	uint32_t stores;
	const char *mix;
	uint32_t count;
	bool adds_up;
};

/**
 * class_of() - the class of a kernel
 * @kernel: an activity of kind ACTIVITY_KERNEL
 *
 * The first class of the table with a word in the function's name decides, else with one in
 * the arguments of its template; parameters do not count. A name without any of them
 * is a product if the kernel has the registers and the shared memory of one, else "other".
 */
const struct kernel_class *class_of(const struct activity *kernel);

/* Whether a product's name says that tensor cores multiply. */
bool class_has_tensor(const char *name);

/**
 * class_tile() - rows and columns of the result that a thread block of a product has
 * @kernel: the kernel
 * @rows: set
 * @columns: set
 *
 * They stand in the name, such as 128x64; else 64 x 64 for up to 128 threads, 128 x 128 for more.
 */
void class_tile(const struct activity *kernel, uint32_t *rows, uint32_t *columns);

/* The function's name in a kernel's name, without types, namespaces and parameters. */
void class_short_name(const char *name, char *to, size_t bytes);

#endif /* IMPORT_CLASSES_H */
