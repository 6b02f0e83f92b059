// SPDX-License-Identifier: GPL-2.0
/* Options of managed memory; see memory_options.h. */
#include "json.h"
#include "memory_options.h"
#include "names.h"
#include "plugin.h"

enum {
	OPTION_MEMORY = 768,
	OPTION_MEMORY_POLICY,
};

static struct argp_option options[] = {
	{ "memory", OPTION_MEMORY, "SIZE", 0,
	  "Device memory for workloads with managed=1, in MiB, or with M or G behind it; even", 1 },
	{ "memory-policy", OPTION_MEMORY_POLICY, "NAME", 0, NULL, 1 },
	{ .name = NULL }
};

/* MiB, an even number of them: "512", "512M", "1G" */
static u32 option_memory(struct argp_state *state, const char *text)
{
	u64 mib = option_mib(state, "--memory", text);

	if (mib % (GPU_CHUNK_BYTES >> 20))
		argp_error(state, "--memory is an even number of MiB, as chunks have two");
	return (u32)mib;
}

static error_t parse_memory(int key, char *text, struct argp_state *state)
{
	struct memory_options *memory = state->input;

	switch (key) {
	case OPTION_MEMORY:
		memory->mib = option_memory(state, text);
		return 0;
	case OPTION_MEMORY_POLICY:
		memory->policy = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_memory,
};

/* The names of all built-in memory policies, with @last before the last one. */
static const char *policy_names(const char *last)
{
	static char names[256];
	const struct simgpu_memory_policy *policy;
	size_t length;
	u32 i;

	*names = '\0';
	for (i = 0; (policy = registry_memory_policy_at(i)); i++) {
		length = strlen(names);
		snprintf(names + length, sizeof(names) - length, "%s%s",
			 !i ? "" : registry_memory_policy_at(i + 1) ? ", " : last,
			 policy->name);
	}
	return names;
}

const struct argp *memory_argp(void)
{
	static char help[512];

	snprintf(help, sizeof(help),
		 "Which of their pages come and go: %s, the first by default; offline also a shared object with a memory policy, whose name has a '/'; on a device also one that is loaded there",
		 policy_names(" or "));
	options[1].doc = help;
	return &argp;
}

static int choose_policy(const struct memory_options *memory,
			 struct settings *settings)
{
	const struct simgpu_memory_policy **chosen = &settings->session.memory_policy;

	if (!memory->policy)
		return STATUS_OK;
	if (plugin_is_file(memory->policy)) {
		*chosen = plugin_load_memory_policy(memory->policy);
		return *chosen ? STATUS_OK : STATUS_FAILED;
	}
	*chosen = registry_memory_policy_find(memory->policy);
	if (*chosen) {
		settings->session.memory_policy_index =
			(u8)registry_memory_policy_place(*chosen);
		return STATUS_OK;
	}
	if (!memory->of_device || strlen(memory->policy) >= SIMGPU_NAME_MAX)
		return fail_usage("--memory-policy is %s, not \"%s\"",
				  policy_names(" or "), memory->policy);
	strcpy(settings->memory_policy, memory->policy);
	return STATUS_OK;
}

int memory_options_apply(const struct memory_options *memory,
			 struct experiment *experiment)
{
	struct settings *settings = &experiment->settings;
	const struct gpu_config *config = settings_config(settings);

	if (memory->mib) {
		if (!config)
			return no_config(settings->config);
		experiment->custom = *config;
		experiment->custom.managed_mb = memory->mib;
		settings->custom = &experiment->custom;
		settings->session.managed_mib = memory->mib;
	}
	return choose_policy(memory, settings);
}

const char *memory_policy_name(const struct settings *settings)
{
	const struct simgpu_memory_policy *policy = settings->session.memory_policy;

	if (*settings->memory_policy)
		return settings->memory_policy;
	return policy ? policy->name : registry_memory_policy_at(0)->name;
}

void memory_settings_json(struct json_object *object, const struct settings *settings,
			  u32 mib, const char *policy)
{
	json_set(object, "memory_mib", json_u64(mib));
	json_set(object, "page_kb", json_u64(settings_config(settings)->page_kb));
	json_set_string(object, "memory_policy", policy);
}
