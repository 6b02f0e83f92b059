/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of all commands that run experiments, and the session that these options
 * ask for.
 */
#ifndef SIMGPU_EXPERIMENT_H
#define SIMGPU_EXPERIMENT_H

#include "command.h"
#include "param_text.h"

/**
 * struct injections - failures that an experiment is to have
 * @count: how many
 * @list: the failures
 */
struct injections {
	u32 count;
	struct session_injection list[SESSION_INJECTIONS_MAX];
};

/**
 * struct settings - the experiment that the user asked for
 * @device: N of simgpuN
 * @config: name of the GPU
 * @custom: a user's GPU, offline only; NULL: the shipped one of that name
 * @policy: name
 * @model: name
 * @memory_policy: name of a memory policy that only the device has; empty: the session's
 * @session: the settings of the session (kmod/session/settings.h) alone; its
 *	stop cycle is 0 if every trace is to run once, and sms_most is offline only
 * @threads: threads that run an experiment together, offline only; no result depends
 *	on it
 * @params: parameters of model and policy that were set, offline only
 * @constants: constants of a model, header and payload, offline only; NULL: none
 * @constants_bytes: their size
 * @injections: failures that are to happen, of simgpu run alone
 * @rivals: there are several models; the constants are for the one that they name
 */
struct settings {
	unsigned int device;
	char config[SIMGPU_NAME_MAX];
	const struct gpu_config *custom;
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	char memory_policy[SIMGPU_NAME_MAX];
	struct session_options session;
	u32 threads;
	struct set_params params;
	const void *constants;
	u32 constants_bytes;
	struct injections injections;
	bool rivals;
};

extern const struct settings settings_default;

/**
 * struct experiment - what experiment_argp parses into
 * @settings: without a policy
 * @config_file: file of --config, or NULL
 * @custom: the configuration in that file
 * @constants_file: file of --constants, or NULL
 * @given: name of one of these options that was given, or NULL. Files of a model and of
 *	constants do not count, since a replay of a journal may need them
 */
struct experiment {
	struct settings settings;
	const char *config_file;
	struct gpu_config custom;
	const char *constants_file;
	const char *given;
};

/* A child of a command's argp. Its input is a struct experiment. */
extern const struct argp experiment_argp;
/*
 * Sets the defaults, before a command's argp parses options; @preemption is
 * what it does without --preemption, and what its --help says of that.
 */
void experiment_begin(struct experiment *experiment,
		      enum session_preemption preemption);

/* Copies the value of an option that is a name, into SIMGPU_NAME_MAX bytes. */
void option_name(struct argp_state *state, const char *option, char *to,
		 const char *name);

/* Read the files that the options name; an exit status. */
int experiment_load(struct experiment *experiment);

/* Refuse parameters that neither policy nor model has; an exit status. */
int settings_check_params(const struct settings *settings);

/* Refuse more threads than have work; an exit status. */
int settings_check_threads(const struct settings *settings,
			   const struct gpu_config *config);

/* The GPU of the settings; NULL: there is none of its name. */
const struct gpu_config *settings_config(const struct settings *settings);

/* Options of the session for the settings; an exit status; prints a message on failure. */
int settings_options(const struct settings *settings,
		     struct session_options *options);

#endif /* SIMGPU_EXPERIMENT_H */
