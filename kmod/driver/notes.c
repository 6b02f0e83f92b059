// SPDX-License-Identifier: GPL-2.0
/*
 * The last notes of a device's policy, for people (docs/write-a-policy.md). All but making and
 * freeing the ring happens with the device's lock held.
 */
#include "notes.h"
#include "turn.h"

static void simgpu_notes_add(struct simgpu_device *device)
{
	struct session_notes *notes = port_alloc(sizeof(*notes));

	/* Without memory for them there are none. debugfs can already be read. */
	smp_store_release(&device->notes, notes);
}

static void simgpu_notes_remove(struct simgpu_device *device)
{
	port_free(device->notes);
	device->notes = NULL;
}

static void simgpu_notes_note(struct simgpu_device *device, const struct session_note *note)
{
	lockdep_assert_held(&device->lock);
	if (device->notes)
		session_notes_add(device->notes, note);
}

/* Notes are those of the present session. */
static void simgpu_notes_session_end(struct simgpu_device *device)
{
	lockdep_assert_held(&device->lock);
	if (device->notes)
		device->notes->count = 0;
}

/**
 * simgpu_notes_print() - print the last notes, a line each: the cycle, and the text
 * @device: the device
 * @seq: where to
 *
 * Return: 0, or -ENODEV if the device has gone; -EINTR, if the caller was interrupted while
 *	it waited for the device's lock.
 */
int simgpu_notes_print(struct simgpu_device *device, struct seq_file *seq)
{
	const struct session_notes *notes;
	char text[SESSION_NOTE_TEXT_BYTES];
	int ret = simgpu_device_lock(device);
	u64 i;

	if (ret)
		return ret;
	notes = device->notes;
	for (i = notes ? session_notes_first(notes) : 0; notes && i < notes->count; i++) {
		const struct session_note *note = &notes->at[i % SESSION_NOTES_KEPT];

		session_note_text(note, text);
		seq_printf(seq, "%llu %s\n", note->cycle, text);
	}
	simgpu_device_unlock(device);
	return 0;
}

const struct simgpu_observer simgpu_notes_observer = {
	.add = simgpu_notes_add,
	.remove = simgpu_notes_remove,
	.session_end = simgpu_notes_session_end,
	.note = simgpu_notes_note,
};
