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
	JOURNAL_SAMPLED,
	JOURNAL_FALLBACK,
	JOURNAL_MASKS,
	JOURNAL_MANAGED_MIB,
	JOURNAL_MEMORY_POLICY,
	JOURNAL_PREFETCH,
	JOURNAL_MEMORY_PLUGIN,
	JOURNAL_MEMORY_GROUP,
	JOURNAL_MEMORY_PARAM,
	JOURNAL_INJECT,
	JOURNAL_TIMEOUT,
	JOURNAL_HINT,
	JOURNAL_ADVISE,
	JOURNAL_POWER,
	JOURNAL_COPY,
	JOURNAL_KINDS
};

/**
 * struct journal_event - an external event and when it took effect
 * @cycle: device cycle
 * @kind: &enum journal_kind
 * @slot: slot of the tenant, if the event concerns one
 * @tenant: JOIN, TENANT: options of the tenant
 * @launch: LAUNCH: its number, checksum and size of its trace, its arguments
 * @copy: COPY: its number, the copy, checksum and size of the trace that is made of it, its
 *	arguments
 * @queue: QUEUE: number of the queue, and its new priority
 * @masks: MASKS: the tenant's new masks
 * @arrivals: ARRIVALS: number of the last request; trace and plan, whose list is
 *	represented by its checksum
 * @epoch_cycles: EPOCH_CYCLES
 * @sampled: SAMPLED: percentage from here on; 0: all time is simulated
 * @managed_mib: MANAGED_MIB: MiB of device memory for managed pages
 * @memory_policy: MEMORY_POLICY: its place among the built-in ones
 * @hint: HINT: what the tenant says of its next launch
 * @power: POWER: what is set about clock and power from here on
 * @prefetch: PREFETCH: bytes of its managed memory that the tenant wants on the device
 * @advise: ADVISE: what session_advise() was called with
 * @memory_group: MEMORY_GROUP: what session_set_memory_group() was called with
 * @injection: INJECT: what session_inject() was called with
 * @timeout: TIMEOUT: number of the queue, and its new timeout
 * @name: POLICY, MODEL, MEMORY_PLUGIN: its name; MODEL_PARAM, POLICY_PARAM, MEMORY_PARAM: the
 *	parameter's
 * @source: POLICY, MODEL, MEMORY_PLUGIN (a memory policy that is not built in):
 *	SIMGPU_SOURCE_*
 * @checksum: of the same: as in &struct simgpu_policy
 * @value: MODEL_PARAM, POLICY_PARAM, MEMORY_PARAM: the new value
 * @constants: CONSTANTS: their size and checksum
 * @fallback: FALLBACK: why "even" replaced the policy, or uvm the memory policy, as in
 *	&struct session_refusal. It
 *	follows from the events before, so a replay finds it by itself
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
			bool managed;
		} launch;
		struct {
			u64 sequence;
			u64 trace_bytes;
			u64 wait[SESSION_WAITS_MAX];
			struct trace_copy is;
			u32 checksum;
			u8 queue;
			bool more;
		} copy;
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
		u64 sampled;
		u64 managed_mib;
		u64 memory_policy;
		struct session_hint hint;
		struct {
			u64 offset;
			u64 bytes;
		} prefetch;
		struct {
			u64 advice;
			u64 offset;
			u64 bytes;
		} advise;
		struct {
			u64 index;
			struct session_memory_group is;
		} memory_group;
		struct session_injection injection;
		struct power_settings power;
		struct {
			u64 cycles;
			u32 queue;
		} timeout;
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
 * @next: the next chunk
 * @room: number of events that fit
 * @count: number of events that it has
 * @events: the events
 */
struct journal_chunk {
	struct journal_chunk *next;
	u32 room;
	u32 count;
	struct journal_event events[];
};

/* Bytes by which a journal grows */
#define JOURNAL_CHUNK_BYTES	8192
#define JOURNAL_CHUNK_EVENTS						\
	((u32)((JOURNAL_CHUNK_BYTES - sizeof(struct journal_chunk)) /	\
	       sizeof(struct journal_event)))

/*
 * Allocate an empty chunk, charged to the caller, for a session's hook journal_chunk. The
 * session frees it at its end; a chunk that was not used is freed by port_free(). Returns
 * NULL without memory.
 */
struct journal_chunk *journal_chunk_alloc(void);

/* Number of events in the journal; @lost is set to the number for which there was no room. */
u32 session_journal_count(const struct session *session, u64 *lost);

/* Number of events that the journal has room for, with those that it has */
u32 session_journal_room(const struct session *session);

/**
 * session_journal_read() - copy events of the journal
 * @session: the session
 * @first: number of the first event, from 0
 * @events: set to the events
 * @most: most events to copy
 *
 * Events in the journal do not change, except for a tenant's options: these may change until
 * a decision or session_state_hash() has used them.
 *
 * Return: number of events copied; 0 if @first is past the last one.
 */
u32 session_journal_read(const struct session *session, u32 first,
			 struct journal_event *events, u32 most);

/**
 * struct journal_source - by what a policy or a model is known again
 * @source: SIMGPU_SOURCE_*
 * @checksum: checksum of its source; 0: not known
 */
struct journal_source {
	u32 source;
	u32 checksum;
};

/**
 * journal_is_same() - whether a policy or model decides like the one in a journal
 * @said: from the journal
 * @here: of the present one with the same name
 *
 * Plug-ins and BPF programs of the same source file count as the same.
 *
 * Return: true if it does.
 */
bool journal_is_same(struct journal_source said, struct journal_source here);

/* Most bytes of a line, with newline and NUL */
#define JOURNAL_LINE_BYTES	3072

enum journal_line_kind {
	JOURNAL_LINE_START,
	JOURNAL_LINE_EVENT,
	JOURNAL_LINE_LOST,
	JOURNAL_LINE_END,
};

/**
 * struct journal_line - a parsed line
 * @kind: &enum journal_line_kind
 * @cycle: cycle with which it begins
 * @start: START: the options of the cold start
 * @constants_checksum: START: checksum of the model's constants, header and payload; 0:
 *	there were none
 * @event: EVENT: the event
 * @lost: LOST: events for which there was no room
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
 * struct journal_names - finds what a journal names
 * @config: finds a configuration; returns NULL if there is none
 * @policy: finds a policy; returns NULL if there is none
 * @model: finds a model; returns NULL if there is none
 * @memory_policy: finds a memory policy that is not built in; returns NULL if there is none
 */
struct journal_names {
	const struct gpu_config *(*config)(const char *name);
	const struct simgpu_policy *(*policy)(const char *name);
	const struct simgpu_model *(*model)(const char *name);
	const struct simgpu_memory_policy *(*memory_policy)(const char *name);
};

/* By what a POLICY, MODEL or MEMORY_PLUGIN event knows it again. */
struct journal_source journal_source_of(const struct journal_event *event);

/* For kmod/session alone. */
int journal_init(struct session *session);
void journal_free(struct session *session);
struct journal_event *journal_add(struct session *session,
				  enum journal_kind kind, u32 slot);
void journal_name(struct journal_event *event, const char *name, u32 source,
		  u32 checksum);
void journal_fallback(struct session *session);
void journal_tenant(struct session *session, u32 slot,
		    const struct session_tenant_options *options);

#include "journal_parse.h"
#include "journal_print.h"
#include "journal_replay.h"

#endif /* SESSION_JOURNAL_H */
