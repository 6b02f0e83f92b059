/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept figures of a sweep. A run that is done leaves a small file in the sweep's
 * folder, and is not made again while the file is there. The file is named after the run
 * and a checksum of its fingerprint: everything that decides the result, with this
 * program, so that figures of another experiment are never taken for this one's. The
 * fingerprint is also the first line of the file.
 */
#ifndef SIMGPU_SWEEP_KEPT_H
#define SIMGPU_SWEEP_KEPT_H

#include "../jobs.h"
#include "sweep.h"

#define KEPT_PATH_BYTES		4096
#define KEPT_FINGERPRINT_BYTES	4096

/**
 * struct kept - a file
 * @fingerprint: made by kept_append()
 * @length: length of @fingerprint
 * @path: made by kept_locate()
 * @temporary: made by kept_create()
 */
struct kept {
	char fingerprint[KEPT_FINGERPRINT_BYTES];
	size_t length;
	char path[KEPT_PATH_BYTES];
	char temporary[KEPT_PATH_BYTES + 40];
};

u32 kept_checksum(const void *bytes, size_t count);

/* Appends to the fingerprint. */
__attribute__((format(printf, 2, 3)))
void kept_append(struct kept *kept, const char *format, ...);
/* Sets the path, when the fingerprint is complete: FOLDER/KIND/NAME.CHECKSUM. */
void kept_locate(struct kept *kept, const char *folder, const char *kind,
		 const char *name);

/* Opens the file to read what follows the fingerprint; NULL if it does not exist. */
FILE *kept_open(const struct kept *kept);
/* Opens it to write; NULL with errno set. Until kept_close() the file does not exist. */
FILE *kept_create(struct kept *kept);
/* Returns a negative errno if not all was written; then the file does not exist. */
int kept_close(FILE *file, const struct kept *kept);

/* Fields are all u64, given by their offsets; a row is a line with commas. */
void kept_write_row(FILE *file, const void *row, const size_t *fields,
		    size_t count);
bool kept_read_row(FILE *file, void *row, const size_t *fields, size_t count);

/* Makes FOLDER/NAME, or FOLDER if @name is empty; an exit status. */
int kept_make_folder(const char *folder, const char *name);

/* --- what both kinds of runs need --- */

/**
 * struct sweep_work - shared by the jobs of a phase
 * @todo: indices of the runs that have to be made
 */
struct sweep_work {
	struct sweep *sweep;
	u32 *todo;
	u32 todo_count;
	bool failed;
};

/* Prints a failure once a run; jobs share standard error. @who: a policy, or "alone". */
void sweep_report_failure(struct jobs *jobs, struct sweep_work *work,
			  const char *who, const char *name, int error);
/* Whether this command makes a run; if not, the run is noted as missing. */
bool sweep_is_of_part(struct sweep *sweep, u32 index);

#endif /* SIMGPU_SWEEP_KEPT_H */
