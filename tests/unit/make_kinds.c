// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the kernels of kinds.c, as files NAME.trace in the folder that is
 * given, and prints a line "NAME compute" or "NAME memory" for each.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kinds.h"

static void save(const char *folder, const struct kind *kind)
{
	__u64 footprint_bytes;
	struct builder *builder = kind_build(kind, &footprint_bytes);
	char path[4096];
	size_t bytes;
	void *trace;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.trace", folder, kind->name);
	trace = builder_finish(builder, footprint_bytes, &bytes);
	file = fopen(path, "w");
	if (!trace || !file || fwrite(trace, bytes, 1, file) != 1 ||
	    fclose(file)) {
		fprintf(stderr, "make_kinds: cannot write %s\n", path);
		exit(1);
	}
	printf("%s %s\n", kind->name,
	       kind->class == COMPUTE_BOUND ? "compute" : "memory");
	free(trace);
	builder_free(builder);
}

int main(int argc, char **argv)
{
	__u32 i;

	if (argc != 2) {
		fprintf(stderr, "usage: make_kinds FOLDER\n");
		return 2;
	}
	for (i = 0; i < KIND_COUNT; i++)
		save(argv[1], &kinds[i]);
	return 0;
}
