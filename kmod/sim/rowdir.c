// SPDX-License-Identifier: GPL-2.0
/*
 * Row directories: how much of a tenant's row locality is its own. What a
 * controller makes of it, the row buffer hit rate, shrinks in company: the
 * tenant goes slower, so requests to a row come further apart in time and the
 * row is closed between them. Counted in the tenant's own requests they are as
 * far apart as ever. So a directory keeps, for each slot, for every n-th channel
 * and for reads and writes apart, the rows of the tenant's last requests, twice
 * as many as a queue has entries, and counts the requests whose row is among
 * them. They decide nothing: no timing depends on them.
 */
#include "sim.h"

/*
 * rowdir_channels() - channels that have directories: the first, and every n-th
 *	after it
 */
u32 rowdir_channels(const struct gpu_config *config)
{
	if (!config->row_sampling)
		return 0;
	return (config->channels + config->row_sampling - 1) /
	       config->row_sampling;
}

static struct rowdir *find(const struct gpu *gpu, u32 slot, u32 channel)
{
	return &gpu->rowdirs[slot * gpu->shape.rowdir_channels +
			     channel / gpu->config.row_sampling];
}

/*
 * rowdir_note() - show a directory a request on its way to a channel
 * @row: of that channel
 *
 * Only with row_sampling.
 */
void rowdir_note(struct gpu *gpu, u32 channel, u32 slot, bool write, u32 row,
		 u32 bank)
{
	u32 window = 2 * gpu->config.queue_entries, entry, found = 0, i;
	struct rowdir_window *last;
	struct simgpu_counters *counters = &gpu->tenants[slot].counters;

	if (channel % gpu->config.row_sampling)
		return;
	last = &find(gpu, slot, channel)->windows[write];
	entry = row * gpu->config.banks + bank + 1;
	/* All of them, without a branch each. */
	for (i = 0; i < window; i++)
		found |= last->rows[i] == entry;
	last->rows[last->next] = entry;
	last->next = last->next + 1 < window ? last->next + 1 : 0;
	counters->row_samples++;
	counters->row_repeats += found;
}

/* rowdir_drop() - empty a slot's directories */
void rowdir_drop(struct gpu *gpu, u32 slot)
{
	u32 channels = gpu->shape.rowdir_channels;

	memset(&gpu->rowdirs[slot * channels], 0,
	       channels * sizeof(*gpu->rowdirs));
}
