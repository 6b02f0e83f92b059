/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a profile of a real program says, whatever tool has written it: one list of
 * activities. A reader of a format (kineto.h) fills the list in; what is made of it,
 * kernels and commands, does not know the format.
 */
#ifndef IMPORT_ACTIVITIES_H
#define IMPORT_ACTIVITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a refusal, a sentence */
#define IMPORT_REASON_BYTES	256
/* Name of no stream, and number of no call */
#define ACTIVITY_NONE		(-1)

/**
 * enum activity_kind - what an activity is
 * @ACTIVITY_KERNEL: a kernel on the GPU
 * @ACTIVITY_COPY: a copy from or to the GPU's memory, or within it
 * @ACTIVITY_SET: memory that is filled with a value
 * @ACTIVITY_CALL: a call of the host that launches, copies, records or waits
 * @ACTIVITY_WAIT: a stream waits for an event
 * @ACTIVITY_SYNC: the host waits for a stream, an event, or everything
 * @ACTIVITY_MARK: an iteration of the program
 */
enum activity_kind {
	ACTIVITY_KERNEL,
	ACTIVITY_COPY,
	ACTIVITY_SET,
	ACTIVITY_CALL,
	ACTIVITY_WAIT,
	ACTIVITY_SYNC,
	ACTIVITY_MARK,
	ACTIVITY_KINDS
};

/**
 * enum activity_direction - where a copy goes
 * @ACTIVITY_TO_DEVICE: from the host to the device
 * @ACTIVITY_TO_HOST: from the device to the host
 * @ACTIVITY_ON_DEVICE: from the device to itself, or to another one
 */
enum activity_direction {
	ACTIVITY_TO_DEVICE,
	ACTIVITY_TO_HOST,
	ACTIVITY_ON_DEVICE,
};

/**
 * struct activity - something that happened
 * @kind: what
 * @direction: of a copy
 * @name: the kernel's, the call's or the iteration's
 * @grid: of a kernel: thread blocks in x, y and z; zeros if the profile does not say it
 * @block: of a kernel: threads of a thread block in x, y and z
 * @registers: of a kernel: registers of a thread; 0: not known
 * @shared_bytes: of a kernel: shared memory of a thread block
 * @stream: stream that it is in; of ACTIVITY_SYNC the one that the host waits for, all
 *	if it is ACTIVITY_NONE
 * @correlation: number of the call that it comes from, or that it is; or ACTIVITY_NONE
 * @record: of ACTIVITY_WAIT and ACTIVITY_SYNC: number of the call that recorded the event;
 *	ACTIVITY_NONE: no event, or not known
 * @record_stream: stream in which that call recorded the event
 * @start_ns: when it began, in nanoseconds since some moment
 * @duration_ns: how long it took
 * @bytes: of a copy or ACTIVITY_SET
 */
struct activity {
	enum activity_kind kind;
	enum activity_direction direction;
	const char *name;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t registers;
	uint32_t shared_bytes;
	int64_t stream;
	int64_t correlation;
	int64_t record;
	int64_t record_stream;
	int64_t start_ns;
	int64_t duration_ns;
	uint64_t bytes;
};

/**
 * struct unknown_activity - activities that no reader understands
 * @name: their name, or that of their category
 * @count: how many
 */
struct unknown_activity {
	const char *name;
	uint64_t count;
};

/**
 * struct activities - a profile
 * @list: the activities, in the order of the file
 * @count: number of them
 * @room: elements that @list has room for
 * @device: name of the GPU, or NULL
 * @device_bytes: its memory; 0: not known
 * @unknown: what was left out since it is not understood
 * @unknown_count: elements of @unknown
 * @silent_waits: waits of streams whose event the profile does not name
 * @names: every text once
 */
struct activities {
	struct activity *list;
	size_t count;
	size_t room;
	const char *device;
	uint64_t device_bytes;
	struct unknown_activity *unknown;
	size_t unknown_count;
	uint64_t silent_waits;
	struct names *names;
};

/* Begins an empty profile; 0 or -ENOMEM. */
int activities_open(struct activities *activities);
void activities_close(struct activities *activities);

/**
 * activities_add() - add an activity
 * @activities: the profile
 * @activity: what to add; its name is copied
 *
 * Return: 0 or -ENOMEM.
 */
int activities_add(struct activities *activities, const struct activity *activity);

/* Counts an activity that is not understood; 0 or -ENOMEM. */
int activities_unknown(struct activities *activities, const char *name);

/* A text that lives as long as the profile, the same for equal texts; NULL: no memory. */
const char *activities_text(struct activities *activities, const char *text);

/**
 * activities_check() - whether a trace can be made of a profile
 * @activities: what was read
 * @reason: set to a sentence if not
 *
 * A profile without an activity of a GPU, or with kernels without a grid, cannot.
 *
 * Return: 0 or -EINVAL.
 */
int activities_check(const struct activities *activities,
		     char reason[IMPORT_REASON_BYTES]);

/* Whether a name tells of a call that is kept: launches, copies, events, waits. */
bool activity_call_matters(const char *name);

#endif /* IMPORT_ACTIVITIES_H */
