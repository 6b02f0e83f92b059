// SPDX-License-Identifier: GPL-2.0
/* Parameters of models, policies and memory policies, and models' constants. */
#include "../policy/registry.h"
#include "internal.h"
#include "params.h"

/* param_find() - find a parameter by name, and its index; NULL if there is none */
const struct simgpu_param *param_find(const struct simgpu_param *params,
				      const char *name, u32 *index)
{
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++) {
		if (!strcmp(params[i].name, name)) {
			*index = i;
			return &params[i];
		}
	}
	return NULL;
}

/* params_initial() - set the defaults of a table's parameters; the rest is 0 */
void params_initial(const struct simgpu_param *params, u64 *values)
{
	u32 i;

	memset(values, 0, SIMGPU_PARAMS_MAX * sizeof(*values));
	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		values[i] = params[i].initial;
}

/* params_of_model() - set a model's defaults, which differ on a GPU that it was trained for */
void params_of_model(const struct simgpu_model *model, const char *config,
		     u64 *values)
{
	const struct simgpu_trained *trained = model->trained;

	params_initial(model->params, values);
	for (; trained && trained->config[0]; trained++)
		if (!strcmp(trained->config, config))
			memcpy(values, trained->values,
			       trained->count * sizeof(*values));
}

/*
 * constants_built_in() - the payload that is built into a model for a GPU, or NULL
 */
const void *constants_built_in(const struct simgpu_model *model,
			       const char *config)
{
	const struct simgpu_constants_built_in *table = model->built_in;

	for (; table && table->config[0]; table++)
		if (!strcmp(table->config, config))
			return table->payload;
	return NULL;
}

static const void *payload_of(const void *constants,
			      const struct simgpu_model *model,
			      const char *config)
{
	if (constants)
		return (const char *)constants +
		       sizeof(struct simgpu_constants_header);
	return constants_built_in(model, config);
}

/* constants_payload() - the payload that the model in force uses; NULL: none */
const void *constants_payload(const struct session *session)
{
	return payload_of(session->constants_bytes ? session->constants : NULL,
			  session->model, session->initial.config.name);
}

const void *session_model_constants(const struct session_options *options)
{
	return payload_of(options->constants, options->model,
			  options->config.name);
}

bool session_has_constants(const struct session_options *options)
{
	return !(options->model->needs & SIMGPU_NEEDS_CONSTANTS) ||
	       session_model_constants(options);
}

void session_default_params(struct session_options *options)
{
	params_initial(options->policy->params, options->policy_params);
	params_of_model(options->model, options->config.name,
			options->model_params);
	options->memory_params_set = 0;
}

const struct simgpu_memory_policy *
session_first_memory_policy(const struct session_options *options)
{
	return options->memory_policy ? options->memory_policy :
	       registry_memory_policy_at(options->memory_policy_index);
}

/* params_memory_are_good() - whether the parameters of the memory policy that were set fit */
bool params_memory_are_good(const struct session_options *options)
{
	const struct simgpu_param *params = session_first_memory_policy(options)->params;
	u32 known = 0, i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++) {
		u64 value = session_first_memory_param(options, params, i);

		if (value < params[i].least || value > params[i].most)
			return false;
		known |= 1U << i;
	}
	return !(options->memory_params_set & ~known);
}

/* params_begin_memory() - a memory policy is in force: its parameters have their first values */
void params_begin_memory(struct session *session, const struct simgpu_memory_policy *policy)
{
	params_initial(policy->params, session->memory_params);
}

/* params_hash_memory() - add the memory policy's parameters that were set to other values */
u64 params_hash_memory(const struct session *session, u64 hash)
{
	const struct simgpu_param *params = session->initial.memory_policy->params;
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		if (session->memory_params[i] != params[i].initial)
			hash = hash_mix(hash_mix(hash, i), session->memory_params[i]);
	return hash;
}

static int refuse_param(struct session_refusal *why, const char *name, s32 code,
			const char *reason)
{
	refusal_say(why, name, SESSION_NOWHERE, SESSION_NOWHERE, reason);
	why->kind = SESSION_REFUSED_PARAM;
	why->code = code;
	return code;
}

int session_check_param(const struct simgpu_param *params,
			enum session_param_owner whose, const char *name, u64 value,
			u32 *index, struct session_refusal *why)
{
	static const char *const lacks[SESSION_PARAM_OWNERS] = {
		[SESSION_MODEL_PARAMS] = "the model has no such parameter",
		[SESSION_POLICY_PARAMS] = "the policy has no such parameter",
		[SESSION_MEMORY_PARAMS] = "the memory policy has no such parameter",
	};
	const struct simgpu_param *param = param_find(params, name, index);

	memset(why, 0, sizeof(*why));
	if (!param)
		return refuse_param(why, name, -ENOENT, lacks[whose]);
	if (value < param->least || value > param->most)
		return refuse_param(why, name, -EINVAL,
				    "the value is out of the parameter's range");
	return 0;
}

static const struct simgpu_param *table_of(const struct session *session,
					   enum session_param_owner whose)
{
	switch (whose) {
	case SESSION_POLICY_PARAMS:
		return session->policy->params;
	case SESSION_MEMORY_PARAMS:
		return session->initial.memory_policy->params;
	default:
		return session->model->params;
	}
}

static u64 *values_of(struct session *session, enum session_param_owner whose)
{
	switch (whose) {
	case SESSION_POLICY_PARAMS:
		return session->policy_params;
	case SESSION_MEMORY_PARAMS:
		return session->memory_params;
	default:
		return session->model_params;
	}
}

int session_set_param(struct session *session, enum session_param_owner whose,
		      const char *name, u64 value)
{
	static const enum journal_kind kinds[SESSION_PARAM_OWNERS] = {
		[SESSION_MODEL_PARAMS] = JOURNAL_MODEL_PARAM,
		[SESSION_POLICY_PARAMS] = JOURNAL_POLICY_PARAM,
		[SESSION_MEMORY_PARAMS] = JOURNAL_MEMORY_PARAM,
	};
	struct session_refusal why;
	struct journal_event *event;
	u32 index;

	if (session_check_param(table_of(session, whose), whose, name, value, &index,
				&why)) {
		session->refusal = why;
		session->refusal.cycle = session_now(session);
		return why.code;
	}
	event = journal_add(session, kinds[whose], 0);
	snprintf(event->name, sizeof(event->name), "%s", name);
	event->value = value;
	values_of(session, whose)[index] = value;
	return 0;
}

const u64 *session_params(const struct session *session,
			  enum session_param_owner whose)
{
	return values_of((struct session *)session, whose);
}

/* --- constants ------------------------------------------------------------------------- */

static int refuse_constants(struct session_refusal *why, const char *field,
			    const char *reason)
{
	refusal_say(why, field, SESSION_NOWHERE, SESSION_NOWHERE, reason);
	why->kind = SESSION_REFUSED_CONSTANTS;
	return why->code;
}

/*
 * constants_check() - check that constants are complete and for this model and GPU
 * @model: the model that is to use them
 * @config: name of the configuration
 * @why: set to the reason on failure
 *
 * Return: 0 or -EINVAL.
 */
int constants_check(const struct simgpu_model *model, const char *config,
		    const void *constants, u32 bytes,
		    struct session_refusal *why)
{
	struct simgpu_constants_header header;

	if (bytes < sizeof(header) || bytes > SIMGPU_CONSTANTS_BYTES_MAX)
		return refuse_constants(why, "length",
					"they are shorter than their header, or longer than 60 KB");
	memcpy(&header, constants, sizeof(header));
	if (header.magic != SIMGPU_CONSTANTS_MAGIC)
		return refuse_constants(why, "magic",
					"they do not begin as constants do");
	if (header.length != bytes)
		return refuse_constants(why, "length",
					"they have another length than their header says");
	if (strncmp(header.model, model->constants_of[0] ?
		    model->constants_of : model->name, sizeof(header.model)))
		return refuse_constants(why, "model",
					"they are of another model than the one in force");
	if (!model->constants_bytes)
		return refuse_constants(why, "model",
					"the model has no constants, only parameters");
	if (header.version != model->constants_version)
		return refuse_constants(why, "version",
					"they are of another version than the model's");
	if (strncmp(header.config, config, sizeof(header.config)))
		return refuse_constants(why, "config",
					"they were trained on another configuration");
	if (bytes != sizeof(header) + model->constants_bytes)
		return refuse_constants(why, "length",
					"the model's constants have another size");
	if (port_crc32(0, (const char *)constants + sizeof(header),
		       bytes - sizeof(header)) != header.checksum)
		return refuse_constants(why, "checksum",
					"their checksum is wrong");
	if (model->constants_are_good &&
	    !model->constants_are_good((const char *)constants +
				       sizeof(header)))
		return refuse_constants(why, "payload",
					"a number in them is out of its range");
	return 0;
}

int session_check_constants(const struct session_options *options,
			    struct session_refusal *why)
{
	memset(why, 0, sizeof(*why));
	return constants_check(options->model, options->config.name,
			       options->constants, options->constants_bytes,
			       why);
}

const void *session_constants(const struct session *session, u32 *bytes)
{
	*bytes = session->constants_bytes;
	return *bytes ? session->constants : NULL;
}

int session_set_constants(struct session *session, const void *constants,
			  u32 bytes)
{
	struct session_refusal why = { .kind = SESSION_REFUSED_CONSTANTS };
	struct journal_event *event;

	if (constants_check(session->model, session->initial.config.name,
			    constants, bytes, &why)) {
		session->refusal = why;
		session->refusal.cycle = session_now(session);
		return why.code;
	}
	memcpy(session->constants, constants, bytes);
	session->constants_bytes = bytes;
	event = journal_add(session, JOURNAL_CONSTANTS, 0);
	event->constants.bytes = bytes;
	event->constants.checksum = port_crc32(0, constants, bytes);
	return 0;
}
