// SPDX-License-Identifier: GPL-2.0
/* The memory policy in force; see memory_policy.h. */
#include "journal.h"
#include "memory_policy.h"
#include "pager_parts.h"
#include "params.h"
#include "refusal.h"

/* --- another one ----------------------------------------------------------------------- */

/* A policy begins: with zeroed state, and with ranks of its own. */
static void begin(struct pager *pager, const struct simgpu_memory_policy *policy)
{
	u32 i;

	pager->policy = policy;
	memset(pager->policy_state, 0, SIMGPU_STATE_BYTES_MAX);
	memset(&pager->said, 0, sizeof(pager->said));
	for (i = 0; i < pager->chunks; i++)
		if (!chunk_is_free(&pager->chunk[i]))
			pager_rank(pager, &pager->chunk[i], SIMGPU_RANK_ON_ARRIVAL);
}

/* A replay finds built-in ones by their place, as in older journals, others by name. */
static void note(struct session *session, const struct simgpu_memory_policy *policy)
{
	u32 place = registry_memory_policy_place(policy);
	struct journal_event *event;

	if (registry_memory_policy_at(place) == policy) {
		event = journal_add(session, JOURNAL_MEMORY_POLICY, 0);
		event->memory_policy = place;
		return;
	}
	event = journal_add(session, JOURNAL_MEMORY_PLUGIN, 0);
	journal_name(event, policy->name, policy->source, policy->checksum);
}

void session_use_memory_policy(struct session *session,
			       const struct simgpu_memory_policy *policy)
{
	struct pager *pager = session->pager;

	if (policy == session_memory_policy(session))
		return;
	note(session, policy);
	session->initial.memory_policy = policy;
	params_begin_memory(session, policy);
	if (!pager)
		return;
	pager->fell_back[0] = '\0';
	pager->fetches = 0;
	memset(pager->heads, 0, sizeof(pager->heads));
	begin(pager, policy);
}

int session_set_memory_policy(struct session *session, u64 index)
{
	const struct simgpu_memory_policy *policy =
		index < U32_MAX ? registry_memory_policy_at((u32)index) : NULL;

	if (!policy)
		return -EINVAL;
	session_use_memory_policy(session, policy);
	return 0;
}

const struct simgpu_memory_policy *session_memory_policy(const struct session *session)
{
	return session->initial.memory_policy;
}

/* --- uvm in its place -------------------------------------------------------------------- */

/* Say why: of one that has not gone, of which block it was asked last, or of kernels. */
static void say(struct session *session, int error, const char *reason)
{
	struct session_refusal *why = &session->refusal;
	const struct pager *pager = error == -ENOENT ? NULL : session->pager;
	u32 slot = pager ? pager->asked_slot : SESSION_NOWHERE;
	char about[40] = "";

	if (slot != SESSION_NOWHERE)
		snprintf(about, sizeof(about), " (slot %u, block %u)", slot,
			 pager->asked_block);
	else if (pager)
		snprintf(about, sizeof(about), " (of kernels)");
	refusal_say(why, "", slot, SESSION_NOWHERE, "");
	why->kind = SESSION_REFUSED_MEMORY;
	why->code = error;
	why->cycle = session_now(session);
	snprintf(why->reason, sizeof(why->reason), "%s %s%s",
		 session_memory_policy(session)->name, reason, about);
}

static void keep_reason(struct session *session)
{
	static_assert(sizeof(session->pager->fell_back) == sizeof(session->refusal.reason),
		      "the same text");
	if (session->pager)
		memcpy(session->pager->fell_back, session->refusal.reason,
		       sizeof(session->pager->fell_back));
}

/*
 * memory_policy_fails() - the policy has failed: replace it by uvm at once
 * @error: a negative errno
 * @reason: what it did, behind its name
 *
 * What it has fetched stays in the list.
 */
void memory_policy_fails(struct pager *pager, int error, const char *reason)
{
	struct session *session = pager->session;

	say(session, error, reason);
	keep_reason(session);
	journal_fallback(session);
	if (session->hooks.memory_fell_back)
		session->hooks.memory_fell_back(session->hooks.context,
						&session->refusal);
	session->initial.memory_policy = &memory_policy_uvm;
	params_begin_memory(session, &memory_policy_uvm);
	begin(pager, &memory_policy_uvm);
}

/* A replay cannot find this out by itself, so the journal has it as a change of policy. */
static void end_policy(struct session *session, int error, const char *reason)
{
	say(session, error, reason);
	session_use_memory_policy(session, &memory_policy_uvm);
	keep_reason(session);
}

void session_memory_policy_is_slow(struct session *session)
{
	end_policy(session, -ETIMEDOUT, "took too long");
}

void session_memory_policy_is_gone(struct session *session)
{
	end_policy(session, -ENOENT, "was unloaded");
}

/* --- calls ------------------------------------------------------------------------------ */

/* memory_policy_place() - ask about pager->place. Return: 0 or a negative errno */
int memory_policy_place(struct pager *pager)
{
	const struct session_hooks *hooks = &pager->session->hooks;
	const struct simgpu_memory_policy *policy = pager->policy;
	const struct simgpu_place *place = &pager->place;

	pager->asked_slot = place->count ? place->block[0].slot : SESSION_NOWHERE;
	pager->asked_block = place->block[0].block;
	memset(&pager->placement, 0, sizeof(pager->placement));
	if (hooks->place)
		return hooks->place(hooks->context, policy, place, pager->policy_state,
				    &pager->placement);
	return policy->place(place, pager->policy_state, &pager->placement);
}

static int ask_rank(struct pager *pager, const struct simgpu_chunk *chunk, u32 event,
		    u64 *rank)
{
	const struct session_hooks *hooks = &pager->session->hooks;
	const struct simgpu_memory_policy *policy = pager->policy;

	/* Ranks of built-in ones are many, and short. */
	if (hooks->rank && policy->source != SIMGPU_SOURCE_BUILT_IN)
		return hooks->rank(hooks->context, policy, event, chunk,
				   pager->policy_state, rank);
	*rank = policy->rank(event, chunk, pager->policy_state);
	return 0;
}

/* pager_rank() - give a chunk its rank, if the policy wants to be asked at that event */
void pager_rank(struct pager *pager, struct chunk *chunk, u32 event)
{
	int ret;

	if (!(pager->policy->events & event))
		return;
	pager->asked_slot = chunk->is.slot;
	pager->asked_block = chunk->is.block;
	ret = ask_rank(pager, &chunk->is, event, &chunk->is.rank);
	if (ret)
		memory_policy_fails(pager, ret, ret == -ETIMEDOUT ?
				    "took too long for a rank" : "gave no rank");
}
