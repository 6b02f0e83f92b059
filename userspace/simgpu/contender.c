// SPDX-License-Identifier: GPL-2.0
/* POLICY@MODEL on command lines; see contender.h. */
#include <unistd.h>

#include "contender.h"
#include "names.h"
#include "plugin.h"

/* The last '@' separates, unless the whole text is the name of a file. */
struct contender contender_split(char *text)
{
	struct contender contender = { .policy = text };
	char *at = strrchr(text, '@');

	if (!at || !access(text, F_OK))
		return contender;
	*at = '\0';
	contender.model = at + 1;
	return contender;
}

bool contender_is_file(const struct contender *contender)
{
	return plugin_is_file(contender->policy);
}

const struct simgpu_model *contender_find_model(const char *name)
{
	const struct simgpu_model *model = plugin_find_model(name);

	if (!model)
		no_model(name);
	return model;
}

void contender_default(struct contender *contender)
{
	const struct simgpu_policy *policy;

	if (contender->model || contender_is_file(contender))
		return;
	policy = plugin_find_policy(contender->policy);
	if (policy && policy->model[0])
		contender->model = policy->model;
}

int contender_load(struct contender *contender, const struct settings *settings)
{
	const struct simgpu_policy *policy;

	contender_default(contender);
	if (!contender->model)
		contender->model = settings->model;
	if (plugin_is_file(contender->model)) {
		const struct simgpu_model *model =
			plugin_load_model(contender->model);

		if (!model)
			return STATUS_FAILED;
		contender->model = model->name;
	}
	if (!contender_find_model(contender->model))
		return STATUS_USAGE;
	if (!contender_is_file(contender)) {
		if (plugin_find_policy(contender->policy))
			return STATUS_OK;
		return no_policy(contender->policy);
	}
	policy = plugin_load(contender->policy);
	if (!policy)
		return STATUS_FAILED;
	contender->policy = policy->name;
	return STATUS_OK;
}

void contender_choose(const struct contender *contender,
		      struct settings *settings)
{
	snprintf(settings->policy, sizeof(settings->policy), "%s",
		 contender->policy);
	/* A model that came from --model may already be in these settings. */
	if (contender->model && contender->model != settings->model)
		snprintf(settings->model, sizeof(settings->model), "%s",
			 contender->model);
}

void contender_label(const struct contender *contender,
		     char label[CONTENDER_LABEL_BYTES])
{
	snprintf(label, CONTENDER_LABEL_BYTES, "%s@%s", contender->policy,
		 contender->model);
}
