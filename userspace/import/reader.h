/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a profile, of whatever format. */
#ifndef IMPORT_READER_H
#define IMPORT_READER_H

#include "activities.h"

/**
 * profile_read() - read a profile
 * @path: the file; its first bytes tell the format
 * @activities: an open profile, which is filled in
 * @reason: set to a sentence on failure
 *
 * Return: 0; -EINVAL if it is of no known format or damaged; another negative errno if it
 * cannot be read.
 */
int profile_read(const char *path, struct activities *activities,
		 char reason[IMPORT_REASON_BYTES]);

#endif /* IMPORT_READER_H */
