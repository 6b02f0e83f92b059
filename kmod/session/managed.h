/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of a tenant's memory is managed, the tables for that, and the settings of managed
 * memory. pager.h has what moves its pages.
 */
#ifndef SESSION_MANAGED_H
#define SESSION_MANAGED_H

#include "session.h"

/**
 * session_manage() - make the beginning of a tenant's memory managed
 * @session: the session; its configuration has managed_mb, and its time does not leap
 * @slot: the tenant, which has launched nothing yet
 * @bytes: from its address 0 on, above 0; rounded up to whole pages. No page is on the
 *	device at first. What lies behind never faults
 *
 * It may sleep. It is not in journals: a launch with @managed is
 * (&struct session_launch_options).
 *
 * Return: 0; -EINVAL for anything else than the above; -EBUSY if the tenant has launched or
 * has managed memory already; -ENOMEM.
 */
int session_manage(struct session *session, u32 slot, u64 bytes);

/* Ranges of a tenant that wait to be brought, at most */
#define SESSION_PREFETCHES_MAX	16

/**
 * session_prefetch() - bring pages of a tenant that it has not accessed
 * @session: the session
 * @slot: the tenant
 * @offset: first byte of its managed memory that it wants
 * @bytes: from there on, at least 1, all in its managed memory
 *
 * The pages with these bytes come when time passes, behind the faults that wait, a block in
 * turn with what other tenants and the memory policy want. They take memory as those of faults
 * do, but none that was taken for the same batch: what finds none is dropped. Pages that the
 * policy keeps on the host stay there.
 *
 * Return: 0; -ENXIO if none of its memory is managed; -EINVAL for other bytes than the above;
 * -ENOSPC if SESSION_PREFETCHES_MAX ranges of it wait; -ECANCELED if the session has stopped.
 */
int session_prefetch(struct session *session, u32 slot, u64 offset, u64 bytes);

/**
 * struct session_tables_need - what the tables of a tenant's managed memory are to be like
 * @page_kib: KiB of a page, of the session's configuration
 * @pages: pages of the tenant; 0: it needs no new tables
 */
struct session_tables_need {
	u32 page_kib;
	u32 pages;
};

/**
 * session_tables_need() - the tables that a launch lacks that makes memory managed
 * @session: the session
 * @slot: the tenant; SESSION_ANY_SLOT: one that has no slot yet
 * @footprint: bytes of the launch's trace
 *
 * Return: the need; with no pages if the tenant has tables for so much memory.
 */
struct session_tables_need session_tables_need(const struct session *session, u32 slot,
					       u64 footprint);

/* Bytes of such tables, which are one allocation of port_alloc() */
size_t session_tables_bytes(struct session_tables_need need);

/*
 * Make tables, which takes a session's caller long: so it may do it before it has the
 * session. session_launch_with() takes them over, or port_free() frees them. Returns NULL
 * without memory.
 */
struct session_tables *session_tables_make(struct session_tables_need need);

/* Whether limits go together. */
static inline bool limits_are_good(const struct session_memory_limits *limits)
{
	return !limits->max || limits->min <= limits->max;
}

/**
 * session_set_memory_group() - set limits of the managed memory of some tenants together
 * @session: the session
 * @index: of the group, below SESSION_MEMORY_GROUPS_MAX
 * @group: its tenants, and their limits beside those that each has for itself. Groups may
 *	hold others
 *
 * The limits hold from now on, until others are set. The journal has them.
 *
 * Return: 0; -EINVAL for an index, a slot without a tenant, or limits that do not go together.
 */
int session_set_memory_group(struct session *session, u32 index,
			     const struct session_memory_group *group);

/**
 * session_set_managed_mib() - change the device memory for managed pages
 * @session: the session
 * @mb: MiB, an even number up to SESSION_MANAGED_MIB_MAX; 0: as the configuration says
 *
 * Return: 0; or, with nothing changed, -EINVAL; -EBUSY while a tenant has managed memory;
 * -ENOMEM.
 */
int session_set_managed_mib(struct session *session, u64 mb);

/*
 * The same errors, before anything is changed: takes the memory with which
 * session_set_managed_mib(), which has to follow, does not fail.
 */
int session_prepare_managed_mib(struct session *session, u64 mb);

/* What follows is for kmod/session only. */
struct pager_memory;
struct session_launch_options;
int managed_begin(struct session *session);
void managed_end(struct session *session);
int managed_check_range(const struct session *session, u32 slot, u64 offset, u64 bytes);
int managed_check(const struct session *session,
		  const struct session_launch_options *options);
int managed_check_tenant(const struct session *session, u32 slot,
			 const struct session_launch_options *options);
int managed_check_prefetch(const struct session *session, u32 slot,
			   const struct session_launch_options *options);
int managed_check_requests(const struct session *session, u32 slot,
			   const struct session_launch_options *options);
u64 managed_room(const struct session *session, u32 slot,
		 const struct session_launch_options *options);
int managed_provide(struct session *session, u32 slot,
		    const struct session_launch_options *options);
void managed_forget_slot(struct session *session, u32 slot);
u64 managed_hash_limits(const struct session *session, u64 hash);
u64 managed_hash(const struct session *session, u64 hash);

#endif /* SESSION_MANAGED_H */
