/* SPDX-License-Identifier: GPL-2.0 */
/* Knobs of models and policies, and models' constants. */
#ifndef SESSION_PARAMS_H
#define SESSION_PARAMS_H

#include "session.h"

enum session_knobs {
	SESSION_MODEL_KNOBS,
	SESSION_POLICY_KNOBS,
};

/**
 * session_set_param() - set a knob of the model or policy in force
 * @session: the session
 * @whose: the model's or the policy's
 * @name: of the knob
 * @value: in its unit
 *
 * Return: 0; -ENOENT if there is no such knob, -EINVAL for a value out of its
 * range: then nothing has changed, and session_last_refusal() says why.
 */
int session_set_param(struct session *session, enum session_knobs whose,
		      const char *name, u64 value);

/**
 * session_set_constants() - give the model in force other constants
 * @session: the session
 * @constants: header and payload; copied
 * @bytes: of both
 *
 * Return: 0; -EINVAL if they are not whole, or of another model, version or GPU:
 * then nothing has changed, and session_last_refusal() says why.
 */
int session_set_constants(struct session *session, const void *constants,
			  u32 bytes);

/**
 * session_check_constants() - whether a session could begin with its constants
 * @options: with model, configuration and constants
 * @why: says why not
 *
 * Return: 0 or -EINVAL.
 */
int session_check_constants(const struct session_options *options,
			    struct session_refusal *why);

/*
 * Whether the model has constants, or needs none: given, or built in for this GPU.
 * Without them a session can begin, and get them later.
 */
bool session_has_constants(const struct session_options *options);

/* What the model of @options would compute with: theirs, or what it brings along; or NULL. */
const void *session_model_constants(const struct session_options *options);

/**
 * session_check_param() - whether a knob could be set
 * @params: the table of a model or policy; NULL: it has none
 * @whose: the model's or the policy's
 * @name: of the knob
 * @value: in its unit
 * @index: set to its place in the table
 * @why: says why not
 *
 * Return: as session_set_param().
 */
int session_check_param(const struct simgpu_param *params,
			enum session_knobs whose, const char *name, u64 value,
			u32 *index, struct session_refusal *why);

/* The constants in force, header and payload; NULL: none. */
const void *session_constants(const struct session *session, u32 *bytes);

/* The values of the knobs in force, in the order of the table. */
const u64 *session_params(const struct session *session,
			  enum session_knobs whose);

/* The knobs of @options' model and policy as they are until they are set. */
void session_default_params(struct session_options *options);

/* For kmod/session alone. */
void params_of_model(const struct simgpu_model *model, const char *config,
		     u64 *values);
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
