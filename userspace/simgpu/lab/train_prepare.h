/* SPDX-License-Identifier: GPL-2.0 */
/* What each training begins and ends with. */
#ifndef SIMGPU_TRAIN_PREPARE_H
#define SIMGPU_TRAIN_PREPARE_H

#include "train_themis.h"

/* Prepares the runs; samples_free() is needed in any case. An exit status. */
int train_prepare(const struct train_themis *arguments,
		  struct samples *samples);

/* The programs of a training, for its JSON document. */
struct json_object *train_programs_json(const struct samples *samples);

/* Writes a model's constants; an exit status. */
int train_write(const struct train_themis *arguments,
		const struct samples *samples, const struct simgpu_model *model,
		const void *constants);

#endif /* SIMGPU_TRAIN_PREPARE_H */
