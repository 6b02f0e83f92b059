/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Managed memory of tenants: memory whose pages are brought to the device when they are
 * accessed, and taken away for others. The pager is one server a device, as NVIDIA's UVM
 * is: tenants wait for each other's faults.
 */
#ifndef SESSION_PAGER_H
#define SESSION_PAGER_H

#include "managed.h"

/**
 * struct session_memory - managed memory of a device
 * @policy: name of the memory policy in force; empty: no memory is managed
 * @fell_back: why uvm has replaced the policy; empty: it has not
 * @chunks: chunks of 2 MiB for managed memory
 * @chunks_used: those that hold a block
 * @managed_pages: pages of managed memory, by slot
 * @resident_pages: pages of them on the device or on their way, by slot
 * @remote_lines: accesses to 128 B lines, or sectors, of pages on the host, by slot
 */
struct session_memory {
	char policy[SIMGPU_NAME_BYTES];
	char fell_back[128];
	u32 chunks;
	u32 chunks_used;
	u64 managed_pages[SESSION_SLOTS_MAX];
	u64 resident_pages[SESSION_SLOTS_MAX];
	u64 remote_lines[SESSION_SLOTS_MAX];
};

/**
 * session_memory_report() - what managed memory is like now
 * @session: the session
 * @out: filled in; all zero while no tenant has had managed memory
 */
void session_memory_report(const struct session *session, struct session_memory *out);

/**
 * session_memory_chunks() - the chunks of managed memory alone
 * @session: the session
 * @used: set to those that hold a block
 *
 * Return: chunks of 2 MiB for managed memory; 0 while no tenant has had any.
 */
u32 session_memory_chunks(const struct session *session, u32 *used);

/* What follows is for kmod/session only. */
void pager_figures(const struct session *session, u32 slot, u64 *managed_bytes,
		   u64 *resident_bytes);
bool pager_is_busy(const struct session *session);
bool pager_waits(const struct session *session, u32 slot);
void pager_forget(struct session *session, u32 slot);
bool pager_window(void *context, u64 now);
u64 pager_hash(const struct session *session, u64 hash);

#endif /* SESSION_PAGER_H */
