/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POLICY@MODEL: what a command line says where it names a policy, parsed in this
 * one place.
 */
#ifndef SIMGPU_CONTENDER_H
#define SIMGPU_CONTENDER_H

#include "experiment.h"

#define CONTENDER_LABEL_BYTES	(2 * SIMGPU_NAME_MAX)

/**
 * struct contender - a policy, and the model that it is given
 * @policy: name; until contender_load() perhaps a file
 * @model: likewise; NULL: the one that a built-in policy is made for, else that of
 *	--model
 */
struct contender {
	const char *policy;
	const char *model;
};

/* Take POLICY[@MODEL] apart, in its own memory; POLICY may be a file. */
struct contender contender_split(char *text);

/* Whether the policy is a file that is to be loaded. */
bool contender_is_file(const struct contender *contender);

/* Where no model is named, the one that a policy in this process is made for. */
void contender_default(struct contender *contender);

/*
 * Load the policy if it is a file, and see to it that policy and model are there, in
 * this process. @settings has what a bare policy uses. An exit status, and what was
 * wrong has been said.
 */
int contender_load(struct contender *contender, const struct settings *settings);

/* Put it into the settings; names that are too long are cut. */
void contender_choose(const struct contender *contender,
		      struct settings *settings);

/* POLICY@MODEL of one that is loaded. */
void contender_label(const struct contender *contender,
		     char label[CONTENDER_LABEL_BYTES]);

/* The model of a name; NULL, and which there are has been said. */
const struct simgpu_model *contender_find_model(const char *name);

#endif /* SIMGPU_CONTENDER_H */
