// SPDX-License-Identifier: GPL-2.0
/*
 * Room for a device's journal. It grows by chunks, up to the device's limit
 * journal_events. Each chunk is charged to the caller whose event finds no room.
 */
#include "../session/journal.h"
#include "device.h"
#include "journal_room.h"
#include "turn.h"

/**
 * simgpu_device_lock_to_note() - take the device's lock for a call that adds to the journal
 * @device: the device
 *
 * Memory is allocated before the lock is taken, so that no other caller waits while this
 * one is throttled for memory.
 *
 * Return: see simgpu_device_lock(); -ENOMEM without memory for the event.
 */
int simgpu_device_lock_to_note(struct simgpu_device *device)
{
	struct journal_chunk *chunk = NULL;
	int ret;

	if (!READ_ONCE(device->journal_spare)) {
		chunk = journal_chunk_alloc();
		if (!chunk)
			return -ENOMEM;
	}
	ret = simgpu_device_lock(device);
	if (!ret && !device->journal_spare) {
		WRITE_ONCE(device->journal_spare, chunk);
		chunk = NULL;
	}
	port_free(chunk);
	return ret;
}

/**
 * simgpu_journal_chunk() - the session's hook: give the journal another chunk
 * @context: the device
 *
 * Return: the chunk that a caller has allocated; NULL at the limit, or if the event has no
 * caller.
 */
struct journal_chunk *simgpu_journal_chunk(void *context)
{
	struct simgpu_device *device = context;
	struct journal_chunk *chunk = device->journal_spare;

	lockdep_assert_held(&device->lock);
	if (session_journal_room(device->session) >=
	    READ_ONCE(device->limits.journal_events))
		return NULL;
	WRITE_ONCE(device->journal_spare, NULL);
	return chunk;
}
