/* SPDX-License-Identifier: GPL-2.0 */
/* The allocations of a trace: which are managed, and changing that. */
#ifndef SIMGPU_ALLOCATIONS_H
#define SIMGPU_ALLOCATIONS_H

#include "command.h"

/**
 * allocations_managed() - whether a trace has managed allocations
 * @bytes: the trace, 8-byte aligned, whose contents may not be checked yet
 * @count: its size in bytes
 *
 * Return: whether it has; false, too, for what no trace can be like.
 */
bool allocations_managed(const void *bytes, size_t count);

/**
 * allocations_manage() - make allocations of a trace managed
 * @path: name of the trace, for messages
 * @bytes: as for allocations_managed(); its checksum is set anew
 * @count: its size in bytes
 * @names: names of allocations, with '+' between them. Of allocations of the same name all
 *	are meant
 *
 * Return: an exit status; a message has been printed on failure: the trace has no allocation
 * of such a name.
 */
int allocations_manage(const char *path, void *bytes, size_t count, const char *names);

#endif /* SIMGPU_ALLOCATIONS_H */
