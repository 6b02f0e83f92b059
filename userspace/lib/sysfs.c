// SPDX-License-Identifier: LGPL-2.1
/* The files of /sys/class/simgpu: one value each. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simgpu.h"

#define CLASS_FOLDER	"/sys/class/simgpu"
#define PATH_BYTES	256

static int read_value(const char *path, char *value, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, value, bytes);
	error = errno;
	close(fd);
	if (length < 0)
		return -error;
	if ((size_t)length == bytes)
		return -E2BIG;
	if (length && value[length - 1] == '\n')
		length--;
	value[length] = '\0';
	return 0;
}

/* The kernel takes a value as a whole or not at all. */
static int write_value(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error;
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = write(fd, value, strlen(value));
	error = errno;
	close(fd);
	return length < 0 ? -error : 0;
}

/* The number in an entry's name: 12 for "simgpu12" with the prefix "simgpu". */
static int parse_entry(const char *entry, const char *prefix, uint64_t *number)
{
	size_t length = strlen(prefix);
	char *end;

	if (strncmp(entry, prefix, length) || !isdigit((unsigned char)entry[length]))
		return 0;
	errno = 0;
	*number = strtoull(entry + length, &end, 10);
	return !*end && !errno;
}

static int ascending(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static int alphabetical(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The numbers of a folder's entries, ascending; entries beyond the room are counted. */
static int list_numbers(const char *path, const char *prefix, uint64_t *numbers,
			size_t room)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t count = 0;
	uint64_t number;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		if (!parse_entry(entry->d_name, prefix, &number))
			continue;
		if (count < room)
			numbers[count] = number;
		count++;
	}
	closedir(folder);
	qsort(numbers, count < room ? count : room, sizeof(*numbers), ascending);
	return (int)count;
}

int simgpu_list_devices(unsigned int *devices, size_t count)
{
	uint64_t numbers[SIMGPU_DEVICES_MAX];
	int found = list_numbers(CLASS_FOLDER, "simgpu", numbers,
				 SIMGPU_DEVICES_MAX);
	size_t i;

	if (found == -ENOENT)
		return 0;
	if (found > SIMGPU_DEVICES_MAX)
		found = SIMGPU_DEVICES_MAX;
	for (i = 0; found > 0 && i < (size_t)found && i < count; i++)
		devices[i] = (unsigned int)numbers[i];
	return found;
}

static void device_path(char *path, unsigned int device, const char *name)
{
	snprintf(path, PATH_BYTES, CLASS_FOLDER "/simgpu%u/%s", device, name);
}

int simgpu_read_device_value(unsigned int device, const char *name,
			     char *value, size_t bytes)
{
	char path[PATH_BYTES];

	device_path(path, device, name);
	return read_value(path, value, bytes);
}

int simgpu_write_device_value(unsigned int device, const char *name,
			      const char *value)
{
	char path[PATH_BYTES];

	device_path(path, device, name);
	return write_value(path, value);
}

int simgpu_list_params(unsigned int device, const char *folder,
		       char (*names)[SIMGPU_NAME_MAX], size_t count)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	size_t found = 0;
	DIR *files;

	device_path(path, device, folder);
	files = opendir(path);
	if (!files)
		return -errno;
	while ((entry = readdir(files))) {
		if (entry->d_name[0] == '.' ||
		    strlen(entry->d_name) >= SIMGPU_NAME_MAX)
			continue;
		if (found < count)
			strcpy(names[found], entry->d_name);
		found++;
	}
	closedir(files);
	qsort(names, found < count ? found : count, sizeof(*names),
	      alphabetical);
	return (int)found;
}

int simgpu_list_tenants(unsigned int device, uint64_t *ids, size_t count)
{
	char path[PATH_BYTES];

	device_path(path, device, "tenants");
	return list_numbers(path, "", ids, count);
}

static void tenant_path(char *path, unsigned int device, uint64_t id,
			const char *name)
{
	snprintf(path, PATH_BYTES, CLASS_FOLDER "/simgpu%u/tenants/%llu/%s",
		 device, (unsigned long long)id, name);
}

int simgpu_read_tenant_value(unsigned int device, uint64_t id,
			     const char *name, char *value, size_t bytes)
{
	char path[PATH_BYTES];

	tenant_path(path, device, id, name);
	return read_value(path, value, bytes);
}

int simgpu_write_tenant_value(unsigned int device, uint64_t id,
			      const char *name, const char *value)
{
	char path[PATH_BYTES];

	tenant_path(path, device, id, name);
	return write_value(path, value);
}
