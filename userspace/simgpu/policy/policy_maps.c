// SPDX-License-Identifier: GPL-2.0
/* The files of a loaded policy's maps; see policy_maps.h. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../command.h"
#include "policy_maps.h"

static void policy_folder(const char *policy, char *path, size_t room)
{
	snprintf(path, room, MAPS_FOLDER "/%s", policy);
}

void policy_maps_path(const char *policy, const char *map, char *path, size_t room)
{
	size_t begin;

	policy_folder(policy, path, room);
	begin = strlen(path);
	snprintf(path + begin, room - begin, "/%s", map);
	for (path += begin; *path; path++)
		if (*path == '.')
			*path = '-';
}

void policy_maps_each(const char *policy,
		      void (*visit)(const char *path, void *context),
		      void *context)
{
	char folder[PATH_MAX], path[PATH_MAX * 2];
	struct dirent *entry;
	DIR *files;

	policy_folder(policy, folder, sizeof(folder));
	files = opendir(folder);
	if (!files)
		return;
	while ((entry = readdir(files))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		visit(path, context);
	}
	closedir(files);
}

static void remove_file(const char *path, void *context)
{
	unlink(path);
}

void policy_maps_remove(const char *policy)
{
	char folder[PATH_MAX];

	policy_maps_each(policy, remove_file, NULL);
	policy_folder(policy, folder, sizeof(folder));
	rmdir(folder);
}

int policy_maps_folder(const char *policy)
{
	char folder[PATH_MAX];

	policy_folder(policy, folder, sizeof(folder));
	if ((mkdir(MAPS_FOLDER, 0700) && errno != EEXIST) ||
	    (mkdir(folder, 0700) && errno != EEXIST))
		return -errno;
	return 0;
}
