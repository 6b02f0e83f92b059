/* SPDX-License-Identifier: GPL-2.0 */
/* What results were made of: this program's version, knobs, and traces. */
#ifndef SIMGPU_MADE_BY_H
#define SIMGPU_MADE_BY_H

#include <json-c/json.h>

#include "experiment.h"
#include "workload.h"

/* "0.1.0" */
const char *made_by_version(void);
/* "version", and "workloads" with the checksums of their traces. */
void made_by_json(struct json_object *object, const struct workload *workloads,
		  u32 count);
/* The checksum in the header of a trace that was read. */
u32 made_by_checksum(const struct workload *workload);
/* Remember the knobs of a device, whose gang has just been made. */
void made_by_note_device(unsigned int device);
/* "policy_params" and "model_params", on a device those that were noted. */
void made_by_params_json(struct json_object *object,
			 const struct settings *settings, bool offline);
/* The same as "NAME VALUE, ..."; to be freed, NULL if there are none. */
char *made_by_params_text(const struct settings *settings, bool offline);

#endif /* SIMGPU_MADE_BY_H */
