// SPDX-License-Identifier: GPL-2.0
/* Models that look at a run of another one; see watch.h. */
#include "internal.h"
#include "watch.h"

/**
 * struct watched - a model, and its predictions
 * @options: options with the model, its parameters and its constants
 * @constants: payload of the constants; NULL: none
 * @state: state of the model
 * @failed: whether it has returned an error
 * @said: its last prediction for each slot
 * @np: sum of its predictions, by slot
 */
struct watched {
	const struct session_options *options;
	const void *constants;
	void *state;
	bool failed;
	struct simgpu_prediction_tenant said[SESSION_SLOTS_MAX];
	struct session_np np[SESSION_SLOTS_MAX];
};

/**
 * struct watch - the models that watch a run
 * @model: the run's own model, with the needs of all
 * @snapshot: as the model that is asked sees it
 * @prediction: its answer
 * @count: number of models
 */
struct watch {
	struct simgpu_model model;
	struct simgpu_snapshot snapshot;
	struct simgpu_prediction prediction;
	u32 count;
	struct watched models[OFFLINE_WATCHED_MAX];
};

bool watch_allows(const struct session_options *run,
		  const struct session_options *other)
{
	const struct simgpu_model *a = run->model, *b = other->model;
	const struct simgpu_policy *policy = run->policy;
	u32 sampled = SIMGPU_NEEDS_TAGS, all = SIMGPU_NEEDS_ALL_TAGS;

	return policy == other->policy &&
	       (policy == &policy_even ||
		policy->needs & SIMGPU_NEEDS_NO_MODEL) &&
	       !a->events && !b->events &&
	       a->latency_cycles == b->latency_cycles &&
	       (a->needs & all ? !(b->needs & sampled) : !(b->needs & all));
}

int watch_create(struct session_options *run,
		 const struct session_options *const *watched, u32 count,
		 struct watch **out)
{
	struct watch *watch;
	u32 i;

	*out = NULL;
	if (!count)
		return 0;
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	watch->model = *run->model;
	for (i = 0; i < count; i++) {
		struct watched *model = &watch->models[i];

		model->options = watched[i];
		model->constants = session_model_constants(watched[i]);
		model->state = calloc(1, SIMGPU_STATE_BYTES_MAX);
		watch->count++;
		watch->model.needs |= watched[i]->model->needs;
		if (!model->state) {
			watch_destroy(watch);
			return -ENOMEM;
		}
	}
	run->model = &watch->model;
	*out = watch;
	return 0;
}

void watch_destroy(struct watch *watch)
{
	u32 i;

	if (!watch)
		return;
	for (i = 0; i < watch->count; i++)
		free(watch->models[i].state);
	free(watch);
}

/* Put the model's own earlier predictions into the snapshot. */
static void show_own(struct simgpu_snapshot *snapshot,
		     const struct watched *model)
{
	u32 slot;

	memcpy(snapshot->model_params, model->options->model_params,
	       sizeof(snapshot->model_params));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
		const struct simgpu_prediction_tenant *said = &model->said[slot];

		tenant->class = said->class;
		tenant->np_ppm = said->np_ppm;
		tenant->sd_scal_ppm = said->sd_scal_ppm;
		tenant->sd_inter_ppm = said->sd_inter_ppm;
		tenant->curve = said->curve;
	}
}

static void take(struct watched *model, struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session_said(&prediction->tenants[slot]))
			model->said[slot] = prediction->tenants[slot];
}

void watch_predict(struct watch *watch, const struct simgpu_snapshot *snapshot)
{
	u32 i;

	if (!watch)
		return;
	watch->snapshot = *snapshot;
	for (i = 0; i < watch->count; i++) {
		struct watched *model = &watch->models[i];

		memset(&watch->prediction, 0, sizeof(watch->prediction));
		show_own(&watch->snapshot, model);
		if (model->options->model->predict(&watch->snapshot,
						   model->constants,
						   model->state,
						   &watch->prediction))
			model->failed = true;
		else
			take(model, &watch->prediction);
	}
}

void watch_counted(struct watch *watch, u32 slot,
		   const struct session_counted *counted)
{
	u32 i;

	for (i = 0; watch && i < watch->count; i++) {
		struct watched *model = &watch->models[i];

		session_np_add(&model->np[slot], model->said[slot].class,
			       model->said[slot].np_ppm, counted);
	}
}

void watch_report(const struct watch *watch, u32 index, u32 slot,
		  struct offline_watched *out)
{
	const struct watched *model = &watch->models[index];

	out->failed = model->failed;
	out->class = model->said[slot].class;
	session_np_figures(&model->np[slot], &out->np_run);
}
