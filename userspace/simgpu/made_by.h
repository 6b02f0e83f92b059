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
/* The settings that results tell: "seed", "kernel_end", "preemption" and others. */
void made_by_settings_json(struct json_object *object,
			   const struct settings *settings);
/* "policy_params" and "model_params", as an offline run has them. */
void made_by_params_json(struct json_object *object,
			 const struct settings *settings);
/* Those of an object as "NAME VALUE, ..."; to be freed, NULL if there are none. */
char *made_by_params_text(const struct json_object *object);

#endif /* SIMGPU_MADE_BY_H */
