/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POLICY@MODEL: the form in which options name a policy and its model. All commands parse
 * it here.
 */
#ifndef SIMGPU_CONTENDER_H
#define SIMGPU_CONTENDER_H

#include "experiment.h"

#define CONTENDER_LABEL_BYTES	(2 * SIMGPU_NAME_MAX)

/**
 * struct contender - a policy and its model
 * @policy: name; before contender_load() it may be a file
 * @model: name, or a file before contender_load(); NULL: the one that a built-in policy is
 *	made for, else that of --model
 */
struct contender {
	const char *policy;
	const char *model;
};

/* Split POLICY[@MODEL], within the text's own memory; POLICY may be a file. */
struct contender contender_split(char *text);

/* Whether the policy is a file that is to be loaded. */
bool contender_is_file(const struct contender *contender);

/* If no model is named, take the one that the policy is made for; the policy is loaded. */
void contender_default(struct contender *contender);

/*
 * Load the policy if it is a file, and check that policy and model exist in this process.
 * @settings has the model of a policy without @MODEL. An exit status; a message has been
 * printed on failure.
 */
int contender_load(struct contender *contender, const struct settings *settings);

/* Put policy and model into the settings; names that are too long are cut. */
void contender_choose(const struct contender *contender,
		      struct settings *settings);

/* POLICY@MODEL of a contender that is loaded. */
void contender_label(const struct contender *contender,
		     char label[CONTENDER_LABEL_BYTES]);

/* The model of a name; NULL: a message has named the models that there are. */
const struct simgpu_model *contender_find_model(const char *name);

#endif /* SIMGPU_CONTENDER_H */
