// SPDX-License-Identifier: GPL-2.0
/* Which reader a file needs, by its first bytes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kineto.h"
#include "reader.h"

#define FIRST_BYTES	64

static int refuse_kind(char reason[IMPORT_REASON_BYTES])
{
	snprintf(reason, IMPORT_REASON_BYTES,
		 "its first bytes are those of no profile that is known: PyTorch's trace events "
		 "in JSON, which may be compressed with gzip");
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
	return refuse_kind(reason);
}
