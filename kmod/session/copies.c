// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of launches with commands. A copy crosses the link to the host in its direction, after
 * the time that each copy takes to set up; copies on the device and sets take the device's
 * memory at its peak rate. Who shares one of these takes turns with the others, a piece each:
 * the pager's copies, too, which are pages.
 *
 * If the device has a copy engine, that moves the lines through slices and channels at these
 * times, or later. A part's next piece takes its turn when the link is done with the one
 * before, if no more than COPY_FLYING are on their way, and no copy of a higher priority of the
 * policy's has bytes left to send the same way. The copy has ended when the link is
 * done, and at the end of the window in which its last line was written, or came.
 */
#include "commands.h"
#include "copies.h"
#include "failures.h"
#include "pager_parts.h"

PORT_NO_HOLES_BEGIN

/* struct piece - lines that the engine copies for a part; @slot SESSION_SLOTS_MAX: for nobody */
struct piece {
	u32 slot;
	u32 queue;
};

/* struct pieces - those of a way, the first one at @head: a ring, as the engine's */
struct pieces {
	u32 head;
	u32 count;
	struct piece piece[GPU_COPIES_MAX];
};

/* struct copies - lines of copies on their way, by &enum gpu_copy_way */
struct copies {
	struct pieces pieces[GPU_COPY_WAYS];
	void *memory;
};

PORT_NO_HOLES_END

static const struct launch *launch_of(const struct session *session, u32 slot, u32 number)
{
	return present_launch(&session->tenants[slot].queue[number]);
}

static const struct trace_command *command_of(const struct session *session, u32 slot,
					      u32 number)
{
	return commands_present(launch_of(session, slot, number)->trace,
				&session->tenants[slot].part[number]);
}

static enum copy_way way_of(const struct trace_command *command)
{
	switch (command->kind) {
	case TRACE_COMMAND_COPY_IN:
		return COPY_WAY_IN;
	case TRACE_COMMAND_COPY_OUT:
		return COPY_WAY_OUT;
	default:
		return COPY_WAY_DEVICE;
	}
}

/* Cycles for bytes at a rate in million bytes a second, rounded up. */
static u64 cycles_of(const struct gpu_config *config, u64 bytes, u64 mb_per_s)
{
	return (bytes * config->core_mhz + mb_per_s - 1) / mb_per_s;
}

/* For how long a piece keeps what it takes busy. */
static u64 piece_cycles(const struct gpu_config *config, const struct trace_command *command,
			u64 bytes)
{
	u64 peak = gpu_peak_mb_per_s(config);

	switch (command->kind) {
	case TRACE_COMMAND_COPY_IN:
		return cycles_of(config, bytes, config->link_in_mb_per_s);
	case TRACE_COMMAND_COPY_OUT:
		return cycles_of(config, bytes, config->link_out_mb_per_s);
	case TRACE_COMMAND_COPY:
		return cycles_of(config, 2 * bytes, peak);
	default:
		return cycles_of(config, bytes, peak);
	}
}

/* The cycle from which on what a way takes is free. The pager's copies take the link, too. */
static u64 free_at(const struct session *session, enum copy_way way)
{
	const struct pager *pager = session->pager;
	u64 at = max(session->copy_free[way], session_now(session));

	if (pager && way == COPY_WAY_IN)
		at = max(at, pager->link_in);
	if (pager && way == COPY_WAY_OUT)
		at = max(at, pager->link_out);
	return at;
}

static void keep_busy(struct session *session, enum copy_way way, u64 until)
{
	struct pager *pager = session->pager;

	session->copy_free[way] = until;
	if (pager && way == COPY_WAY_IN)
		pager->link_in = until;
	if (pager && way == COPY_WAY_OUT)
		pager->link_out = until;
}

static void count_bytes(struct session *session, u32 slot, enum copy_way way, u64 bytes)
{
	struct simgpu_counters *counters = gpu_pager_counters(session->gpu, slot);

	if (way == COPY_WAY_IN)
		counters->copied_in_bytes += bytes;
	else if (way == COPY_WAY_OUT)
		counters->copied_out_bytes += bytes;
}

static struct piece *piece_at(struct pieces *pieces, u32 index)
{
	return &pieces->piece[(pieces->head + index) % GPU_COPIES_MAX];
}

/* By how much device time is ahead of the hardware's, as it has leapt. */
static u64 leapt(const struct session *session)
{
	return session_now(session) - gpu_now(session->gpu);
}

static u64 of_gpu(const struct session *session, u64 cycle)
{
	return cycle - leapt(session);
}

/* The device cycle at which the window ends in which a cycle of the hardware is. */
static u64 window_end(const struct session *session, u64 cycle)
{
	u32 window = gpu_window(&session->initial.config);

	return (cycle / window + 1) * window + leapt(session);
}

/* Send lines of a part's copy one way. */
static void send(struct session *session, u32 slot, u32 number, enum gpu_copy_way way,
		 const struct gpu_copy *copy)
{
	struct pieces *pieces = &session->copies->pieces[way];

	*piece_at(pieces, pieces->count++) = (struct piece) { slot, number };
	session->tenants[slot].part[number].flying++;
	gpu_command_copy(session->gpu, way, copy);
}

static void send_piece(struct session *session, u32 slot, u32 number, u32 line, u32 lines)
{
	const struct trace_command *command = command_of(session, slot, number);
	const struct gpu_copy copy = {
		.at = of_gpu(session, session->tenants[slot].part[number].until),
		.slot = slot,
		.line = line,
		.count = lines,
	};

	if (!session->copies)
		return;
	if (command->kind == TRACE_COMMAND_COPY || command->kind == TRACE_COMMAND_COPY_OUT)
		send(session, slot, number, GPU_COPY_OUT, &copy);
	if (command->kind != TRACE_COMMAND_COPY_OUT)
		send(session, slot, number, GPU_COPY_IN, &copy);
}

/* Whether a part has to wait until the engine has done some of what it was told. */
static bool is_full(const struct session *session, const struct launch_part *part)
{
	const struct copies *copies = session->copies;

	return part->flying >= COPY_FLYING ||
	       (copies && (copies->pieces[GPU_COPY_IN].count == GPU_COPIES_MAX ||
			   copies->pieces[GPU_COPY_OUT].count == GPU_COPIES_MAX));
}

/* Whether a part has bytes left to send one way. */
static bool sends(const struct session *session, u32 slot, u32 number, enum copy_way way)
{
	const struct launch_part *part = &session->tenants[slot].part[number];

	return part->state == PART_COPIES && !failures_stall(session, slot, number) &&
	       way_of(command_of(session, slot, number)) == way &&
	       part->sent < command_of(session, slot, number)->amount;
}

/* Whether copies of a tenant that the policy puts before another one's have bytes left to send. */
static bool is_behind(const struct session *session, u32 slot, enum copy_way way)
{
	const u8 *priority = session->controls.copy_priority;
	u32 other, mask;

	for (other = 0; other < SESSION_SLOTS_MAX; other++) {
		if (priority[other] <= priority[slot])
			continue;
		for (mask = session->tenants[other].between; mask; mask &= mask - 1)
			if (sends(session, other, (u32)__builtin_ctz(mask), way))
				return true;
	}
	return false;
}

/* copies_go_on() - the next piece of a part's copy takes its turn, if it can */
void copies_go_on(struct session *session, u32 slot, u32 number)
{
	const struct trace_command *command = command_of(session, slot, number);
	const struct gpu_config *config = &session->initial.config;
	struct launch_part *part = &session->tenants[slot].part[number];
	enum copy_way way = way_of(command);
	u32 first = (u32)(part->sent / GPU_LINE_BYTES % command->lines);
	u64 bytes = min(command->amount - part->sent,
			min_t(u64, COPY_PIECE_BYTES,
			      (u64)(command->lines - first) * GPU_LINE_BYTES));
	u64 from = free_at(session, way);

	if (!bytes || is_full(session, part) || is_behind(session, slot, way))
		return;
	if (!part->sent)
		session->tenants[slot].copies.queue[number].turn = from;
	if (!part->sent && way != COPY_WAY_DEVICE)
		from += gpu_cycles_of_ns(config->core_mhz, config->link_setup_ns);
	part->until = from + piece_cycles(config, command, bytes);
	keep_busy(session, way, part->until);
	part->sent += bytes;
	count_bytes(session, slot, way, bytes);
	send_piece(session, slot, number, command->line + first,
		   (u32)((bytes + GPU_LINE_BYTES - 1) / GPU_LINE_BYTES));
}

/* copies_come() - a queue comes to a copy, which may have to wait for the policy */
void copies_come(struct session *session, u32 slot, u32 number)
{
	struct tenant_copies *copies = &session->tenants[slot].copies;

	copies->come++;
	copies->queue[number] = (struct copy_turn) { session_now(session), NEVER };
}

/* copies_begin() - a part begins its copy */
void copies_begin(struct session *session, u32 slot, u32 number)
{
	struct launch_part *part = &session->tenants[slot].part[number];

	part->sent = 0;
	part->flying = 0;
	part->until = session_now(session);
	copies_go_on(session, slot, number);
}

/* copies_are_done() - whether a part's copy has ended */
bool copies_are_done(const struct session *session, u32 slot, u32 number)
{
	const struct launch_part *part = &session->tenants[slot].part[number];

	return part->sent == command_of(session, slot, number)->amount && !part->flying &&
	       part->until <= session_now(session);
}

/* copies_end() - the device cycle in which it has */
u64 copies_end(const struct session *session, u32 slot, u32 number)
{
	return session->tenants[slot].part[number].until;
}

/* copies_note_end() - count a part's copy, which has ended */
void copies_note_end(struct session *session, u32 slot, u32 number)
{
	struct tenant_copies *copies = &session->tenants[slot].copies;
	const struct copy_turn *turn = &copies->queue[number];

	copies->bytes = fixed_add(copies->bytes, command_of(session, slot, number)->amount);
	times_add(&copies->waits, turn->turn - turn->came);
}

/* copies_next() - the device cycle in which a part's copy goes on, or ends; NEVER: others first */
u64 copies_next(const struct session *session, u32 slot, u32 number)
{
	const struct launch_part *part = &session->tenants[slot].part[number];
	const struct trace_command *command = command_of(session, slot, number);
	u64 now = session_now(session);

	if (part->until > now || copies_are_done(session, slot, number))
		return part->until;
	if (part->sent < command->amount && !is_full(session, part))
		return is_behind(session, slot, way_of(command)) ? NEVER : part->until;
	/* It waits for the engine, which is looked at where windows end. */
	return window_end(session, of_gpu(session, now));
}

/*
 * A piece of a part's copy was copied at a cycle of the hardware. If the part waits for that,
 * it goes on when the window ends, at which it is looked at whatever the owner does.
 */
static void take_piece(struct session *session, const struct piece *piece, u64 cycle)
{
	struct launch_part *part;
	bool last;

	if (piece->slot == SESSION_SLOTS_MAX)
		return;
	part = &session->tenants[piece->slot].part[piece->queue];
	last = part->sent == command_of(session, piece->slot, piece->queue)->amount;
	part->flying--;
	if (last || cycle >= of_gpu(session, part->until))
		part->until = max(part->until, window_end(session, cycle));
}

/* copies_hear() - hear of what the engine has copied */
void copies_hear(struct session *session)
{
	struct copies *copies = session->copies;
	u64 cycle;
	u32 way;

	if (!copies)
		return;
	for (way = 0; way < GPU_COPY_WAYS; way++) {
		struct pieces *pieces = &copies->pieces[way];

		while (pieces->count && gpu_command_copy_done(session->gpu, way, &cycle)) {
			take_piece(session, piece_at(pieces, 0), cycle);
			pieces->head = (pieces->head + 1) % GPU_COPIES_MAX;
			pieces->count--;
		}
	}
}

/* copies_fly() - whether the engine has something to copy */
bool copies_fly(const struct session *session)
{
	const struct copies *copies = session->copies;

	return copies && (copies->pieces[GPU_COPY_IN].count ||
			  copies->pieces[GPU_COPY_OUT].count);
}

/* copies_forget() - launches in queues of a slot are dropped: what is on its way is for nobody */
void copies_forget(struct session *session, u32 slot, u32 queues)
{
	struct copies *copies = session->copies;
	u32 way, i;

	for (way = 0; copies && way < GPU_COPY_WAYS; way++)
		for (i = 0; i < copies->pieces[way].count; i++) {
			struct piece *piece = piece_at(&copies->pieces[way], i);

			if (piece->slot == slot && queues >> piece->queue & 1)
				piece->slot = SESSION_SLOTS_MAX;
		}
}

/* copies_hold() - what copies take is not free before a cycle */
void copies_hold(struct session *session, u64 cycle)
{
	u32 way;

	for (way = 0; way < COPY_WAYS; way++)
		session->copy_free[way] = max(session->copy_free[way], cycle);
}

/* copies_provide() - get ready for the copies of a trace. Return: 0, or -ENOMEM */
int copies_provide(struct session *session, const struct trace *trace)
{
	size_t bytes = gpu_copies_bytes(&session->initial.config) + GPU_ALIGNMENT;
	struct copies *copies;

	if (!trace->copies || session->copies || !session->initial.config.copy_engines)
		return 0;
	copies = port_alloc(sizeof(*copies));
	if (!copies)
		return -ENOMEM;
	copies->memory = port_alloc(bytes);
	if (!copies->memory) {
		port_free(copies);
		return -ENOMEM;
	}
	session->copies = copies;
	session->bytes += sizeof(*copies) + bytes;
	gpu_set_copies(session->gpu, align_gpu(copies->memory));
	return 0;
}

/* copies_end_session() - free what copies took; the hardware is not used any more */
void copies_end_session(struct session *session)
{
	if (session->copies)
		port_free(session->copies->memory);
	port_free(session->copies);
}

/* What a snapshot says of the copy that a queue has come to. Return: whether there is one. */
static bool fill_copy(const struct session *session, u32 slot, u32 number,
		      struct simgpu_snapshot_copy *out)
{
	const struct launch_part *part = &session->tenants[slot].part[number];
	const struct trace_command *command;

	if (part->state != PART_COPIES && part->state != PART_COPY_READY)
		return false;
	command = command_of(session, slot, number);
	out->flags = SIMGPU_COPY_PRESENT;
	out->way = way_of(command);
	out->bytes = command->amount;
	out->bytes_left = command->amount;
	if (part->state == PART_COPY_READY)
		return true;
	out->flags |= SIMGPU_COPY_RUNNING;
	out->bytes_left -= part->sent;
	return true;
}

/*
 * copies_fill_snapshot() - fill in the copies of a tenant, which may have no work
 *
 * A tenant with a copy is seen as the policy needs it to judge the copy.
 */
void copies_fill_snapshot(struct session *session, u32 slot,
			  struct simgpu_snapshot_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask, i;

	for (mask = tenant->between; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);
		struct simgpu_snapshot_copy *copy = &out->queue[number].copy;

		if (!fill_copy(session, slot, number, copy))
			continue;
		if (copy->flags & SIMGPU_COPY_RUNNING)
			out->copies_running++;
		else
			out->copies_waiting++;
		out->copy_bytes_left += copy->bytes_left;
	}
	if (!out->copies_running && !out->copies_waiting)
		return;
	out->service = tenant->options.service;
	out->queue_count = tenant->queues;
	for (i = 0; i < tenant->queues; i++) {
		out->queue[i].priority = tenant->queue[i].priority;
		out->queue[i].events = tenant->queue[i].events;
	}
	session->snapshot_used |= 1ULL << slot;
}

/* The copies that a tenant's queues have come to. */
static void fill_present(const struct session *session, u32 slot, struct session_copies *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask;

	for (mask = tenant->between; mask; mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);
		struct simgpu_snapshot_copy copy;

		if (!fill_copy(session, slot, number, &copy))
			continue;
		if (tenant->copies.queue[number].turn <= session_now(session))
			out->running++;
		else
			out->waiting++;
		out->bytes_left += copy.bytes_left;
	}
}

/* copies_fill_stopped() - keep for reports what a tenant's copies do, as the session stops */
void copies_fill_stopped(struct session *session, u32 slot)
{
	fill_present(session, slot, &session->tenants[slot].copies.stopped);
}

/* copies_report() - what is told of a tenant's copies; @out: all 0 */
void copies_report(struct session *session, u32 slot, struct session_copies *out)
{
	struct tenant_copies *copies = &session->tenants[slot].copies;

	if (session->stopped)
		*out = copies->stopped;
	else
		fill_present(session, slot, out);
	out->bytes = copies->bytes;
	out->waits = *times_figures(&copies->waits, session->initial.config.core_mhz);
	out->ended = out->waits.count;
}

/* copies_hash_tenant() - add a tenant's copies to a hash, if it had any */
u64 copies_hash_tenant(const struct session_tenant *tenant, u64 hash)
{
	const struct tenant_copies *copies = &tenant->copies;

	if (!copies->come)
		return hash;
	hash = hash_bytes(hash, &copies->lasts, sizeof(copies->lasts));
	return hash_bytes(hash, &copies->waits.lasts, sizeof(copies->waits.lasts));
}

/* copies_hash() - add what copies keep busy, and have on their way, to a hash */
u64 copies_hash(const struct session *session, u64 hash)
{
	static const u64 none[COPY_WAYS];
	u32 way, i;

	if (memcmp(session->copy_free, none, sizeof(none)))
		hash = hash_bytes(hash, session->copy_free, sizeof(session->copy_free));
	for (way = 0; session->copies && way < GPU_COPY_WAYS; way++)
		for (i = 0; i < session->copies->pieces[way].count; i++)
			hash = hash_bytes(hash, piece_at(&session->copies->pieces[way], i),
					  sizeof(struct piece));
	return hash;
}
