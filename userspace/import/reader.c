// SPDX-License-Identifier: GPL-2.0
/* Which reader a file needs, by its first bytes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kineto.h"
#include "nsys.h"
#include "reader.h"
#include "rocprof.h"

#define FIRST_BYTES	64
/* How a database begins, with the NUL */
#define SQLITE		"SQLite format 3"

static int refuse_kind(char reason[IMPORT_REASON_BYTES])
{
	snprintf(reason, IMPORT_REASON_BYTES,
		 "its first bytes are those of no profile that is known: PyTorch's trace events "
		 "in JSON, which may be compressed with gzip, Nsight Systems' export to SQLite, or "
		 "rocprofv3's kernel_trace.csv");
	return -EINVAL;
}

int profile_read(const char *path, struct activities *activities,
		 char reason[IMPORT_REASON_BYTES])
{
	FILE *file = fopen(path, "re");
	char first[FIRST_BYTES + 1] = "";
	size_t count, i = 0;

	if (!file) {
		int error = errno;

		snprintf(reason, IMPORT_REASON_BYTES, "%s", strerror(error));
		return -error;
	}
	count = fread(first, 1, FIRST_BYTES, file);
	fclose(file);
	while (i < count && isspace((unsigned char)first[i]))
		i++;
	if (first[i] == '{' || first[i] == '[' || !memcmp(first, "\x1f\x8b", 2))
		return kineto_read(path, activities, reason);
	if (count >= sizeof(SQLITE) && !memcmp(first, SQLITE, sizeof(SQLITE)))
		return nsys_read(path, activities, reason);
	if (strstr(first, "Kind\"") || strstr(first, "Kind,"))
		return rocprof_read(path, activities, reason);
	return refuse_kind(reason);
}
