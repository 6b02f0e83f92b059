/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory policy in force: how another one takes its place, and how uvm does when it
 * fails. pager_policy.c has what it is asked.
 */
#ifndef SESSION_MEMORY_POLICY_H
#define SESSION_MEMORY_POLICY_H

#include <simgpu/memory_policy.h>

struct session;

/**
 * session_use_memory_policy() - have another memory policy from now on
 * @session: the session
 * @policy: the policy, which memory_policy_is_good() finds good
 *
 * It begins with zeroed state. Chunks get its ranks, as if their pages had just come. The
 * journal names it.
 */
void session_use_memory_policy(struct session *session,
			       const struct simgpu_memory_policy *policy);

/**
 * session_set_memory_policy() - have another built-in memory policy from now on
 * @session: the session
 * @index: its place among the built-in ones
 *
 * Return: 0; -EINVAL if there is none at that place.
 */
int session_set_memory_policy(struct session *session, u64 index);

/**
 * session_memory_policy() - the memory policy in force
 * @session: the session
 *
 * Return: the one that was set last, or uvm if that one has failed.
 */
const struct simgpu_memory_policy *session_memory_policy(const struct session *session);

/*
 * The memory policy was too slow, or was unloaded while in force: uvm replaces it, and
 * the journal records that, since no replay finds it out.
 */
void session_memory_policy_is_slow(struct session *session);
void session_memory_policy_is_gone(struct session *session);

/* What follows is for kmod/session only. */
struct chunk;
struct pager;
int memory_policy_place(struct pager *pager);
void memory_policy_fails(struct pager *pager, int error, const char *reason);
void pager_rank(struct pager *pager, struct chunk *chunk, u32 event);

#endif /* SESSION_MEMORY_POLICY_H */
