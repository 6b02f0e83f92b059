// SPDX-License-Identifier: GPL-2.0
/*
 * Room for a device's journal. It grows by chunks, up to the device's limit
 * journal_events. Each chunk is charged to the caller whose event finds no room.
 */
#include "../session/journal.h"
#include "device.h"
#include "journal_room.h"
#include "turn.h"

/* Allocates a chunk if the device may need one; else it is NULL. */
static int simgpu_journal_ahead(struct simgpu_device *device, struct journal_chunk **chunk)
{
	*chunk = NULL;
	if (READ_ONCE(device->journal_spare))
		return 0;
	*chunk = journal_chunk_alloc();
	return *chunk ? 0 : -ENOMEM;
}

/* Gives the device the chunk if it has none. */
static void simgpu_journal_give(struct simgpu_device *device, struct journal_chunk **chunk)
{
	lockdep_assert_held(&device->lock);
	if (device->journal_spare)
		return;
	WRITE_ONCE(device->journal_spare, *chunk);
	*chunk = NULL;
}

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
	struct journal_chunk *chunk;
	int ret = simgpu_journal_ahead(device, &chunk);

	if (ret)
		return ret;
	ret = simgpu_device_lock(device);
	if (!ret)
		simgpu_journal_give(device, &chunk);
	port_free(chunk);
	return ret;
}

/**
 * struct simgpu_noted - a call that adds to the journal
 * @device: the device
 * @function: the call
 * @arg: its argument
 * @chunk: what the caller has allocated, or NULL
 */
struct simgpu_noted {
	struct simgpu_device *device;
	int (*function)(void *arg);
	void *arg;
	struct journal_chunk *chunk;
};

static int simgpu_noted_call(void *arg)
{
	struct simgpu_noted *noted = arg;

	simgpu_journal_give(noted->device, &noted->chunk);
	return noted->function(noted->arg);
}

/**
 * simgpu_device_call_to_note() - simgpu_device_call() of a function that adds to the journal
 * @device: the device
 * @function: what a tenant asks for
 * @arg: the function's argument
 *
 * The caller allocates memory for the event, as in simgpu_device_lock_to_note().
 *
 * Return: see simgpu_device_call(); -ENOMEM without memory for the event.
 */
int simgpu_device_call_to_note(struct simgpu_device *device, int (*function)(void *arg),
			       void *arg)
{
	struct simgpu_noted noted = {
		.device = device, .function = function, .arg = arg,
	};
	int ret = simgpu_journal_ahead(device, &noted.chunk);

	if (ret)
		return ret;
	ret = simgpu_device_call(device, simgpu_noted_call, &noted);
	port_free(noted.chunk);
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
