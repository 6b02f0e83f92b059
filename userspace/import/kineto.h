/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of profiles of PyTorch (Kineto) and other files of Chrome's trace events. */
#ifndef IMPORT_KINETO_H
#define IMPORT_KINETO_H

#include "activities.h"

/**
 * kineto_read() - read a file of trace events
 * @path: a JSON file, which may be compressed with gzip
 * @activities: an open profile, which is filled in; on failure it has what was read so far
 * @reason: set to a sentence on failure
 *
 * An event is parsed at a time, so that memory goes by what is kept. Times are kept to the
 * nanosecond.
 *
 * Return: 0; -EINVAL if it is no such file, -ENOMEM, or another negative errno if it
 * cannot be read.
 */
int kineto_read(const char *path, struct activities *activities,
		char reason[IMPORT_REASON_BYTES]);

#endif /* IMPORT_KINETO_H */
