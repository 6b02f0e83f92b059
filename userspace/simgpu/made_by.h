/* SPDX-License-Identifier: GPL-2.0 */
/* How results were made: this program's version, parameters, and traces. */
#ifndef SIMGPU_MADE_BY_H
#define SIMGPU_MADE_BY_H

#include <json-c/json.h>

#include "experiment.h"
#include "workload.h"

/* The version, such as "0.1.0". */
const char *made_by_version(void);
/* Adds "version", and "workloads" with the checksums of their traces. */
void made_by_json(struct json_object *object, const struct workload *workloads,
		  u32 count);
/* The checksum in the header of a trace that was read. */
u32 made_by_checksum(const struct workload *workload);
/* Adds the settings of a run: "seed", "kernel_end", "preemption" and others. */
void made_by_settings_json(struct json_object *object,
			   const struct settings *settings);
/* Adds "policy_params" and "model_params" of an offline run. */
void made_by_params_json(struct json_object *object,
			 const struct settings *settings);
/* Parameters of such an object as "NAME VALUE, ..."; the caller frees it; NULL: none. */
char *made_by_params_text(const struct json_object *object);

#endif /* SIMGPU_MADE_BY_H */
