/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept figures of a sweep. A run that is done leaves a small file in the sweep's
 * folder, and is not made again while it is there. The file is named after what was
 * run and a checksum of its fingerprint: all that decides the result, this program
 * included, so that figures of another experiment are never taken for this one's. The
 * fingerprint is also its first line.
 */
#ifndef SIMGPU_SWEEP_KEPT_H
#define SIMGPU_SWEEP_KEPT_H

#include "../jobs.h"
#include "sweep.h"

#define KEPT_PATH_BYTES		4096
#define KEPT_FINGERPRINT_BYTES	4096

/**
 * struct kept - a file
 * @fingerprint: by kept_append()
 * @length: of it
 * @path: by kept_locate()
 * @temporary: by kept_create()
 */
struct kept {
	char fingerprint[KEPT_FINGERPRINT_BYTES];
	size_t length;
	char path[KEPT_PATH_BYTES];
	char temporary[KEPT_PATH_BYTES + 40];
};

u32 kept_checksum(const void *bytes, size_t count);

/* More of the fingerprint. */
__attribute__((format(printf, 2, 3)))
void kept_append(struct kept *kept, const char *format, ...);
/* Where it is, once the fingerprint is whole: FOLDER/KIND/NAME.CHECKSUM. */
void kept_locate(struct kept *kept, const char *folder, const char *kind,
		 const char *name);

/* To read what follows the fingerprint; NULL if there is no such file. */
FILE *kept_open(const struct kept *kept);
/* To write it; NULL with errno set. Until kept_close() there is no file. */
FILE *kept_create(struct kept *kept);
/* A negative errno if it was not written whole; then there is no file. */
int kept_close(FILE *file, const struct kept *kept);

/* Fields are all u64, given by their offsets; a row a line, commas between them. */
void kept_write_row(FILE *file, const void *row, const size_t *fields,
		    size_t count);
bool kept_read_row(FILE *file, void *row, const size_t *fields, size_t count);

/* FOLDER/NAME, or FOLDER where @name is empty; an exit status. */
int kept_make_folder(const char *folder, const char *name);

/* --- what both kinds of runs need --- */

/**
 * struct sweep_work - what the jobs of a phase have in common
 * @todo: indices of the runs that are to be made
 */
struct sweep_work {
	struct sweep *sweep;
	u32 *todo;
	u32 todo_count;
	bool failed;
};

/* Say it once a run; jobs share standard error. @who: a policy, or "alone". */
void sweep_report_failure(struct jobs *jobs, struct sweep_work *work,
			  const char *who, const char *name, int error);
/* Whether a run is this command's to make; if not, it is missed. */
bool sweep_is_of_part(struct sweep *sweep, u32 index);
/* Options of what workloads do alone, with the seed of that index; an exit status. */
int sweep_alone_options(const struct sweep *sweep, u32 seed,
			struct session_options *options);

/* What a workload's private run in a slot depends on. */
void sweep_describe_alone(const struct sweep *sweep,
			  const struct session_options *options, u32 workload,
			  u32 slot, struct kept *kept);
/* Before any mix runs: what loads are multiples of. An exit status. */
int sweep_find_requests(struct sweep *sweep);
/* Before any mix runs: what goals and best-effort throughput are parts of. An exit status. */
int sweep_find_windows(struct sweep *sweep);
/* Once all mixes have run: the private runs that they ask for. An exit status. */
int sweep_find_truth(struct sweep *sweep);

#endif /* SIMGPU_SWEEP_KEPT_H */
