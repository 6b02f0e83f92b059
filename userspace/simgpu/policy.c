// SPDX-License-Identifier: GPL-2.0
/* simgpu policy: the policies that there are, and which one a device has. */
#include "contender.h"
#include "output.h"

static const struct argp_option options[] = {
	{ "device", 'd', "N", 0, "The device (default 0)", 0 },
	{ "json", 'j', 0, 0, "Print one JSON document (list)", 0 },
	{ 0 }
};

static const char about[] =
	"List the policies that a device knows (without a device: those that "
	"are built in, as simgpu run --offline has them), or set its policy, with "
	"POLICY@MODEL its model as well. A new policy is asked from the next epoch's "
	"end on.\v"
	"Examples:\n"
	"  simgpu policy list\n"
	"  simgpu policy set hsm-fair\n"
	"  simgpu policy set even --device 1\n"
	"  simgpu policy set hsm-qos@mirror\n"
	"\n"
	"Exit status: 0; 1 if the device refused; 2 for wrong usage.";

/**
 * struct arguments - the parsed command line
 * @name: POLICY[@MODEL] to set; NULL: list
 */
struct arguments {
	unsigned int device;
	bool device_given;
	bool json;
	const char *verb;
	char *name;
};

static void check_arguments(struct argp_state *state,
			    const struct arguments *arguments)
{
	bool set = arguments->verb && !strcmp(arguments->verb, "set");

	if (!arguments->verb || (!set && strcmp(arguments->verb, "list")))
		argp_error(state, "say list or set");
	if (set && !arguments->name)
		argp_error(state, "set takes the name of a policy");
	if (!set && arguments->name)
		argp_error(state, "list takes no name");
	if (set && arguments->json)
		argp_error(state, "set prints nothing");
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'd':
		arguments->device_given = true;
		arguments->device = option_device(state, text);
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			arguments->verb = text;
		else if (state->arg_num == 1)
			arguments->name = text;
		else
			argp_error(state, "\"%s\" is one word too many", text);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.args_doc = "list\nset NAME[@MODEL]",
	.doc = about,
};

static int set_policy(unsigned int device, const char *name)
{
	int ret = simgpu_write_device_value(device, "policy", name);

	if (!ret)
		return STATUS_OK;
	if (ret == -EINVAL)
		return fail("simgpu%u has no policy \"%s\"; simgpu policy list names those that it has",
			    device, name);
	return fail("simgpu%u: %s", device, device_error(ret));
}

static int set_model(unsigned int device, const char *name)
{
	char names[SIMGPU_VALUE_BYTES];
	int ret = simgpu_write_device_value(device, "model", name);

	if (!ret)
		return STATUS_OK;
	if (ret == -EINVAL &&
	    !simgpu_read_device_value(device, "models_available", names,
				      sizeof(names)))
		return fail("simgpu%u has no model \"%s\"; models: %s", device,
			    name, names);
	return fail("simgpu%u: model %s: %s", device, name, device_error(ret));
}

/* Both or neither. */
static int set(const struct arguments *arguments)
{
	struct contender contender = contender_split(arguments->name);
	char before[SIMGPU_VALUE_BYTES] = "";
	unsigned int device = arguments->device;
	int ret;

	if (!contender.model)
		return set_policy(device, contender.policy);
	simgpu_read_device_value(device, "model", before, sizeof(before));
	ret = set_model(device, contender.model);
	if (ret)
		return ret;
	ret = set_policy(device, contender.policy);
	if (ret && *before)
		simgpu_write_device_value(device, "model", before);
	return ret;
}

/* The names, a space between two; @present is empty without a device. */
static int read_policies(const struct arguments *arguments, char *names,
			 char *present, size_t room)
{
	const struct simgpu_policy *policy;
	unsigned int i;
	int ret;

	*names = *present = '\0';
	ret = simgpu_read_device_value(arguments->device, "policies_available",
				       names, room);
	if (!ret)
		ret = simgpu_read_device_value(arguments->device, "policy",
					       present, room);
	if (ret != -ENOENT || arguments->device_given)
		return ret;
	for (i = 0; (policy = registry_policy_at(i)); i++)
		snprintf(names + strlen(names), room - strlen(names), "%s%s",
			 i ? " " : "", policy->name);
	return 0;
}

static int list(const struct arguments *arguments)
{
	char names[SIMGPU_VALUE_BYTES], present[SIMGPU_VALUE_BYTES];
	struct json_object *object, *array;
	char *rest = names, *name;
	int ret = read_policies(arguments, names, present, sizeof(names));

	if (ret)
		return fail("simgpu%u: %s", arguments->device,
			    device_error(ret));
	array = json_object_new_array();
	while ((name = strsep(&rest, " "))) {
		json_object_array_add(array, json_object_new_string(name));
		if (!arguments->json)
			printf("%c %s\n", strcmp(name, present) ? ' ' : '*',
			       name);
	}
	object = json_object_new_object();
	json_set(object, "policies", array);
	json_set(object, "policy",
		 *present ? json_object_new_string(present) : NULL);
	if (arguments->json)
		return json_print(object);
	json_object_put(object);
	return STATUS_OK;
}

int policy_command(int argc, char **argv)
{
	struct arguments arguments = { .device = 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	return arguments.name ? set(&arguments) : list(&arguments);
}
