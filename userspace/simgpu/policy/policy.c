// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu policy: lists the policies, shows one, tests one, shows and sets a device's policy,
 * and loads and unloads BPF programs.
 */
#include "../contender.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "loaded_policy.h"
#include "policy_load.h"
#include "policy_show.h"
#include "policy_stats.h"
#include "policy_test.h"

static const char about[] =
	"List the policies that a device knows (without a device: those that "
	"are built in, as simgpu run --offline has them), show what a policy, a "
	"model or a memory policy is, or set the device's policy, with POLICY@MODEL its model as well. "
	"A new policy begins with an even split, and is asked from the first of its "
	"events on, at the latest at the epoch's end.\v"
	"show tells of one that is built in, is loaded, or of a plug-in's file (with a '/'), when "
	"it is asked, what it needs, what it keeps, and its parameters: unit, range, first "
	"value and what each is for. Parameters are set by --set NAME=VALUE offline, and on "
	"a device in policy_params/ and model_params/ of its folder in sysfs.\n\n"
	"test runs a policy for ten epochs in each of some twenty situations, offline, and "
	"says where it was refused, crashed or did not return, and the command that shows it.\n\n"
	"load brings a BPF program that tools/build-policy --bpf has made to all "
	"devices as a policy, until unload takes it back; list marks it. A name is that of "
	"one that came with simgpu. It takes a 6.12 kernel and root. stats tells how often "
	"the device's policy was asked, how long that took, which policies even has "
	"replaced in this session, and the values of the parameters.\n\n"
	"Examples:\n"
	"  simgpu policy list\n"
	"  simgpu policy list --memory\n"
	"  simgpu policy show hsm-fair\n"
	"  simgpu policy show hsm --config themis60\n"
	"  simgpu policy show --json ./build/policies/mine.so\n"
	"  simgpu policy test ./build/policies/mine.so\n"
	"  simgpu policy set hsm-fair\n"
	"  simgpu policy set even --device 1\n"
	"  simgpu policy set hsm-qos@mirror\n"
	"  simgpu policy load lottery\n"
	"  simgpu policy load build/policies/mine.bpf.o\n"
	"\n"
	"Exit status: 0; 1 if the device refused, nothing has the name, or a situation did not "
	"end well; 2 for wrong usage.";

/**
 * struct arguments - the parsed command line
 * @memory: list memory policies, or test one
 * @verb: of the table below
 * @name: POLICY[@MODEL] to set or test, a policy or a model to show, a file or a policy to
 *	load, a policy to unload
 * @config: GPU whose trained values show prints, or NULL
 * @replace: replace the loaded policy of the same name
 * @force: unload a policy that is in use
 */
struct arguments {
	unsigned int device;
	bool device_given;
	bool json;
	bool memory;
	const char *verb;
	char *name;
	const char *config;
	bool replace;
	bool force;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "device", 'd', "N", "The device (default 0)",
	  TO_U32(device, 0, SIMGPU_DEVICES_MAX), .given = AT(device_given) },
	{ "json", 'j', NULL, "Print one JSON document (list, show, stats, test)",
	  TO_FLAG(json) },
	{ "memory", 0, NULL, "Memory policies, of managed memory (test; list, whose JSON always has them)",
	  TO_FLAG(memory) },
	{ "config", 0, "NAME",
	  "Parameters of a model as they were trained for this GPU (show)", TO_TEXT(config) },
	{ "replace", 0, NULL,
	  "Take the place of the loaded policy of that name, on devices that use it, too (load)",
	  TO_FLAG(replace) },
	{ "force", 0, NULL, "Though devices use it: even takes its place there (unload)",
	  TO_FLAG(force) },
	{ .name = NULL }
};

static bool is_verb(const struct arguments *arguments, const char *verb)
{
	return arguments->verb && !strcmp(arguments->verb, verb);
}

/* The argument of each verb, or NULL. */
static const struct {
	const char *verb;
	const char *takes;
} verbs[] = {
	{ "list", NULL },
	{ "show", "the name of a policy or a model" },
	{ "test", "a file, or the name of a policy" },
	{ "set", "the name of a policy" },
	{ "load", "a file, or the name of a shipped policy" },
	{ "unload", "the name of a policy" },
	{ "stats", NULL },
};

static void check_options(struct argp_state *state,
			  const struct arguments *arguments)
{
	bool list = is_verb(arguments, "list") || is_verb(arguments, "stats");
	bool show = is_verb(arguments, "show"), test = is_verb(arguments, "test");

	if (!list && !show && !test && arguments->json)
		argp_error(state, "--json is for list, show, stats and test");
	if (!list && !is_verb(arguments, "set") && arguments->device_given)
		argp_error(state, "--device is for list, set and stats");
	if (!is_verb(arguments, "list") && !test && arguments->memory)
		argp_error(state, "--memory is for list and test");
	if (!show && arguments->config)
		argp_error(state, "--config is for show");
	if (!is_verb(arguments, "load") && arguments->replace)
		argp_error(state, "--replace is for load");
	if (!is_verb(arguments, "unload") && arguments->force)
		argp_error(state, "--force is for unload");
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (is_verb(arguments, verbs[i].verb))
			break;
	if (i == ARRAY_SIZE(verbs))
		argp_error(state, "say list, show, test, set, load, unload or stats");
	else if (verbs[i].takes && !arguments->name)
		argp_error(state, "%s takes %s", verbs[i].verb, verbs[i].takes);
	else if (!verbs[i].takes && arguments->name)
		argp_error(state, "%s takes no name", verbs[i].verb);
	check_options(state, arguments);
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			arguments->verb = text;
		else if (state->arg_num == 1)
			arguments->name = text;
		else
			argp_error(state, "\"%s\" is one word too many", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "list\nshow NAME|FILE\ntest NAME[@MODEL]|FILE\nset NAME[@MODEL]\nload FILE.bpf.o|NAME\nunload NAME\nstats",
	.about = about,
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

/* Set policy and model together: both change, or neither. */
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

/* Width of names of policies that are built in. */
#define NAME_WIDTH	19

/* struct listed - a kind of policies: files of a device, and what is built in */
struct listed {
	const char *available;
	const char *present;
	const char *(*built_in)(u32 index);
	const char *(*about)(u32 index);
};

static const char *policy_at(u32 index)
{
	const struct simgpu_policy *policy = registry_policy_at(index);

	return policy ? policy->name : NULL;
}

static const char *policy_about(u32 index)
{
	return registry_policy_at(index)->about;
}

static const char *memory_policy_at(u32 index)
{
	const struct simgpu_memory_policy *policy = registry_memory_policy_at(index);

	return policy ? policy->name : NULL;
}

static const char *memory_policy_about(u32 index)
{
	return registry_memory_policy_at(index)->about;
}

static const struct listed policies = {
	"policies_available", "policy", policy_at, policy_about,
};

static const struct listed memory_policies = {
	"memory_policies_available", "memory_policy", memory_policy_at, memory_policy_about,
};

/* Read the names, separated by spaces; @present is empty without a device. */
static int read_names(const struct arguments *arguments, const struct listed *listed,
		      char *names, char *present, size_t room)
{
	const char *name;
	u32 i;
	int ret;

	*names = *present = '\0';
	ret = simgpu_read_device_value(arguments->device, listed->available,
				       names, room);
	if (!ret)
		ret = simgpu_read_device_value(arguments->device, listed->present,
					       present, room);
	if (ret != -ENOENT || arguments->device_given)
		return ret;
	for (i = 0; (name = listed->built_in(i)); i++)
		snprintf(names + strlen(names), room - strlen(names), "%s%s",
			 i ? " " : "", name);
	return 0;
}

/* Whether a name is in a list of names separated by spaces. */
static bool is_among(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (; *names; names += strspn(names, " ")) {
		if (strcspn(names, " ") == length &&
		    !strncmp(names, name, length))
			return true;
		names += strcspn(names, " ");
	}
	return false;
}

/* The source of a policy; @bpf: names of the BPF programs. */
static u32 source_of(const struct listed *listed, const char *name, const char *bpf)
{
	const struct simgpu_memory_policy *memory;
	const struct simgpu_policy *loaded;
	const char *built_in;
	u32 i;

	for (i = 0; (built_in = listed->built_in(i)); i++)
		if (!strcmp(built_in, name))
			return SIMGPU_SOURCE_BUILT_IN;
	if (!is_among(bpf, name))
		return SIMGPU_SOURCE_PLUGIN;
	if (listed == &memory_policies) {
		memory = loaded_memory_policy_find(name);
		return memory ? memory->source : SIMGPU_SOURCE_BPF;
	}
	loaded = loaded_policy_find(name);
	return loaded ? loaded->source : SIMGPU_SOURCE_BPF;
}

/* What a policy that is built in says of itself, or NULL. */
static const char *about_of(const struct listed *listed, const char *name)
{
	const char *built_in;
	u32 i;

	for (i = 0; (built_in = listed->built_in(i)); i++)
		if (!strcmp(built_in, name))
			return listed->about(i);
	return NULL;
}

static void list_row(struct json_object *sources, const struct listed *listed,
		     const char *name, const char *present, u32 source, bool json)
{
	const char *about = source == SIMGPU_SOURCE_BUILT_IN ? about_of(listed, name) : NULL;

	json_set_string(sources, name, journal_sources[source]);
	if (json)
		return;
	if (present)
		printf("%c ", strcmp(name, present) ? ' ' : '*');
	printf("%-*s", about ? NAME_WIDTH : 0, name);
	if (source != SIMGPU_SOURCE_BUILT_IN)
		printf(" (%s)", journal_sources[source]);
	printf("%s%s\n", about ? "  " : "", about ? about : "");
}

/* List a kind: as lines unless it is for JSON, and as an array; an exit status. */
static int list_kind(const struct arguments *arguments, const struct listed *listed,
		     bool lines, struct json_object *sources, char *present,
		     struct json_object *array)
{
	char names[SIMGPU_VALUE_BYTES], bpf[SIMGPU_VALUE_BYTES] = "";
	char *rest = names, *name;
	int ret = read_names(arguments, listed, names, present, sizeof(names));

	if (ret)
		return fail("simgpu%u: %s", arguments->device, device_error(ret));
	simgpu_read_device_value(arguments->device, "policies_bpf", bpf, sizeof(bpf));
	while ((name = strsep(&rest, " "))) {
		json_object_array_add(array, json_object_new_string(name));
		/* Memory policies were listed without marks before devices had others. */
		list_row(sources, listed, name, listed == &policies || *present ? present : NULL,
			 source_of(listed, name, bpf), !lines);
	}
	return STATUS_OK;
}

static int list(const struct arguments *arguments)
{
	char present[SIMGPU_VALUE_BYTES], memory_present[SIMGPU_VALUE_BYTES];
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct json_object *memory = json_object_new_array();
	struct json_object *sources = json_object_new_object();
	struct json_object *memory_sources = json_object_new_object();
	bool lines = !arguments->json;
	int ret;

	json_set(object, "policies", array);
	json_set(object, "memory_policies", memory);
	json_set(object, "sources", sources);
	json_set(object, "memory_sources", memory_sources);
	ret = list_kind(arguments, &policies, lines && !arguments->memory, sources,
			present, array) ?:
	      list_kind(arguments, &memory_policies, lines && arguments->memory,
			memory_sources, memory_present, memory);
	if (!ret && arguments->json) {
		json_set(object, "policy",
			 *present ? json_object_new_string(present) : NULL);
		return json_print(object);
	}
	json_object_put(object);
	return ret ? ret : flush_output();
}

int policy_command(int argc, char **argv)
{
	struct arguments arguments = { .device = 0 };

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	if (is_verb(&arguments, "show"))
		return policy_show(SHOW_POLICY, arguments.name,
				   arguments.config, arguments.json);
	if (is_verb(&arguments, "test"))
		return policy_test(arguments.name, arguments.memory, arguments.json);
	if (is_verb(&arguments, "load"))
		return policy_load(arguments.name, arguments.replace);
	if (is_verb(&arguments, "unload"))
		return policy_unload(arguments.name, arguments.force);
	if (is_verb(&arguments, "stats"))
		return policy_stats(arguments.device, arguments.json);
	return is_verb(&arguments, "set") ? set(&arguments) : list(&arguments);
}
