/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the journal of a session has, how it is repeated, and its text, both ways, a line
 * at a time; the format: docs/journal.md.
 */
#ifndef SESSION_JOURNAL_H
#define SESSION_JOURNAL_H

#include "session.h"

/* Of the text: older ones have other state hashes, and are refused. */
#define JOURNAL_VERSION	3

enum journal_kind {
	JOURNAL_JOIN,
	JOURNAL_TENANT,
	JOURNAL_LAUNCH,
	JOURNAL_QUEUE,
	JOURNAL_ARRIVALS,
	JOURNAL_LEAVE,
	JOURNAL_POLICY,
	JOURNAL_MODEL,
	JOURNAL_MODEL_PARAM,
	JOURNAL_POLICY_PARAM,
	JOURNAL_CONSTANTS,
	JOURNAL_EPOCH_CYCLES,
	JOURNAL_FALLBACK,
	JOURNAL_MASKS,
	JOURNAL_KINDS
};

/**
 * struct journal_event - an external event and when it took effect
 * @cycle: device cycle
 * @kind: &enum journal_kind
 * @slot: tenant, where it concerns one
 * @tenant: JOIN, TENANT (changed options)
 * @launch: LAUNCH: its number; its trace, by checksum and size; its arguments
 * @queue: QUEUE: which one, and its priority from now on
 * @masks: MASKS: what the tenant keeps to from now on
 * @arrivals: ARRIVALS: the last request's number; trace and plan, of which the
 *	list is named by its checksum
 * @epoch_cycles: EPOCH_CYCLES
 * @name: POLICY, MODEL: its name; MODEL_PARAM, POLICY_PARAM: the parameter's
 * @source: POLICY, MODEL: SIMGPU_SOURCE_*
 * @checksum: POLICY, MODEL: as in &struct simgpu_policy
 * @value: MODEL_PARAM, POLICY_PARAM: what it is set to
 * @constants: CONSTANTS: their size and checksum
 * @fallback: FALLBACK: why even has taken the policy's place, as in &struct
 *	session_refusal. It follows from the events before it, and a replay comes
 *	to it by itself
 */
struct journal_event {
	u64 cycle;
	enum journal_kind kind;
	u32 slot;
	union {
		struct session_tenant_options tenant;
		struct {
			u64 sequence;
			u64 trace_bytes;
			u64 repeats;
			u64 not_before;
			u64 deadline;
			u64 wait[SESSION_WAITS_MAX];
			u64 sms[SESSION_MASK_WORDS];
			u32 checksum;
			u8 queue;
			bool more;
			bool idempotent;
		} launch;
		struct {
			u32 number;
			s32 priority;
		} queue;
		struct session_masks masks;
		struct {
			u64 sequence;
			u64 trace_bytes;
			u32 checksum;
			u32 list_checksum;
			struct arrivals_plan plan;
		} arrivals;
		u64 epoch_cycles;
		struct {
			char name[SIMGPU_NAME_BYTES];
			u32 source;
			u32 checksum;
			u64 value;
		};
		struct {
			u32 bytes;
			u32 checksum;
		} constants;
		struct {
			u32 kind;
			s32 code;
			u32 slot;
			u32 sm;
			char field[SIMGPU_NAME_BYTES];
			char reason[80];
		} fallback;
	};
};

/**
 * struct journal_chunk - room for further events of a journal
 * @next: the one behind it
 * @room: events that it holds
 * @count: of these, that there are
 * @events: they
 */
struct journal_chunk {
	struct journal_chunk *next;
	u32 room;
	u32 count;
	struct journal_event events[];
};

/* What a journal grows by. */
#define JOURNAL_CHUNK_BYTES	8192
#define JOURNAL_CHUNK_EVENTS						\
	((u32)((JOURNAL_CHUNK_BYTES - sizeof(struct journal_chunk)) /	\
	       sizeof(struct journal_event)))

/*
 * An empty chunk, charged to the caller, for the hook journal_chunk of a session, which
 * frees it at its end; else port_free() does. NULL without memory.
 */
struct journal_chunk *journal_chunk_alloc(void);

/* Events in the journal; @lost is set to how many found no room. */
u32 session_journal_count(const struct session *session, u64 *lost);

/* Events for which there is room, those that are there included. */
u32 session_journal_room(const struct session *session);

/**
 * session_journal_read() - copy events of the journal
 * @session: the session
 * @first: number of the first one, from 0
 * @events: set to them
 * @most: at most so many
 *
 * Events that are there do not change any more, but for a tenant's options until a
 * decision or session_state_hash() has looked at them.
 *
 * Return: how many were copied; 0 past the last one.
 */
u32 session_journal_read(const struct session *session, u32 first,
			 struct journal_event *events, u32 most);

/**
 * struct journal_source - by what a policy or a model is known again
 * @source: SIMGPU_SOURCE_*
 * @checksum: of its source; 0: not known
 */
struct journal_source {
	u32 source;
	u32 checksum;
};

/**
 * journal_is_same() - whether what is here decides as what the journal names
 * @said: by the journal
 * @here: of the one of its name
 *
 * Plug-ins and BPF programs of one source file stand in for each other.
 *
 * Return: true if it does.
 */
bool journal_is_same(struct journal_source said, struct journal_source here);

/* Bytes that a line needs at most, its newline and a NUL among them. */
#define JOURNAL_LINE_BYTES	2048

enum journal_line_kind {
	JOURNAL_LINE_START,
	JOURNAL_LINE_EVENT,
	JOURNAL_LINE_LOST,
	JOURNAL_LINE_END,
};

/**
 * struct journal_line - what a line says
 * @kind: &enum journal_line_kind
 * @cycle: that it begins with
 * @start: START: the options of the cold start
 * @constants_checksum: START: of the model's constants, header and payload; 0:
 *	it had none
 * @event: EVENT
 * @lost: LOST: events that found no room
 * @state_hash: END: state hash of the device
 */
struct journal_line {
	enum journal_line_kind kind;
	u64 cycle;
	struct session_options start;
	u32 constants_checksum;
	struct journal_event event;
	u64 lost;
	u64 state_hash;
};

/**
 * struct journal_names - where a reader finds what a journal names; NULL is
 *	returned for what is not there
 * @config: a configuration
 * @policy: a policy
 * @model: a model
 */
struct journal_names {
	const struct gpu_config *(*config)(const char *name);
	const struct simgpu_policy *(*policy)(const char *name);
	const struct simgpu_model *(*model)(const char *name);
};

/* By what a POLICY or MODEL event knows it again. */
struct journal_source journal_source_of(const struct journal_event *event);

/* For kmod/session alone. */
int journal_init(struct session *session);
void journal_free(struct session *session);
struct journal_event *journal_add(struct session *session,
				  enum journal_kind kind, u32 slot);
void journal_name(struct journal_event *event, const char *name, u32 source,
		  u32 checksum);
void journal_tenant(struct session *session, u32 slot,
		    const struct session_tenant_options *options);

#include "journal_parse.h"
#include "journal_print.h"
#include "journal_replay.h"

#endif /* SESSION_JOURNAL_H */
