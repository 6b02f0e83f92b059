/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models that look at a run of another one: each is asked with the same snapshots as
 * the run's own, and decides nothing. One run then says what several models predict.
 */
#ifndef OFFLINE_WATCH_H
#define OFFLINE_WATCH_H

#include "offline.h"

struct watch;

/**
 * watch_allows() - whether a model can look at the run of another one
 * @run: how the run is made
 * @other: the same but for model, its knobs and constants
 *
 * The policy must not look at predictions, neither model may ask for probes or have a
 * word at other times than an epoch's end, and what is said must take effect at the
 * same time. Auxiliary tags of all sets are there only if the run itself has them, and
 * then sampled ones are not.
 */
bool watch_allows(const struct session_options *run,
		  const struct session_options *other);

/**
 * watch_create() - begin to look
 * @run: its model is changed to one that needs what the others need, too
 * @watched: models, knobs and constants are theirs; they live as long as the watch
 * @count: of these
 * @out: NULL where there are none
 *
 * Return: 0 or -ENOMEM.
 */
int watch_create(struct session_options *run,
		 const struct session_options *const *watched, u32 count,
		 struct watch **out);
/* NULL is fine. */
void watch_destroy(struct watch *watch);

/* The session's hooks of these names. */
void watch_predict(struct watch *watch, const struct simgpu_snapshot *snapshot);
void watch_counted(struct watch *watch, u32 slot,
		   const struct session_counted *counted);

/* What model number @index has said of a slot. */
void watch_report(const struct watch *watch, u32 index, u32 slot,
		  struct offline_watched *out);

#endif /* OFFLINE_WATCH_H */
