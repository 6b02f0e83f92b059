/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models that watch a run of another one: each is asked with the same snapshots as
 * the run's own model, and its answers have no effect. So one run shows the predictions
 * of several models.
 */
#ifndef OFFLINE_WATCH_H
#define OFFLINE_WATCH_H

#include "offline.h"

struct watch;

/**
 * watch_allows() - whether a model can watch the run of another one
 * @run: options of the run
 * @other: the same options except for model, its parameters and constants
 *
 * The policy must not read predictions. Neither model may ask for probes or be asked at
 * other times than an epoch's end, and predictions must take equally long. Auxiliary tags
 * of all sets are there only if the run itself needs them, and
 * then sampled ones are not.
 */
bool watch_allows(const struct session_options *run,
		  const struct session_options *other);

/**
 * watch_create() - begin to watch
 * @run: its model is replaced by one with the needs of all models
 * @watched: options whose models, parameters and constants are used; they have to live as
 *	long as the watch
 * @count: entries of @watched
 * @out: set to the watch; NULL if @count is 0
 *
 * Return: 0 or -ENOMEM.
 */
int watch_create(struct session_options *run,
		 const struct session_options *const *watched, u32 count,
		 struct watch **out);
/* NULL is allowed. */
void watch_destroy(struct watch *watch);

/* Hooks of the session, by the same names. */
void watch_predict(struct watch *watch, const struct simgpu_snapshot *snapshot);
void watch_counted(struct watch *watch, u32 slot,
		   const struct session_counted *counted);

/* The predictions of model number @index for a slot. */
void watch_report(const struct watch *watch, u32 index, u32 slot,
		  struct offline_watched *out);

#endif /* OFFLINE_WATCH_H */
