/* SPDX-License-Identifier: GPL-2.0 */
/* A gang: a repeatable experiment of several tenants, and its file. */
#ifndef SIMGPU_GANG_H
#define SIMGPU_GANG_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "driver.h"
#include "waker.h"

/**
 * struct simgpu_gang_record - an epoch record as the gang's file returns it
 * @record: its fixed part
 * @counters: as many words as @record names
 */
struct simgpu_gang_record {
	struct simgpu_epoch_record record;
	struct simgpu_counters counters;
};

/* Records of a chunk. There is one chunk more than may be full: head and tail never meet. */
#define SIMGPU_GANG_CHUNK	64
/*
 * Chunks that are made beyond the one that is being written: room for the records of as many
 * epochs as a chunk has records. While these pass, the next chunk is made.
 */
#define SIMGPU_GANG_AHEAD(_members)	(_members)
#define SIMGPU_GANG_CHUNKS	(SIMGPU_GANG_RECORDS_MAX / SIMGPU_GANG_CHUNK + 1)
#define SIMGPU_GANG_CHUNK_BYTES \
	(SIMGPU_GANG_CHUNK * sizeof(struct simgpu_gang_record))

/**
 * struct simgpu_gang - an open gang file; freed with its last reference
 * @maker: tenant that made it, to which its memory is charged; held by reference
 * @device: device of the maker
 * @members: number of tenants that it waits for
 * @expiry: gives the device back if the gang does not start
 * @over: it has ended, or its file is being closed; written under the device
 *	lock
 * @status: what SIMGPU_IOC_GANG_STATUS answers once @over; set before that
 * @wall_ns: host time spent simulating; written under the device lock
 * @refusal: what SIMGPU_IOC_GANG_REFUSAL answers once @over; set before that
 * @reported: slots whose @reports and @counters are set; publish lock
 * @reports: last figures of members that left, and of all once @over; publish
 *	lock
 * @counters: last counters of the same members; publish lock
 * @chunks: a ring of chunks of epoch records, made before they are needed and freed once
 *	they were read. A new record is lost if the reader is too slow, or its chunk was
 *	not made in time. The writer only reads it
 * @memcg: memory cgroup to which the chunks are charged: the maker's, a reference
 * @cred: credentials of the maker, whose user the chunks count for; a reference
 * @chunks_lock: held while chunks are made, which may sleep; never taken with the device
 *	lock
 * @chunks_work: makes chunks while the gang runs
 * @starved: the last chunk was not to be had; read without a lock
 * @head: number of records written so far; the writer holds the device lock
 * @tail: number of records read so far; the reader holds @read_lock
 * @lost: records that found no room; written under the device lock
 * @waker: wakes callers for a new record and for the end
 * @read_lock: serializes readers; never taken with the device lock
 */
struct simgpu_gang {
	struct simgpu_tenant *maker;
	struct simgpu_device *device;
	u32 members;
	struct delayed_work expiry;

	bool over;
	struct simgpu_gang_status status;
	struct session_refusal refusal;
	u64 wall_ns;
	DECLARE_BITMAP(reported, SESSION_SLOTS_MAX);
	struct simgpu_tenant_report reports[SESSION_SLOTS_MAX];
	struct simgpu_counters counters[SESSION_SLOTS_MAX];

	struct simgpu_gang_record *chunks[SIMGPU_GANG_CHUNKS];
	struct mem_cgroup *memcg;
	const struct cred *cred;
	struct mutex chunks_lock; /* who makes chunks */
	struct delayed_work chunks_work;
	bool starved;
	unsigned long head;
	unsigned long tail;
	u64 lost;
	struct simgpu_waker waker;
	struct mutex read_lock;	/* one reader at a time */
};

int simgpu_gang_create(struct simgpu_ucmd *ucmd);
int simgpu_gang_join(struct simgpu_ucmd *ucmd);
extern const struct simgpu_observer simgpu_gang_observer;

#endif /* SIMGPU_GANG_H */
