/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of rocprofv3's CSV files. */
#ifndef IMPORT_ROCPROF_H
#define IMPORT_ROCPROF_H

#include "activities.h"

/**
 * rocprof_read() - read what rocprofv3 --output-format csv has written
 * @path: its ..._kernel_trace.csv; ..._memory_copy_trace.csv and ..._hip_api_trace.csv are
 *	read, too, if they lie beside it
 * @activities: an open profile, which is filled in
 * @reason: set to a sentence on failure, with the number of the line
 *
 * Columns are found by their headings. A grid is in work-items there, and in thread blocks here.
 *
 * Return: 0; -EINVAL if it is no such file; -ENOMEM, or another negative errno if it cannot be
 * read.
 */
int rocprof_read(const char *path, struct activities *activities,
		 char reason[IMPORT_REASON_BYTES]);

#endif /* IMPORT_ROCPROF_H */
