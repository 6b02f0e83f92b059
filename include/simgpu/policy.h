/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The interface of an SM policy: a snapshot in, a proposal out. */
#ifndef SIMGPU_POLICY_H
#define SIMGPU_POLICY_H

#include <simgpu/model.h>

/**
 * struct simgpu_policy - an SM policy
 * @name: as written to sysfs; unique among policies
 * @propose: fills @proposal from @snapshot, whose tenants carry the model's
 *	predictions. No side effects, no allocation, no sleeping; integers only.
 *	Returns 0 or a negative errno. The core checks the proposal: an error or
 *	an impossible proposal makes it fall back to an even split
 */
struct simgpu_policy {
	char name[SIMGPU_NAME_BYTES];
	int (*propose)(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal);
};

#endif /* SIMGPU_POLICY_H */
