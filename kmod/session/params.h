/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of models, policies and memory policies, and constants of models */
#ifndef SESSION_PARAMS_H
#define SESSION_PARAMS_H

#include "session.h"

enum session_param_owner {
	SESSION_MODEL_PARAMS,
	SESSION_POLICY_PARAMS,
	SESSION_MEMORY_PARAMS,
	SESSION_PARAM_OWNERS
};

/**
 * session_set_param() - set a parameter of the model, policy or memory policy in force
 * @session: the session
 * @whose: which of them
 * @name: name of the parameter
 * @value: in its unit
 *
 * Return: 0; -ENOENT if there is no such parameter; -EINVAL if the value is out of
 * range. On failure nothing changes, and session_last_refusal() has the reason.
 */
int session_set_param(struct session *session, enum session_param_owner whose,
		      const char *name, u64 value);

/**
 * session_set_constants() - give the model in force other constants
 * @session: the session
 * @constants: header and payload; copied
 * @bytes: bytes of both
 *
 * Return: 0; -EINVAL if they are incomplete, or made for another model, version or GPU.
 * On failure nothing changes, and session_last_refusal() has the reason.
 */
int session_set_constants(struct session *session, const void *constants,
			  u32 bytes);

/**
 * session_check_constants() - check the constants with which a session is to begin
 * @options: with model, configuration and constants
 * @why: set to the reason on failure
 *
 * Return: 0 or -EINVAL.
 */
int session_check_constants(const struct session_options *options,
			    struct session_refusal *why);

/*
 * Whether the model has its constants, given or built in for this GPU, or needs none.
 * A session can begin without them and get them later.
 */
bool session_has_constants(const struct session_options *options);

/* The constants that the model of @options would use: given, built in, or NULL for none */
const void *session_model_constants(const struct session_options *options);

/**
 * session_check_param() - check a value for a parameter
 * @params: the table of a model, policy or memory policy; NULL: it has none
 * @whose: which of them
 * @name: name of the parameter
 * @value: in its unit
 * @index: set to its index in the table
 * @why: set to the reason on failure
 *
 * Return: see session_set_param().
 */
int session_check_param(const struct simgpu_param *params,
			enum session_param_owner whose, const char *name, u64 value,
			u32 *index, struct session_refusal *why);

/* The constants in force, header and payload; NULL for none */
const void *session_constants(const struct session *session, u32 *bytes);

/* The values of the parameters in force, in the order of the table */
const u64 *session_params(const struct session *session,
			  enum session_param_owner whose);

/*
 * Set the parameters of @options' model and policy to their defaults, and those of the memory
 * policy to none that was set.
 */
void session_default_params(struct session_options *options);

/* The memory policy with which a session begins */
const struct simgpu_memory_policy *
session_first_memory_policy(const struct session_options *options);

/**
 * session_preset_memory_param() - set a parameter of the memory policy for a cold start
 * @options: with the memory policy
 * @index: of the parameter in its table
 * @value: in its range
 */
static inline void session_preset_memory_param(struct session_options *options, u32 index,
					       u64 value)
{
	options->memory_params[index] = value;
	options->memory_params_set |= 1U << index;
}

/* A parameter of the memory policy at a cold start; the initial value, unless it was set. */
static inline u64 session_first_memory_param(const struct session_options *options,
					     const struct simgpu_param *params, u32 index)
{
	return options->memory_params_set >> index & 1 ? options->memory_params[index] :
							 params[index].initial;
}

/* Used only in kmod/session */
void params_of_model(const struct simgpu_model *model, const char *config,
		     u64 *values);
void params_begin_memory(struct session *session, const struct simgpu_memory_policy *policy);
bool params_memory_are_good(const struct session_options *options);
u64 params_hash_memory(const struct session *session, u64 hash);
const struct simgpu_param *param_find(const struct simgpu_param *params,
				      const char *name, u32 *index);
void params_initial(const struct simgpu_param *params, u64 *values);
const void *constants_built_in(const struct simgpu_model *model,
			       const char *config);
const void *constants_payload(const struct session *session);
int constants_check(const struct simgpu_model *model, const char *config,
		    const void *constants, u32 bytes,
		    struct session_refusal *why);

#endif /* SESSION_PARAMS_H */
