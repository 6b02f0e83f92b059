/* SPDX-License-Identifier: GPL-2.0 */
/* The options of commands whose tenants may have managed memory. */
#ifndef SIMGPU_MEMORY_OPTIONS_H
#define SIMGPU_MEMORY_OPTIONS_H

#include "experiment.h"

struct json_object;

/**
 * struct memory_options - what memory_argp() parses into
 * @mib: of --memory, in MiB; 0: as in the configuration
 * @policy: of --memory-policy, a name or a file; NULL: uvm
 * @of_device: it may be a name that only the device knows
 */
struct memory_options {
	u32 mib;
	const char *policy;
	bool of_device;
};

/* A child of a command's argp. Its input is a struct memory_options. */
const struct argp *memory_argp(void);

/*
 * Let an experiment have the memory and the policy that the options name, after
 * experiment_load(); an exit status.
 */
int memory_options_apply(const struct memory_options *memory,
			 struct experiment *experiment);

/* Name of the memory policy that is asked for. */
const char *memory_policy_name(const struct settings *settings);

/*
 * The keys memory_mib, page_kb and memory_policy of an experiment with managed memory:
 * MiB for managed pages, and the name of the memory policy
 */
void memory_settings_json(struct json_object *object, const struct settings *settings,
			  u32 mib, const char *policy);

#endif /* SIMGPU_MEMORY_OPTIONS_H */
