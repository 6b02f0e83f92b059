/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Managed memory of tenants: memory whose pages are brought to the device when they are
 * accessed, and taken away for others. The pager is one server a device, as NVIDIA's UVM
 * is: tenants wait for each other's faults.
 */
#ifndef SESSION_PAGER_H
#define SESSION_PAGER_H

#include "session.h"

/**
 * session_manage() - make the beginning of a tenant's memory managed
 * @session: the session; its configuration has managed_mb, and its time does not leap
 * @slot: the tenant, which has launched nothing yet
 * @bytes: from its address 0 on, above 0; rounded up to whole pages. No page is on the
 *	device at first. What lies behind never faults
 *
 * It may sleep. No device offers it: it is not in journals.
 *
 * Return: 0; -EINVAL for anything else than the above; -EBUSY if the tenant has launched or
 * has managed memory already; -ENOMEM.
 */
int session_manage(struct session *session, u32 slot, u64 bytes);

/**
 * struct session_memory - managed memory of a device
 * @policy: name of the memory policy in force; empty: no memory is managed
 * @fell_back: why uvm has replaced the policy; empty: it has not
 * @chunks: chunks of 2 MiB for managed memory
 * @chunks_used: those that hold a block
 * @resident_pages: pages on the device or on their way, by slot
 * @remote_lines: accesses to 128 B lines, or sectors, of pages on the host, by slot
 */
struct session_memory {
	char policy[SIMGPU_NAME_BYTES];
	char fell_back[128];
	u32 chunks;
	u32 chunks_used;
	u64 resident_pages[SESSION_SLOTS_MAX];
	u64 remote_lines[SESSION_SLOTS_MAX];
};

/**
 * session_memory_report() - what managed memory is like now
 * @session: the session
 * @out: filled in; all zero while no tenant has had managed memory
 */
void session_memory_report(const struct session *session, struct session_memory *out);

/* What follows is for kmod/session only. */
void pager_forget(struct session *session, u32 slot);
void pager_free(struct session *session);
u64 pager_hash(const struct session *session, u64 hash);

#endif /* SESSION_PAGER_H */
