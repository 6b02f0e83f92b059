/* SPDX-License-Identifier: GPL-2.0 */
/* What a run's policy told of itself: gauges, and notes. */
#ifndef SIMGPU_RUN_REMARKS_H
#define SIMGPU_RUN_REMARKS_H

#include "result.h"

struct json_object;

/* Takes names and units of gauges from an epoch, unless there are some already. */
void remarks_take_names(struct result *result, const struct session_epoch *epoch);

/* The same from the file policy_gauges of a device. */
void remarks_read_names(struct result *result, unsigned int device);

/* Keeps a run's notes: those of a ring, or those of a device. */
void remarks_take_notes(struct result *result, const struct session_notes *notes);
int remarks_read_notes(struct result *result, unsigned int device);

/* Values of an epoch's gauges by their names; NULL: it has none. */
struct json_object *gauges_json(const struct result *result,
				const struct simgpu_epoch_record *record);
struct json_object *notes_json(const struct result *result);

/* The gauges' columns of CSV, one for each gauge. */
void print_gauges_heading(const struct result *result);
void print_gauges_csv(const struct result *result,
		      const struct simgpu_epoch_record *record);

/* Tables for people. */
void print_gauges(const struct result *result);
void print_policy_notes(const struct result *result);

#endif /* SIMGPU_RUN_REMARKS_H */
