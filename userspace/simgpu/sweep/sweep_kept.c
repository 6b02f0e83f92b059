// SPDX-License-Identifier: GPL-2.0
/* Files of kept figures; see sweep_kept.h. */
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../../offline/run.h"
#include "sweep_kept.h"

#define LINE_BYTES	2048

u32 kept_checksum(const void *bytes, size_t count)
{
	return (u32)crc32(crc32(0, NULL, 0), bytes, (uInt)count);
}

void kept_append(struct kept *kept, const char *format, ...)
{
	size_t room = sizeof(kept->fingerprint) - kept->length;
	va_list arguments;
	int added;

	va_start(arguments, format);
	added = vsnprintf(kept->fingerprint + kept->length, room, format,
			  arguments);
	va_end(arguments);
	if (added > 0 && (size_t)added < room)
		kept->length += (size_t)added;
}

/* Names of workloads may hold any character, so others than these are replaced. */
void kept_locate(struct kept *kept, const char *folder, const char *kind,
		 const char *name)
{
	char *c;
	size_t start;

	start = (size_t)snprintf(kept->path, sizeof(kept->path), "%s/%s/",
				 folder, kind);
	if (start >= sizeof(kept->path))
		return;
	snprintf(kept->path + start, sizeof(kept->path) - start, "%s.%08x",
		 name, kept_checksum(kept->fingerprint, kept->length));
	for (c = kept->path + start; *c; c++)
		if (*c == '/' || *c == ' ')
			*c = '_';
}

FILE *kept_open(const struct kept *kept)
{
	char line[KEPT_FINGERPRINT_BYTES + 1];
	FILE *file = fopen(kept->path, "r");

	if (file && fgets(line, sizeof(line), file) &&
	    !strncmp(line, kept->fingerprint, kept->length) &&
	    line[kept->length] == '\n')
		return file;
	if (file)
		fclose(file);
	return NULL;
}

/*
 * The file first has a temporary name, so that an existing file is always whole. A suite
 * may have a mix twice, and two jobs then write the same file; their addresses tell the
 * temporary names apart.
 */
FILE *kept_create(struct kept *kept)
{
	FILE *file;

	snprintf(kept->temporary, sizeof(kept->temporary), "%s.%d.%zx",
		 kept->path, getpid(), (size_t)kept);
	file = fopen(kept->temporary, "w");
	if (file)
		fprintf(file, "%s\n", kept->fingerprint);
	return file;
}

int kept_close(FILE *file, const struct kept *kept)
{
	bool bad = ferror(file);

	if (fclose(file) || bad || rename(kept->temporary, kept->path)) {
		unlink(kept->temporary);
		return -EIO;
	}
	return 0;
}

void kept_write_row(FILE *file, const void *row, const size_t *fields,
		    size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(file, "%s%llu", i ? "," : "",
			*(const u64 *)((const char *)row + fields[i]));
	fputc('\n', file);
}

bool kept_read_row(FILE *file, void *row, const size_t *fields, size_t count)
{
	char line[LINE_BYTES], *rest = line;
	size_t i;

	if (!fgets(line, sizeof(line), file))
		return false;
	for (i = 0; i < count; i++) {
		char *end;

		*(u64 *)((char *)row + fields[i]) = strtoull(rest, &end, 10);
		if (end == rest || *end != (i + 1 < count ? ',' : '\n'))
			return false;
		rest = end + 1;
	}
	return true;
}

int kept_make_folder(const char *folder, const char *name)
{
	char path[KEPT_PATH_BYTES];

	snprintf(path, sizeof(path), "%s%s%s", folder, *name ? "/" : "", name);
	if (mkdir(path, 0777) && errno != EEXIST)
		return fail("%s: %s", path, strerror(errno));
	return STATUS_OK;
}

bool sweep_is_of_part(struct sweep *sweep, u32 index)
{
	if (index % sweep->parts == sweep->part)
		return true;
	sweep->incomplete = true;
	return false;
}

void sweep_report_failure(struct jobs *jobs, struct sweep_work *work,
			  const char *who, const char *name, int error)
{
	if (error == -EINTR)
		return;
	jobs_lock(jobs);
	progress_end();
	work->failed = true;
	fail("%s, %s: %s", who, name, error == -EOVERFLOW ?
	     "more was issued on an SM than a quota allows" : error == -EPROTO ?
	     "requests ended otherwise than the session has counted" :
	     offline_error(error));
	jobs_unlock(jobs);
}
