// SPDX-License-Identifier: GPL-2.0
/*
 * The link from slices to memory channels: the requests that slices send, and when a
 * channel has to take a turn for them.
 */
#include "sim.h"

/* Wake a channel so that it simulates a batch of clocks beyond @clock in one turn. */
static void wake_for_clock(struct gpu *gpu, u32 index, u64 clock)
{
	u64 cycle = cycle_of_clock(gpu, clock + gpu->config.channel_batch_clocks);
	u64 ahead = gpu->now + 1 + gpu->config.llc_to_dram_latency;

	channel_wake(&gpu->channels[index],
		     max(cycle, ahead) - gpu->config.llc_to_dram_latency);
}

/* The memory clock at which a request that is sent now arrives at a channel. */
static u64 arrival_clock(struct gpu *gpu)
{
	if (gpu->arrival_cycle != gpu->now) {
		gpu->arrival_cycle = gpu->now;
		gpu->arrival_clock =
			clock_of_cycle(gpu, gpu->now +
				       gpu->config.llc_to_dram_latency);
	}
	return gpu->arrival_clock;
}

/*
 * channel_turn() - simulate as far ahead as the link's latency allows
 */
void channel_turn(struct gpu *gpu, u32 index)
{
	struct channel *channel = &gpu->channels[index];
	u64 until = arrival_clock(gpu);
	u64 next;

	if (until <= channel->clock)
		next = channel->clock;
	else
		next = channel_run(gpu, index, until);
	if (channel->pending)
		wake_for_clock(gpu, index, next);
}

/* channel_post(), inlined for one kind of request */
static __always_inline void post(struct channel *channel, bool write,
				 const struct dram_request *request)
{
	struct dram_inbox *inbox = &channel->inbox[write];

	port_assert(inbox->count <= channel->inbox_mask);
	*inbox_at(channel, write, inbox->count) = *request;
	inbox->priorities += request->priority;
	inbox->count++;
	channel->pending++;
	/* This is too early if the queue is full; the channel then looks again. */
	channel->arrival = min_t(u64, channel->arrival, request->ready_clock);
}

/*
 * channel_post() - put a request into a channel's inbox
 *
 * Requests of a kind have to be posted in the order of their ready_clock.
 */
void channel_post(struct gpu *gpu, u32 index, bool write,
		  const struct dram_request *request)
{
	post(&gpu->channels[index], write, request);
}

/*
 * channel_send() - send a request from a slice to its channel
 * @mode: DRAM_WRITES: a write-back; DRAM_READS: a fill for the LLC's MSHR entry
 *	@mshr
 * @sectors: number of sectors, of the line's four
 */
void channel_send(struct gpu *gpu, u32 slice, u32 line, u32 mode, u32 sectors,
		  u32 mshr, u32 generation)
{
	u32 per_channel = gpu->shape.slices_per_channel;
	u32 channel = slice / per_channel;
	u8 bank;
	u32 row = address_row(gpu, line, &bank);
	const struct dram_request request = {
		.ready_clock = arrival_clock(gpu),
		.sectors = sectors,
		.bank = bank,
		.priority = gpu->memory_priority[line_slot(line)],
		.row = row,
		.tag = {
			.slice = slice - channel * per_channel,
			.mshr = mshr,
			.slot = line_slot(line),
			.generation = generation,
		},
	};

	if (gpu->bounded)
		tell_place(gpu, request.tag.slot, GPU_PLACE_CHANNEL, channel);
	post(&gpu->channels[channel], mode, &request);
	/* A turn that comes within the batch's length will see the request anyway. */
	if (gpu->channels[channel].turn_at > gpu->now + gpu->shape.batch_cycles)
		wake_for_clock(gpu, channel, request.ready_clock);
}
