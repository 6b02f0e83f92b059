/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failures, and what is done about them (docs/failures.md): failures that were asked for
 * (injections), timeouts of kernels and copies, and recovery. failures.c keeps injections,
 * timeouts, guilt and counts; recovery.c kills launches and resets SMs and the device.
 *
 * A session without an injection, a timeout or a trace that spins is the same to the bit as
 * one without all of this.
 */
#ifndef SESSION_FAILURES_H
#define SESSION_FAILURES_H

#include <simgpu/port.h>
#include "affinity.h"

struct session;

/* Injections of a session. */
#define SESSION_INJECTIONS_MAX		16
/* In @slot of an injection: each tenant. */
#define SESSION_INJECT_ANY		U32_MAX
/* The longest timeout, and the longest time of a recovery. */
#define SESSION_TIMEOUT_CYCLES_MAX	1000000000000ULL
/*
 * Core cycles that it takes to kill a launch, to reset SMs, and until a device is back that was
 * reset or lost. Assumed: no vendor states them. The first is some 15 us at 1.4 GHz, as long as
 * a preemption of an SM takes on hardware; a reset of an engine takes about five times as long,
 * and one of a device, which takes seconds on a card, is kept short so that a run sees its end.
 */
#define SESSION_KILL_CYCLES_DEFAULT		20000ULL
#define SESSION_RESET_SM_CYCLES_DEFAULT		100000ULL
#define SESSION_RESET_DEVICE_CYCLES_DEFAULT	1000000ULL
/* A tenant with so many guilty launches ... */
#define SESSION_STRIKES_MAX		3
/* ... within so many timeouts' time is banned. Without a timeout they count for ever. */
#define SESSION_STRIKES_TIMEOUTS	100

/* What can fail, as &enum simgpu_failure numbers it */
enum session_failure {
	SESSION_FAILURE_NONE,
	SESSION_FAILURE_HANG,
	SESSION_FAILURE_ADDRESS,
	SESSION_FAILURE_MEMORY,
	SESSION_FAILURE_COPY,
	SESSION_FAILURE_LOST,
	SESSION_FAILURES
};

/* What does not end a kernel that hangs, as &enum simgpu_survives numbers it */
enum session_survives {
	SESSION_SURVIVES_NOTHING,
	SESSION_SURVIVES_KILL,
	SESSION_SURVIVES_SM_RESET,
	SESSION_SURVIVES
};

/* Their words, by value: in journals and options */
extern const char *const session_failure_names[SESSION_FAILURES];
extern const char *const session_survives_names[SESSION_SURVIVES];

/* How a launch has ended, as &enum simgpu_launch_status numbers it */
enum session_launch_status {
	SESSION_LAUNCH_OK,
	SESSION_LAUNCH_CANCELED,
	SESSION_LAUNCH_TIMED_OUT,
	SESSION_LAUNCH_BAD_ADDRESS,
	SESSION_LAUNCH_MEMORY_ERROR,
	SESSION_LAUNCH_LOST,
	SESSION_LAUNCH_STATUSES
};

/**
 * struct session_launch_end - a way in which a launch ends
 * @status: as launch_done of &struct session_hooks says it: 0 or a negative errno
 * @name: a word for people
 */
struct session_launch_end {
	s32 status;
	const char *name;
};

/* By &enum session_launch_status */
extern const struct session_launch_end session_launch_ends[SESSION_LAUNCH_STATUSES];

/**
 * session_launch_status() - the number of a launch's end
 * @status: as launch_done of &struct session_hooks says it
 *
 * Return: &enum session_launch_status; SESSION_LAUNCH_CANCELED for an unknown status.
 */
enum session_launch_status session_launch_status(int status);

/**
 * struct session_injection - a failure that is to happen; see &struct simgpu_injection
 * @kind: &enum session_failure; SESSION_FAILURE_NONE: all earlier injections are forgotten, and
 *	the other fields are 0
 * @slot: the tenant's slot, or SESSION_INJECT_ANY
 * @launch: number of the tenant's run of a trace, from 1, each repeat and each relaunch counted;
 *	0: any
 * @after: so many matching runs pass before
 * @times: in so many runs at most; 0: any number
 * @after_cycles: core cycles from the begin of the run's first kernel, or its first copy, until
 *	it happens, up to SESSION_TIMEOUT_CYCLES_MAX
 * @probability_ppm: with which it happens in a matching run, up to 1000000; 0: it does
 * @survives: &enum session_survives; other than 0 for a hang only
 */
struct session_injection {
	u32 kind;
	u32 slot;
	u64 launch;
	u64 after;
	u64 times;
	u64 after_cycles;
	u32 probability_ppm;
	u32 survives;
};

/**
 * session_injection_is_good() - check an injection
 * @injection: the injection
 *
 * Return: whether each field is in its range, and they go together.
 */
bool session_injection_is_good(const struct session_injection *injection);

/**
 * session_inject() - have something fail from now on
 * @session: the session
 * @injection: copied. It counts for runs that begin from now on
 *
 * It is journalled. Whether it happens in a run is drawn from the session's seed, from a stream
 * of random numbers that nothing else uses.
 *
 * Return: 0; -EINVAL for a bad injection, or where device time leaps; -ENOSPC with
 * SESSION_INJECTIONS_MAX of them.
 */
int session_inject(struct session *session, const struct session_injection *injection);

/**
 * session_inject_all() - session_inject() for each of several, all or none
 * @session: the session, which may run
 * @injections: the injections
 * @count: elements of @injections
 *
 * Return: 0, or the error of session_inject() for one of them, with none injected.
 */
int session_inject_all(struct session *session, const struct session_injection *injections,
		       u32 count);

/**
 * struct session_injected - an injection of a session, for people
 * @is: the injection
 * @passed: runs that matched and passed before, up to its @after
 * @struck: runs in which it has happened
 */
struct session_injected {
	struct session_injection is;
	u64 passed;
	u64 struck;
};

/**
 * session_injections() - the injections of a session
 * @session: the session
 * @out: set to them, in the order in which they came
 *
 * Return: how many there are.
 */
u32 session_injections(const struct session *session,
		       struct session_injected out[SESSION_INJECTIONS_MAX]);

/**
 * session_set_timeout() - set the timeout of a tenant's queue
 * @session: the session
 * @slot: the tenant
 * @queue: below SESSION_QUEUES_MAX
 * @cycles: for kernels and copies that begin from now on, up to SESSION_TIMEOUT_CYCLES_MAX;
 *	0: the session's timeout_cycles
 *
 * It is journalled, unless it is the present one.
 *
 * Return: 0, or -EINVAL, where device time leaps as well.
 */
int session_set_timeout(struct session *session, u32 slot, u32 queue, u64 cycles);

/**
 * struct session_failures - a tenant's failures since it joined
 * @timeouts: kernels and copies that have timed out
 * @faults: kernels with an illegal address or an error of memory
 * @kills: launches that were killed for that
 * @resets: resets of SMs or the device that took thread blocks or kernels from it
 * @launches_repeated: launches that began again, in part or as a whole, after resets for which
 *	others were guilty
 * @launches_canceled: launches that such resets ended, or the loss of the device
 * @strikes: guilty launches that count
 * @banned: whether it is banned: its launches end with -EIO
 */
struct session_failures {
	u64 timeouts;
	u64 faults;
	u64 kills;
	u64 resets;
	u64 launches_repeated;
	u64 launches_canceled;
	u64 strikes;
	bool banned;
};

/**
 * struct session_failure_times - the failures of a session
 * @found: failures that were found
 * @lost: times that the device was lost
 * @sm_resets: SMs that were reset
 * @device_resets: resets of the device
 * @detection_mean_cycles: core cycles from a failure until it was found; of a kernel that takes
 *	too long by itself, from its begin
 * @detection_max_cycles: the longest of them
 * @recovery_mean_cycles: from there until what it held up could go on
 * @recovery_max_cycles: the longest of them
 */
struct session_failure_times {
	u64 found;
	u64 lost;
	u64 sm_resets;
	u64 device_resets;
	u64 detection_mean_cycles;
	u64 detection_max_cycles;
	u64 recovery_mean_cycles;
	u64 recovery_max_cycles;
};

/* The failures of a session so far; all 0 if nothing has failed. */
void session_failure_times(const struct session *session, struct session_failure_times *out);

/* What was done about a failure */
enum session_recovery {
	SESSION_RECOVERY_WAITED = 1,	/* the policy has given it more time */
	SESSION_RECOVERY_KILLED,	/* the launch was killed, or could not be */
	SESSION_RECOVERY_KILLED_TENANT,	/* all launches of the tenant were ended */
	SESSION_RECOVERY_RESET_SMS,
	SESSION_RECOVERY_RESET_DEVICE,
	SESSION_RECOVERIES
};

/* Their words */
extern const char *const session_recovery_names[SESSION_RECOVERIES];

/* What was found, by SIMGPU_FAILED_* of the snapshot; the first one is a lost device */
#define SESSION_FOUND	4
extern const char *const session_found_names[SESSION_FOUND];

/**
 * struct session_failed - a failure that was found, for the session's owner
 * @slot: the tenant; SESSION_ANY_SLOT: it is the device's, and nothing but @kind is set
 * @queue: its queue
 * @kind: SIMGPU_FAILED_* of the snapshot: what the session has seen; 0 for a lost device
 * @kernel: index of its present kernel
 * @sequence: number of the launch
 * @trace_name: name of its trace; valid while the owner is told
 * @kernel_name: name of the kernel; as @trace_name
 * @copies: a copy has failed, and @kernel only says where in the launch that was
 * @sm_count: SMs that have thread blocks of the launch
 * @sms: which these are, a bit each
 * @blocks: thread blocks of the kernel
 * @blocks_begun: those that have begun
 * @blocks_ended: those that have ended
 * @blocks_saved: those whose contexts were saved, and that wait for an SM
 * @cycles: core cycles since the kernel, or the copy, began
 */
struct session_failed {
	u32 slot;
	u32 queue;
	u32 kind;
	u32 kernel;
	u64 sequence;
	const char *trace_name;
	const char *kernel_name;
	bool copies;
	u32 sm_count;
	u64 sms[SESSION_MASK_WORDS];
	u32 blocks;
	u32 blocks_begun;
	u32 blocks_ended;
	u32 blocks_saved;
	u64 cycles;
};

/**
 * struct session_acted - a step of a recovery, and what it has done, for the session's owner
 * @slot: the tenant that failed; SESSION_ANY_SLOT: the device was lost
 * @queue: its queue
 * @step: &enum session_recovery
 * @over: the failure has ended with it; else the next step follows, or, after
 *	SESSION_RECOVERY_WAITED, the timeout once more
 * @cycles: core cycles until what it holds up can go on, or until the next step
 * @sms: SMs that it has reset
 * @blocks: thread blocks that were on SMs, of whomever, and have vanished
 * @repeated: launches of innocents that begin again, in part or as a whole
 * @canceled: launches that ended though nothing was found of them
 * @strikes: those of the tenant now
 * @banned: whether it is banned now
 */
struct session_acted {
	u32 slot;
	u32 queue;
	u32 step;
	bool over;
	u64 cycles;
	u32 sms;
	u32 blocks;
	u32 repeated;
	u32 canceled;
	u32 strikes;
	bool banned;
};

/* Used only in kmod/session */
struct simgpu_proposal;
struct simgpu_snapshot_tenant;

bool failures_may_come(const struct session *session);
u64 failures_timeout(const struct session *session, u32 slot, u32 number);
void failures_struck(struct session *session, u32 slot, u32 number);
void failures_run_begins(struct session *session, u32 slot, u32 lead);
void failures_begin(struct session *session, u32 slot, u32 number, u32 lead, bool copy);
void failures_end(struct session *session, u32 slot, u32 number);
void failures_run_over(struct session *session, u32 slot, u32 queues);
void failures_forget(struct session *session, u32 slot);
u64 failures_delay(const struct session *session, u32 slot, u32 number);
bool failures_stall(const struct session *session, u32 slot, u32 number);
void failures_asked(struct session *session);
void failures_answered(struct session *session, const struct simgpu_proposal *proposal,
		       u32 least);
void failures_join(struct session *session, u32 slot, u32 strikes);
void failures_ban(struct session *session, u32 slot);
void failures_strike(struct session *session, u32 slot, u32 number);
void failures_found(struct session *session, u64 cycles);
void failures_recovered(struct session *session, u64 cycles);
void failures_report(const struct session *session, u32 slot, struct session_failures *out);
void failures_fill_snapshot(const struct session *session, u32 slot,
			    struct simgpu_snapshot_tenant *out);
u64 failures_hash(const struct session *session, u64 hash);

#endif /* SESSION_FAILURES_H */
