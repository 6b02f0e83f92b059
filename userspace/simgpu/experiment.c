// SPDX-License-Identifier: GPL-2.0
/* The options that every command has that runs experiments; see experiment.h. */
#include "contender.h"
#include "names.h"
#include "plugin.h"
#include "workload.h"

enum {
	OPTION_CONFIG = 512,
	OPTION_SET,
	OPTION_CONSTANTS,
	OPTION_THREADS,
	/* And higher numbers: the settings without a letter, by their rows. */
	OPTION_SETTINGS,
};

/* The settings are appended to these. */
static const struct argp_option own_options[] = {
	{ "config", OPTION_CONFIG, "NAME|FILE", 0,
	  "The GPU (default hbm80); offline also a file, whose name has a '/' or ends in .conf", 1 },
	{ "model", 'm', "NAME", 0,
	  "The slowdown model of policies that are not given as POLICY@MODEL (default hsm)", 1 },
	{ "set", OPTION_SET, "NAME=VALUE", 0,
	  "Offline: a parameter of the policy or the model (simgpu policy show NAME lists them); may be repeated", 1 },
	{ "constants", OPTION_CONSTANTS, "FILE", 0,
	  "Offline: constants of the model that the file names", 1 },
	{ "threads", OPTION_THREADS, "N", 0,
	  "Offline: N threads simulate an experiment together; no result changes (default 1)", 1 },
};

static struct argp_option options[ARRAY_SIZE(own_options) +
				  SESSION_SETTINGS_MAX + 1];

static int setting_key(const struct session_setting *setting)
{
	return setting->key ? setting->key :
	       OPTION_SETTINGS + (int)(setting - session_settings);
}

void option_name(struct argp_state *state, const char *option, char *to,
		 const char *name)
{
	if (!*name || strlen(name) >= SIMGPU_NAME_MAX)
		argp_error(state, "%s takes a name", option);
	strcpy(to, name);
}

static u64 setting_value(struct argp_state *state,
			 const struct session_setting *setting, const char *text)
{
	char option[SIMGPU_NAME_BYTES], number[SIMGPU_NAME_BYTES];
	size_t length = strlen(text);

	snprintf(option, sizeof(option), "--%s", setting->option);
	if (setting->words)
		return option_word(state, option, setting->words,
				   (u32)setting->most + 1, text);
	if (setting->flags & SESSION_SETTING_PERCENT && length > 1 &&
	    length < sizeof(number) && text[length - 1] == '%') {
		snprintf(number, sizeof(number), "%.*s", (int)length - 1, text);
		text = number;
	}
	return option_number(state, option, text, setting->least, setting->most);
}

/* Parse an option of the settings' table; false: it is not one. */
static bool parse_setting(struct argp_state *state,
			  struct session_options *session, int key,
			  const char *text)
{
	session_for_each_setting(setting) {
		if (!setting->option || setting_key(setting) != key)
			continue;
		session_setting_set(setting, session,
				    setting_value(state, setting, text));
		return true;
	}
	return false;
}

static void parse_model(struct argp_state *state, struct settings *settings,
			char *text)
{
	const struct simgpu_model *model;

	if (!plugin_is_file(text)) {
		option_name(state, "--model", settings->model, text);
		return;
	}
	model = plugin_load_model(text);
	if (!model)
		exit(STATUS_FAILED);
	strcpy(settings->model, model->name);
}

static error_t parse_experiment(int key, char *text, struct argp_state *state)
{
	struct experiment *experiment = state->input;
	struct settings *settings = &experiment->settings;

	switch (key) {
	case OPTION_CONFIG:
		experiment->config_file = config_is_file(text) ? text : NULL;
		if (!experiment->config_file)
			option_name(state, "--config", settings->config, text);
		break;
	case 'm':
		parse_model(state, settings, text);
		if (plugin_is_file(text))
			return 0;
		break;
	case OPTION_CONSTANTS:
		experiment->constants_file = text;
		return 0;
	case OPTION_THREADS:
		settings->threads = (u32)option_number(state, "--threads", text,
						       1, GPU_VIEWS_MAX);
		return 0;
	case OPTION_SET:
		set_params_parse(state, &settings->params, text);
		break;
	default:
		if (!parse_setting(state, &settings->session, key, text))
			return ARGP_ERR_UNKNOWN;
	}
	experiment->given = text;
	return 0;
}

const struct argp experiment_argp = {
	.options = options,
	.parser = parse_experiment,
};

const struct settings settings_default = {
	.config = "hbm80",
	.policy = "even",
	.model = "hsm",
	.session = {
		.stop_cycle = 5000000,
		.epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT,
		.seed = 1,
	},
	.threads = 1,
};

void experiment_begin(struct experiment *experiment,
		      enum session_preemption preemption)
{
	struct argp_option *option = options + ARRAY_SIZE(own_options);
	static char help[256];

	/* The one default that not all commands share. */
	snprintf(help, sizeof(help), "How thread blocks leave an SM that changes hands: by their end (drain), by a switch, or as the last epoch suggests (adaptive). Default: %s",
		 session_preemptions[preemption]);

	memcpy(options, own_options, sizeof(own_options));
	session_for_each_setting(setting)
		if (setting->option)
			*option++ = (struct argp_option) {
				setting->option, setting_key(setting),
				setting->argument, 0,
				setting->words == session_preemptions ?
				help : setting->help, 1
			};
	experiment->settings = settings_default;
	experiment->settings.session.preemption = preemption;
}

/* Load a file of constants, which is kept for as long as the program runs. */
static int load_constants(const char *path, struct settings *settings)
{
	size_t bytes;

	settings->constants = read_file(path, &bytes);
	if (!settings->constants)
		return fail("%s: %s", path, strerror(errno));
	if (bytes > SIMGPU_CONSTANTS_BYTES_MAX)
		return fail("%s: constants have %u bytes at most", path,
			    SIMGPU_CONSTANTS_BYTES_MAX);
	settings->constants_bytes = (u32)bytes;
	return STATUS_OK;
}

int experiment_load(struct experiment *experiment)
{
	struct settings *settings = &experiment->settings;
	int ret;

	if (experiment->constants_file &&
	    load_constants(experiment->constants_file, settings))
		return STATUS_FAILED;
	if (!experiment->config_file)
		return STATUS_OK;
	ret = config_load(experiment->config_file, &experiment->custom);
	if (!ret) {
		settings->custom = &experiment->custom;
		strcpy(settings->config, experiment->custom.name);
	}
	return ret;
}

int settings_check_threads(const struct settings *settings,
			   const struct gpu_config *config)
{
	if (settings->threads > config->sms)
		return fail("--threads %u: %s has %u SMs, and each is one thread's",
			    settings->threads, config->name, config->sms);
	return STATUS_OK;
}

const struct gpu_config *settings_config(const struct settings *settings)
{
	return settings->custom ? settings->custom : gpu_config_find(settings->config);
}

static int find_names(const struct settings *settings,
		      struct session_options *options)
{
	const struct gpu_config *config = settings_config(settings);

	options->model = contender_find_model(settings->model);
	options->policy = plugin_find_policy(settings->policy);
	if (!config)
		return no_config(settings->config);
	if (!options->model)
		return STATUS_USAGE;
	if (!options->policy)
		return no_policy(settings->policy);
	options->config = *config;
	return settings_check_threads(settings, config);
}

static const char *constants_owner(const struct simgpu_model *model)
{
	return model->constants_of[0] ? model->constants_of : model->name;
}

static int has_constants(const struct session_options *options)
{
	const char *owner = constants_owner(options->model);

	if (session_has_constants(options))
		return STATUS_OK;
	return fail("the model %s has no constants for %s: make some with simgpu train --model %s --config %s --out FILE, and give them with --constants FILE",
		    options->model->name, options->config.name, owner,
		    options->config.name);
}

/* Check that a model takes the constants; in a sweep other models run without them. */
static int give_constants(const struct settings *settings,
			  struct session_options *options)
{
	struct simgpu_constants_header header;
	struct session_refusal why;

	if (!settings->constants)
		return has_constants(options);
	if (settings->constants_bytes >= sizeof(header)) {
		memcpy(&header, settings->constants, sizeof(header));
		if (settings->rivals && strncmp(header.model,
						constants_owner(options->model),
						sizeof(header.model)))
			return has_constants(options);
	}
	options->constants = settings->constants;
	options->constants_bytes = settings->constants_bytes;
	if (session_check_constants(options, &why))
		return fail("the constants cannot be used: %s (%s)", why.reason,
			    why.field);
	return STATUS_OK;
}

/* Warn, once in a process, that a model gets sampled tags instead of all. */
static void tell_sampling(const struct session_options *options)
{
	static bool told;
	u32 every;

	if (told || !(options->model->needs & SIMGPU_NEEDS_ALL_TAGS))
		return;
	every = session_all_tags_sampling(&options->config);
	if (every <= 1)
		return;
	told = true;
	warn("the model %s has auxiliary tags of one set in %u, as those of all do not fit in %s",
	     options->model->name, every, options->config.name);
}

int settings_check_params(const struct settings *settings)
{
	struct session_options options;
	u32 known = 0;
	int ret = settings_options(settings, &options);

	if (!ret)
		ret = set_params_apply(&settings->params, &options, &known);
	if (!ret)
		ret = set_params_check(&settings->params, known, &options);
	return ret;
}

int settings_options(const struct settings *settings,
		     struct session_options *options)
{
	int ret;

	memset(options, 0, sizeof(*options));
	session_settings_copy(options, &settings->session);
	options->memory_policy = settings->session.memory_policy;
	options->relaunch = options->stop_cycle != 0;
	options->gang_size = 0;
	ret = find_names(settings, options);
	if (ret)
		return ret;
	if (!session_power_fits(options))
		return fail("%s has no table of clocks: its clock cannot be lowered, neither by --clock nor by --power-cap",
			    options->config.name);
	session_default_params(options);
	ret = give_constants(settings, options);
	if (ret)
		return ret;
	tell_sampling(options);
	return set_params_apply(&settings->params, options, NULL);
}
