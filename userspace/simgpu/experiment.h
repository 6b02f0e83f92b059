/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is asked for in an experiment: the options that every command has that
 * runs some, and the session that they mean.
 */
#ifndef SIMGPU_EXPERIMENT_H
#define SIMGPU_EXPERIMENT_H

#include "command.h"
#include "knobs.h"

/**
 * struct settings - the experiment that was asked for
 * @device: N of simgpuN
 * @config: name of the GPU
 * @custom: a user's GPU, offline only; NULL: the shipped one of that name
 * @policy: name
 * @model: name
 * @session: the settings of the session (kmod/session/settings.h) alone; its
 *	stop cycle is 0 if every trace is to run once, and sms_most is offline only
 * @threads: that run an experiment together, offline only; no result depends on it
 * @knobs: of model and policy that were set, offline only
 * @constants: of a model, header and payload, offline only; NULL: none
 * @constants_bytes: of these
 * @rivals: there are several models; the constants are for the one they name
 */
struct settings {
	unsigned int device;
	char config[SIMGPU_NAME_MAX];
	const struct gpu_config *custom;
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	struct session_options session;
	u32 threads;
	struct knobs knobs;
	const void *constants;
	u32 constants_bytes;
	bool rivals;
};

extern const struct settings settings_default;

/**
 * struct experiment - what experiment_argp parses into
 * @settings: without a policy
 * @config_file: of --config, or NULL
 * @custom: what is in it
 * @constants_file: of --constants, or NULL
 * @given: some option of these, or NULL; but for files of a model and of constants,
 *	which a journal may need
 */
struct experiment {
	struct settings settings;
	const char *config_file;
	struct gpu_config custom;
	const char *constants_file;
	const char *given;
};

/* A child of a command's argp; its input is a struct experiment. */
extern const struct argp experiment_argp;
/* The settings that a command begins with, before its argp parses any. */
void experiment_begin(struct experiment *experiment);

/* The value of an option that is a name, into SIMGPU_NAME_MAX bytes. */
void option_name(struct argp_state *state, const char *option, char *to,
		 const char *name);

/* Read what the options name; an exit status. */
int experiment_load(struct experiment *experiment);

/* Complain about knobs that neither policy nor model has; an exit status. */
int settings_check_knobs(const struct settings *settings);

/* Complain if there is no work for so many threads; an exit status. */
int settings_check_threads(const struct settings *settings,
			   const struct gpu_config *config);

/* The GPU that the settings mean; NULL: none has its name. */
const struct gpu_config *settings_config(const struct settings *settings);

/* The session that the settings mean; an exit status, and why has been said. */
int settings_options(const struct settings *settings,
		     struct session_options *options);

#endif /* SIMGPU_EXPERIMENT_H */
