/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of Nsight Systems' profiles, as nsys export --type sqlite writes them. */
#ifndef IMPORT_NSYS_H
#define IMPORT_NSYS_H

#include "activities.h"

/**
 * nsys_read() - read an export of Nsight Systems
 * @path: the SQLite database
 * @activities: an open profile, which is filled in
 * @reason: set to a sentence on failure
 *
 * Tables of what the profile does not have are missing in the database; that is no failure.
 *
 * Return: 0; -EINVAL if it is no such database; -ENOMEM.
 */
int nsys_read(const char *path, struct activities *activities,
	      char reason[IMPORT_REASON_BYTES]);

#endif /* IMPORT_NSYS_H */
