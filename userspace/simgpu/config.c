// SPDX-License-Identifier: GPL-2.0
/* The GPU that --config names: a shipped one, or a user's text file. */
#include "names.h"
#include "workload.h"

bool config_is_file(const char *text)
{
	const char *end = strrchr(text, '.');

	return strchr(text, '/') || (end && !strcmp(end, ".conf"));
}

static int read_config(const char *path, struct gpu_config *config)
{
	struct config_error error;
	size_t count;
	char *text = read_file(path, &count);
	char line[32] = "";
	int ret;

	if (!text)
		return fail("%s: %s", path, strerror(errno));
	ret = gpu_config_parse(text, count, config, &error);
	free(text);
	if (!ret)
		return STATUS_OK;
	if (error.line)
		snprintf(line, sizeof(line), ", line %u", error.line);
	return fail("%s%s: %s%s%s", path, line, error.field,
		    *error.field ? " " : "", error.reason);
}

int config_load(const char *text, struct gpu_config *config)
{
	const struct gpu_config *shipped;

	if (config_is_file(text))
		return read_config(text, config);
	shipped = gpu_config_find(text);
	if (!shipped)
		return no_config(text);
	*config = *shipped;
	return STATUS_OK;
}
