// SPDX-License-Identifier: GPL-2.0
/*
 * The crossbar between SMs and last-level cache slices: ports that are busy until
 * some cycle, and messages. A message is sent in one window (step.c) and taken at
 * the beginning of the next one, long before it arrives. All messages to one channel's
 * slices, or to one SM, are put in order by the cycle in which they were sent,
 * then by sender. The SMs' entries for misses and stores bound the number of requests at
 * a slice: without a free entry, an SM's load/store unit and its warps have to wait.
 */
#include "sim.h"

/* --- lists of messages ------------------------------------------------------------ */

/*
 * The messages of each direction lie in an array; both kinds of struct begin with struct
 * mail. Functions on them are inlined for each kind, so that @stride is a constant.
 */
struct mail_room {
	void *base;
	u32 stride;
	void (*prefetch)(const struct gpu *gpu, u32 part, const struct mail *mail);
};

static __always_inline struct mail *mail_at(const struct mail_room *room, u32 place)
{
	return (struct mail *)((u8 *)room->base + (size_t)place * room->stride);
}

static __always_inline void mailbox_put(const struct mail_room *room,
					struct mailbox *box, u32 place)
{
	mail_at(room, place)->next = NOBODY;
	if (box->head == NOBODY)
		box->head = place;
	else
		mail_at(room, box->tail)->next = place;
	box->tail = place;
}

/* Insert a message into the list of its cycle, behind earlier ones of its sender. */
static __always_inline void mailbox_insert(const struct mail_room *room,
					   struct mailbox *box, u32 place)
{
	struct mail *mail = mail_at(room, place);
	u32 *link = &box->head;

	/* One thread's messages come by sender; only those of several threads need this. */
	while (mail_at(room, *link)->sender <= mail->sender)
		link = &mail_at(room, *link)->next;
	mail->next = *link;
	*link = place;
}

/*
 * Join the lists of all cycles, beginning with @first, and leave them empty. In the word
 * of the bit mask that has @first, bits from there on come first, earlier bits last.
 */
static __always_inline u32 join_cycles(const struct gpu *gpu,
				       const struct mail_room *room, u32 first)
{
	u32 words = (gpu->shape.cycle_mask + 1U) / 64, i;
	u32 start = first & gpu->shape.cycle_mask, head = NOBODY;
	u32 *link = &head;

	for (i = 0; i <= words; i++) {
		u32 word = (start / 64 + i) & (words - 1);
		u64 used = gpu->cycles_used[word];

		if (!i)
			used &= ~0ULL << start % 64;
		gpu->cycles_used[word] &= ~used;
		for (; used; used &= used - 1) {
			const struct mailbox *box =
				&gpu->cycles[word * 64 + lowest_bit(used)];

			*link = box->head;
			link = &mail_at(room, box->tail)->next;
		}
	}
	*link = NOBODY;
	return head;
}

/*
 * Put messages in order; messages of one sender and cycle keep their order. They are
 * all of one window, so there is a list for each cycle, and messages are only compared
 * by sender. (Merging sorted lists took three times as long.)
 */
static __always_inline u32 sort_mail(const struct gpu *gpu,
				     const struct mail_room *room, u32 head,
				     u32 part)
{
	u32 place = head, first;

	if (head == NOBODY || mail_at(room, head)->next == NOBODY)
		return head;
	first = mail_at(room, head)->sent;
	while (place != NOBODY) {
		struct mail *mail = mail_at(room, place);
		u32 cycle = mail->sent & gpu->shape.cycle_mask, next = mail->next;
		u64 *used = &gpu->cycles_used[cycle / 64];
		struct mailbox *box = &gpu->cycles[cycle];

		if (room->prefetch)
			room->prefetch(gpu, part, mail);
		if ((s32)(mail->sent - first) < 0)
			first = mail->sent;
		if (!(*used >> cycle % 64 & 1)) {
			*used |= 1ULL << cycle % 64;
			box->head = NOBODY;
			mailbox_put(room, box, place);
		} else if (mail_at(room, box->tail)->sender <= mail->sender) {
			mailbox_put(room, box, place);
		} else {
			mailbox_insert(room, box, place);
		}
		place = next;
	}
	return join_cycles(gpu, room, first);
}

/*
 * Collect the messages of all views to a part, in order. @boxes: of a view, by part.
 */
static __always_inline u32 collect(const struct gpu *gpu,
				   const struct mail_room *room,
				   struct mailbox *(*boxes)(const struct gpu *view),
				   u32 part)
{
	struct mailbox all = { .head = NOBODY };
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		struct mailbox *box = &boxes(gpu->main->view_of[i])[part];

		if (box->head == NOBODY)
			continue;
		if (all.head == NOBODY)
			all.head = box->head;
		else
			mail_at(room, all.tail)->next = box->head;
		all.tail = box->tail;
		box->head = NOBODY;
	}
	return sort_mail(gpu, room, all.head, part);
}

/* --- requests ---------------------------------------------------------------------- */

static struct mail_room request_room(const struct gpu *gpu)
{
	return (struct mail_room) { gpu->requests, sizeof(*gpu->requests), NULL };
}

static struct mailbox *request_boxes(const struct gpu *view)
{
	return view->outbox;
}

/* The place of the messages of an SM's entry. */
static u32 entry_place(const struct gpu *gpu, u32 sm, u32 number)
{
	if (number >= SM_FIRST_STORE)
		number -= SM_FIRST_STORE - l1_entries(&gpu->config);
	return sm * gpu->shape.sm_entries + number;
}

/* noc_prefetch() - an SM's entry will soon be taken and its request sent */
void noc_prefetch(const struct gpu *gpu, u32 sm, u32 number)
{
	if (number == NO_MSHR)
		return;
	__builtin_prefetch(&gpu->sms[sm].mshr[number], 1);
	__builtin_prefetch(&gpu->requests[entry_place(gpu, sm, number)], 1);
}

/* Flits of a reply: the data that a load asks for or an atomic gets back. */
static u32 reply_flits(const struct gpu *gpu, const struct mshr *mshr)
{
	return gpu->shape.packet_flits[mshr->kind >= REQUEST_REDUCE ?
				       0 : mshr->words];
}

/* noc_note_stored() - what a store writes whose entry is sent next */
void noc_note_stored(struct gpu *gpu, u32 sm, u32 number, u32 stored)
{
	if (gpu->config.llc_sectors > 1)
		gpu->request_stored[entry_place(gpu, sm, number)] = stored;
}

/*
 * noc_send() - send the request of an SM's entry to its slice; the caller has checked
 *	that the port is not full
 * @cycle: cycle at which the request leaves the L1
 */
void noc_send(struct gpu *gpu, u32 sm, u32 number, u64 cycle)
{
	const struct mail_room room = request_room(gpu);
	struct sm *from = &gpu->sms[sm];
	const struct mshr *mshr = &from->mshr[number];
	u32 words = mshr->kind == REQUEST_READ ? 0 : mshr->words;
	u32 flits = gpu->shape.packet_flits[words];
	u32 slot = line_slot(mshr->line), place = entry_place(gpu, sm, number);
	struct request *request = &gpu->requests[place];
	u32 slice = address_place(gpu, mshr->line, &request->set);

	if (!gpu->config.noc_head_blocking)
		cycle = max(cycle, from->out_free);
	request->mail.sent = (u32)gpu->now;
	request->mail.number = number;
	request->mail.sender = sm;
	request->flits = flits;
	request->line = mshr->line;
	request->ready = cycle;
	request->slice = slice;
	request->kind = mshr->kind;
	request->sectors = gpu->config.llc_sectors > 1 ? mshr->sectors : 1;
	request->generation = gpu->tenants[slot].generation;
	request->reply_flits = reply_flits(gpu, mshr);
	from->out_free = max(cycle, from->out_free) + flits;
	slot_counters(gpu, slot)->noc_request_flits += flits;
	if (gpu->config.noc_head_blocking) {
		gpu->sm_ports[sm].flits += flits;
		mailbox_put(&room, &gpu->sm_ports[sm].waiting, place);
		return;
	}
	mailbox_put(&room, &gpu->outbox[slice / gpu->shape.slices_per_channel],
		    place);
}

/* A request that is not held up by ports arrives in its slice's queue. */
static void take_request(struct gpu *gpu, u32 place)
{
	struct request *request = &gpu->requests[place];
	struct slice *slice = &gpu->slices[request->slice];
	u64 arrival = max(request->ready + gpu->config.noc_latency, slice->in_free);

	slice->in_free = arrival + request->flits;
	request_arrives(gpu, slice, place, arrival);
	llc_prefetch(gpu, request);
}

/*
 * noc_take_requests() - put the requests that were sent to a channel's slices into
 *	their queues
 */
void noc_take_requests(struct gpu *gpu, u32 channel)
{
	const struct mail_room room = request_room(gpu);
	u32 place = collect(gpu, &room, request_boxes, channel), next;

	for (; place != NOBODY; place = next) {
		next = gpu->requests[place].mail.next;
		take_request(gpu, place);
	}
}

/* --- replies ----------------------------------------------------------------------- */

/* Prefetch the entry of an SM that a reply is for. */
static void prefetch_entry(const struct gpu *gpu, u32 sm, const struct mail *mail)
{
	__builtin_prefetch(&gpu->sms[sm].mshr[mail->number], 1);
}

static struct mail_room reply_room(const struct gpu *gpu)
{
	return (struct mail_room) { gpu->replies, sizeof(*gpu->replies),
				    prefetch_entry };
}

static struct mailbox *reply_boxes(const struct gpu *view)
{
	return view->reply_outbox;
}

/*
 * noc_reply() - answer the request of an SM's entry from a slice; for a request for
 *	several sectors, answer @sector
 */
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 number, u32 sector,
	       u32 flits)
{
	const struct mail_room room = reply_room(gpu);
	struct slice *from = &gpu->slices[slice];
	u32 place = entry_place(gpu, sm, number) * gpu->config.llc_sectors + sector;
	struct reply *reply = &gpu->replies[place];
	bool blocking = gpu->config.noc_head_blocking;
	u64 departure = blocking ? gpu->now : max(gpu->now, from->out_free);

	from->out_free = max(departure, from->out_free) + flits;
	reply->mail.sent = (u32)gpu->now;
	reply->mail.number = number;
	reply->mail.sender = slice;
	reply->flits = flits;
	reply->departure = (u32)departure & REPLY_DEPARTURE_MASK;
	if (blocking) {
		gpu->slice_ports[slice].flits += flits;
		mailbox_put(&room, &gpu->slice_ports[slice].waiting, place);
		return;
	}
	mailbox_put(&room, &gpu->reply_outbox[sm], place);
}

/* Prefetch the warp that a reply wakes in some hundred cycles, and its line's set. */
static void prefetch_waiter(const struct gpu *gpu, u32 index,
			    const struct mshr *mshr)
{
	const struct sm *sm = &gpu->sms[index];
	const struct warp *warp = &sm->warp[mshr->waiter[0] / WARP_LOADS];

	__builtin_prefetch(l1_set(&gpu->l1[mshr->l1], index, mshr->line), 1);
	__builtin_prefetch(warp, 1);
	__builtin_prefetch(&warp->load[mshr->waiter[0] % WARP_LOADS], 1);
}

/* Add a reply with data, for which loads wait. */
static void add_reply(struct gpu *gpu, u32 index, u32 number, u64 arrival)
{
	struct sm *to = &gpu->sms[index];

	if (to->reply_at == NEVER) {
		to->reply_head = number;
		to->reply_at = arrival;
		sm_wake(to, sm_wants_reply(to, arrival, CAME_DATA));
	} else {
		to->mshr[to->reply_tail].next_reply = number;
	}
	to->reply_tail = number;
	prefetch_waiter(gpu, index, &to->mshr[number]);
}

/* Add an acknowledgment, which often can wait until the SM has a turn anyway. */
static void add_ack(struct sm *to, u32 number, u64 arrival)
{
	if (to->ack_at == NEVER) {
		to->ack_head = number;
		to->ack_at = arrival;
		if (sm_wants_acks(to))
			sm_wake(to, sm_wants_reply(to, arrival, CAME_ACK));
	} else {
		to->mshr[to->ack_tail].next_reply = number;
	}
	to->ack_tail = number;
}

/*
 * noc_reply_arrives() - a reply, or a part of it, is on its last way to an SM's entry
 * @arrival: cycle at which it is there
 */
void noc_reply_arrives(struct gpu *gpu, u32 sm, u32 number, u64 arrival)
{
	struct sm *to = &gpu->sms[sm];
	struct mshr *mshr = &to->mshr[number];

	mshr->ready = arrival;
	if (--mshr->parts)
		return;
	if (mshr->kind >= REQUEST_REDUCE)
		add_ack(to, number, arrival);
	else
		add_reply(gpu, sm, number, arrival);
}

/* A reply that is not held up by ports arrives. */
static void take_reply(struct gpu *gpu, u32 sm, const struct reply *reply)
{
	struct sm *to = &gpu->sms[sm];
	u64 departure = reply_departure(reply, gpu->now);
	u64 arrival = max(departure + gpu->config.noc_latency, to->in_free);

	to->in_free = arrival + reply->flits;
	noc_reply_arrives(gpu, sm, reply->mail.number, arrival);
}

/*
 * noc_take_replies() - put the replies that were sent to an SM into its lists
 */
void noc_take_replies(struct gpu *gpu, u32 sm)
{
	const struct mail_room room = reply_room(gpu);
	u32 place = collect(gpu, &room, reply_boxes, sm), next;

	for (; place != NOBODY; place = next) {
		next = gpu->replies[place].mail.next;
		take_reply(gpu, sm, &gpu->replies[place]);
	}
}
