/* SPDX-License-Identifier: GPL-2.0 */
/* A tenant: an open file of a device, its traces and its launches. */
#ifndef SIMGPU_TENANT_H
#define SIMGPU_TENANT_H

#include <linux/kobject.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/poll.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "driver.h"
#include "waker.h"

struct cgroup;
struct sk_buff;
struct simgpu_user;

/* Netlink leaves out longer paths of cgroups. */
#define SIMGPU_CGROUP_PATH_BYTES	512

/* Launches of a tenant whose outcome is kept for callers that wait. */
#define SIMGPU_OUTCOMES_KEPT	4096
/* Places for these, and for those that were made since the oldest one under way. */
#define SIMGPU_OUTCOMES		(2 * SIMGPU_OUTCOMES_KEPT)
/* Most launches of a tenant that a session has. */
#define SIMGPU_PENDING_MAX	(SESSION_QUEUES_MAX * SESSION_LAUNCHES_MAX)

/*
 * Eventfds of launches that have ended and wait to be signaled. A launch with an eventfd is
 * refused where more wait than the session has launches.
 */
#define SIMGPU_EVENTFDS_DUE_MAX	(2 * SIMGPU_PENDING_MAX)

/**
 * struct simgpu_eventfds - a queue of eventfds that are to be signaled
 * @first: index of the first one
 * @count: number of them
 * @at: a ring of references
 */
struct simgpu_eventfds {
	u32 first;
	u32 count;
	struct eventfd_ctx *at[SIMGPU_EVENTFDS_DUE_MAX];
};

/**
 * struct simgpu_trace - an uploaded trace, or that of a copy
 * @refs: the tenant's table has one, of an uploaded trace, and each launch that has not ended
 * @tenant: that uploaded it; outlives it
 * @charged_bytes: what it counts for
 * @decoded: what the engine runs; lies in @memory
 * @prepare_lock: held while it is prepared for another GPU; outside the device's lock
 * @preparing: its times and profiles are being computed, so it cannot be launched;
 *	device lock
 * @grave: in the device's list of those to be freed
 * @memory: of the decoded trace
 */
struct simgpu_trace {
	struct kref refs;
	struct simgpu_tenant *tenant;
	u64 charged_bytes;
	const struct trace *decoded;
	struct mutex prepare_lock; /* one caller prepares it at a time */
	bool preparing;
	struct llist_node grave;
	u8 memory[] __aligned(8);
};

/**
 * struct simgpu_pending - a launch, or arrivals, that the session has
 * @first: the session's number for it, or for the first request
 * @sequence: the session's number for it, or for the last request
 * @trace: reference that it holds; NULL in a free entry
 * @eventfd: eventfd to signal when it has ended, or NULL
 * @list: list of the requests' cycles; NULL: there is none
 * @list_bytes: bytes that the tenant is charged for the list
 * @queue: its queue
 */
struct simgpu_pending {
	u64 first;
	u64 sequence;
	u32 queue;
	struct simgpu_trace *trace;
	struct eventfd_ctx *eventfd;
	u64 *list;
	u64 list_bytes;
};

/**
 * struct simgpu_tenant_wish - new settings of a tenant; NULL: no change
 * @weight: its weight
 * @target_ppm: its target
 * @share_ppm: the part of the SMs that it asks for
 * @p99_cycles: core cycles that 99 of 100 of its launches are to stay within
 * @goal: its goal
 * @memory_min: its limits of managed memory, as in &struct session_memory_limits
 * @memory_low: the same
 * @memory_max: the same
 */
struct simgpu_tenant_wish {
	const u32 *weight;
	const u64 *target_ppm;
	const u64 *share_ppm;
	const u64 *p99_cycles;
	const struct simgpu_goal *goal;
	const u64 *memory_min;
	const u64 *memory_low;
	const u64 *memory_max;
};

/**
 * struct simgpu_tenant_published - what sysfs reads of a tenant
 * @options: name, service, weight, target
 * @slot: SIMGPU_NO_SLOT for none
 * @had_slot: it has given up its slot to another tenant: @report and @counters are the
 *	last ones there
 * @in_line: whether it waits for a slot
 * @sms: SM count assigned now, with shared SMs
 * @shared_sms: number of shared SMs in it
 * @class: class of the last finished epoch
 * @np_ppm: NP of that epoch; meaningless while the class is unknown
 * @figures: figures of the last finished epoch; zero until there was one
 * @report: what SIMGPU_IOC_REPORT answers
 * @counters: counters since it took its slot
 */
struct simgpu_tenant_published {
	struct session_tenant_options options;
	u32 slot;
	bool had_slot;
	bool in_line;
	u32 sms;
	u32 shared_sms;
	u32 class;
	u64 np_ppm;
	struct session_figures figures;
	struct simgpu_tenant_report report;
	struct simgpu_counters counters;
};

/**
 * struct simgpu_usage - a tenant's use of GPUs, and the GPU that it uses
 * @sm_cycles: cycles of its SMs, in sessions that it has left
 * @sm_ns: their time
 * @sms: SMs of the GPU on which it has its slot, or would get one
 * @core_mhz: core clock of that GPU
 */
struct simgpu_usage {
	u64 sm_cycles;
	u64 sm_ns;
	u32 sms;
	u32 core_mhz;
};

/**
 * struct simgpu_tenant - an open file
 * @kobj: its directory in sysfs; its references keep this struct
 * @device: held by reference
 * @id: unique on the device
 * @pid: process that opened it; others may share the file
 * @uid: user of the opener, who may read the counters
 * @gid: group of the opener
 * @user: @uid's account
 * @cgroup: cgroup in which it was opened; held by reference
 * @traces: &struct simgpu_trace by handle; has its own lock
 * @bytes_held: bytes that its traces and gangs are charged for, up to
 *	SIMGPU_TENANT_BYTES_MAX
 * @options: name, service, weight, target; device lock
 * @weight: weight that the session knows, by its cgroups' rules; device lock
 * @slot: slot in the device's session, or SIMGPU_NO_SLOT; device lock
 * @was_seated: it has had a slot; written under the device lock
 * @banned: it was banned in a session of the device's own: it gets no slot any more. Device lock
 * @strikes: guilty launches that counted against it in the device's own session when it lost its
 *	slot; they count again from its next slot on. Device lock
 * @in_line: it is in the device's line of tenants that wait for a slot; device lock
 * @waiters: calls that wait there for the tenant; device lock
 * @called: it may try again; written under the device lock
 * @line_wait: where these calls wait until it is @called. They are woken one at a time
 * @turn_cycle: device time at which its turn began; device lock
 * @in_gang: it has joined the device's gang, until that ends with its file or
 *	the session is replaced; device lock
 * @sequence_base: difference of a launch's number to the session's, which
 *	begins anew in each session; device lock
 * @pending: launches that the session has; device lock
 * @launched: number of the last launch; publish lock, and written under both
 * @timeout: timeouts of its queues, in any session; 0: the device's; device lock
 * @priority: priorities of its queues, in any session; device lock
 * @masks: its masks, in any session; device lock
 * @tables_bytes: bytes that it is charged for tables of managed memory, which the session
 *	has; device lock
 * @settled: launches up to this one have all ended, for callers that wait; as @launched
 * @outcome: outcomes of launches, by their number modulo SIMGPU_OUTCOMES; zero
 *	for those under way, and for those SIMGPU_OUTCOMES_KEPT before @settled and
 *	earlier; as @launched
 * @waker: wakes callers when a launch has ended
 * @eventfds: of launches that have ended; publish lock
 * @reported: launches up to this one were read or are forgotten; publish lock
 * @unread: launches that have ended, and were neither read nor forgotten; as
 *	@reported
 * @lost: forgotten launches that no record has reported; as @reported
 * @published: what sysfs reads; publish lock, and written under both
 * @usage: what fdinfo reads in addition; as @published
 * @live: the page that processes map, NULL until one has; publish lock
 */
struct simgpu_tenant {
	struct kobject kobj;
	struct simgpu_device *device;
	u64 id;
	struct pid *pid;
	kuid_t uid;
	kgid_t gid;
	struct simgpu_user *user;
	struct cgroup *cgroup;

	struct xarray traces;
	atomic64_t bytes_held;

	struct session_tenant_options options;
	u32 weight;
	u32 slot;
	bool was_seated;
	bool banned;
	u32 strikes;
	struct list_head in_line;
	u32 waiters;
	bool called;
	wait_queue_head_t line_wait;
	u64 turn_cycle;
	bool in_gang;
	u64 sequence_base;
	struct simgpu_pending pending[SIMGPU_PENDING_MAX];
	u64 timeout[SESSION_QUEUES_MAX];
	s8 priority[SESSION_QUEUES_MAX];
	struct session_masks masks;
	u64 tables_bytes;

	u64 launched;
	u64 settled;
	u8 outcome[SIMGPU_OUTCOMES];
	struct simgpu_waker waker;
	struct simgpu_eventfds eventfds;
	u64 reported;
	u64 unread;
	u64 lost;
	struct simgpu_tenant_published published;
	struct simgpu_usage usage;
	struct simgpu_live *live;
};

extern const struct simgpu_observer simgpu_tenant_observer;

struct simgpu_goal;

struct simgpu_tenant *simgpu_tenant_create(struct simgpu_device *device,
					   const struct cred *cred);
void simgpu_tenants_init(const struct kobj_type *ktype);
void simgpu_tenant_close(struct simgpu_tenant *tenant);
void simgpu_tenant_free(struct simgpu_tenant *tenant);
struct private_run *simgpu_tenant_private_make(struct simgpu_tenant *tenant);
void simgpu_tenant_private_free(struct simgpu_tenant *tenant,
				struct private_run *run);
int simgpu_tenant_set_options(struct simgpu_tenant *tenant,
			      const struct sk_buff *request,
			      const struct session_tenant_options *options);
int simgpu_tenant_change(struct simgpu_tenant *tenant,
			 const struct sk_buff *request,
			 const struct simgpu_tenant_wish *wish);
void simgpu_tenant_published(struct simgpu_tenant *tenant,
			     struct simgpu_tenant_published *out);
void simgpu_tenant_publish_counters(struct simgpu_tenant *tenant);
struct simgpu_tenant *simgpu_tenant_find(struct simgpu_device *device,
					 unsigned long *id, bool or_next);
void simgpu_tenant_fdinfo(struct simgpu_tenant *tenant, struct seq_file *seq);
void simgpu_tenant_shown(const struct simgpu_tenant_published *published,
			 struct simgpu_tenant_report *out);

int simgpu_device_info(struct simgpu_ucmd *ucmd);
int simgpu_tenant_config(struct simgpu_ucmd *ucmd);
int simgpu_tenant_queue(struct simgpu_ucmd *ucmd);
int simgpu_tenant_hint(struct simgpu_ucmd *ucmd);

static inline struct simgpu_tenant *simgpu_tenant_of(struct kobject *kobj)
{
	return container_of(kobj, struct simgpu_tenant, kobj);
}

#endif /* SIMGPU_TENANT_H */
