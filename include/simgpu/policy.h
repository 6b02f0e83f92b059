/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The interface of an SM policy: a snapshot in, a proposal out. */
#ifndef SIMGPU_POLICY_H
#define SIMGPU_POLICY_H

#include <simgpu/model.h>
#include <simgpu/proposal.h>

/**
 * struct simgpu_policy - an SM policy
 * @name: as written to sysfs; unique among policies
 * @events: SIMGPU_ON_*: when the policy is asked beside the epoch's end. The session
 *	handles events that are not listed: an even split when tenants arrive or
 *	depart, and at kernel ends what the session's kernel_end says
 * @needs: SIMGPU_NEEDS_*: what a session has to provide for it
 * @state_bytes: bytes that it keeps between calls, at most SIMGPU_STATE_BYTES_MAX.
 *	The session allocates, zeroes and hashes them
 * @source: SIMGPU_SOURCE_*; set by the code that registers or loads it
 * @checksum: zlib's crc32() of its source; 0: built in, or not known. A journal
 *	has it, and is replayed only with a policy of the same checksum
 * @reserved: zero
 * @params: its parameters; an entry without a name ends the table; NULL: it has none
 * @model: name of the model that it is made for, which a run offline uses if the user
 *	names none; empty: none in particular
 * @decide: fills @proposal from @snapshot, whose tenants carry the model's
 *	predictions; @state is its own. No other input, no side effects, no
 *	allocation, no sleeping; integers only. Returns 0 or a negative errno. The
 *	session checks the proposal: after an error or an impossible proposal the
 *	policy even replaces this one, with the reason in last_refusal
 * @about: what it is, in a line, for simgpu policy list; NULL: it does not say
 * @gauges: figures that it tells of itself; an entry without a name ends the table; NULL:
 *	it tells none
 */
struct simgpu_policy {
	char name[SIMGPU_NAME_BYTES];
	u32 events;
	u32 needs;
	u32 state_bytes;
	u32 source;
	u32 checksum;
	u32 reserved;
	const struct simgpu_param *params;
	char model[SIMGPU_NAME_BYTES];
	int (*decide)(const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal);
	const char *about;
	const struct simgpu_gauge *gauges;
};

#endif /* SIMGPU_POLICY_H */
