/* SPDX-License-Identifier: GPL-2.0 */
/* Coredumps of devices, which keep the module until they are deleted. No expectations here. */
#ifndef DUMPS_H
#define DUMPS_H

#include "calls.h"

#define DUMPS		"/sys/class/devcoredump"

static inline bool has_dumps(void)
{
	return !access(DUMPS, F_OK);
}

/* The first coredump's data, if there is one. */
static inline bool find_dump(char *path, size_t bytes)
{
	DIR *dumps = opendir(DUMPS);
	const struct dirent *entry;
	bool found = false;

	while (dumps && !found && (entry = readdir(dumps))) {
		found = starts_with(entry->d_name, "devcd");
		snprintf(path, bytes, DUMPS "/%s/data", entry->d_name);
	}
	if (dumps)
		closedir(dumps);
	return found;
}

/* A coredump keeps the module. One may still come, a moment after its failure. */
static inline void delete_dumps(void)
{
	char path[300];
	int quiet = 0;

	while (has_dumps() && quiet++ < 20) {
		if (find_dump(path, sizeof(path))) {
			write_text(path, "1");
			quiet = 0;
		}
		sleep_ms(10);
	}
}

#endif /* DUMPS_H */
