// SPDX-License-Identifier: GPL-2.0
/* The runs of sets of programs; see sweep_sets.h. */
#include <unistd.h>

#include "../../offline/optimal.h"
#include "../../offline/phase.h"
#include "../../offline/run.h"
#include "../contender.h"
#include "../interrupt.h"
#include "../lab/profile.h"
#include "../lab/profiles.h"
#include "../statistics.h"
#include "sweep_alone.h"
#include "sweep_axes.h"
#include "sweep_sets.h"

bool sweep_sets_is_optimal(const struct sweep_run *run)
{
	const struct sweep *sweep = run->sweep;

	return sweep->suite.once &&
	       !strcmp(sweep->policies[run->policy].policy, SETS_OPTIMAL);
}

void sweep_choose(const struct sweep *sweep, u32 policy, struct settings *settings)
{
	struct contender contender = sweep->policies[policy];

	/* It is no policy of a session, but has the same parameters as stm. */
	if (!strcmp(contender.policy, SETS_OPTIMAL))
		contender.policy = "stm";
	contender_choose(&contender, settings);
}

/* --- options --------------------------------------------------------------------- */

static int check_optimal(const struct sweep *sweep)
{
	u32 i;

	for (i = 0; i < sweep->policy_count; i++)
		if (!strcmp(sweep->policies[i].policy, SETS_OPTIMAL))
			return fail_usage(SETS_OPTIMAL
					  " is for the suites stm-sets and stm-kernel-sets; simgpu plan --algorithm optimal finds it for other sets");
	return STATUS_OK;
}

int sweep_sets_check(struct sweep *sweep)
{
	struct settings *settings = &sweep->experiment.settings;

	if (!sweep->suite.once && sweep->sets)
		return fail_usage("--sets is for the suites stm-sets and stm-kernel-sets");
	if (!sweep->suite.once)
		return check_optimal(sweep);
	if (settings->session.stop_cycle &&
	    settings->session.stop_cycle != settings_default.session.stop_cycle)
		return fail_usage("--cycles is not for %s, which runs each trace once",
				  sweep->suite_name);
	if (sweep_axes_set(&sweep->axes) || sweep->target_given)
		return fail_usage("targets, weights, splits, goals and loads are not for %s: what counts is when all have ended",
				  sweep->suite_name);
	settings->session.stop_cycle = 0;
	sweep->target_ppm = 0;
	return STATUS_OK;
}

/* Keep @most of the sets of @count programs, drawn by the sweep's seed. */
static void draw(struct sweep *sweep, u32 count, u32 most)
{
	struct suite *suite = &sweep->suite;
	u64 state = sweep->experiment.settings.session.seed + count;
	u32 left = 0, kept = 0, i;

	for (i = 0; i < suite->mix_count; i++)
		left += suite->mixes[i].count == count;
	/* Each set is taken with the probability that gives so many in the end. */
	for (i = 0; i < suite->mix_count; i++) {
		if (suite->mixes[i].count == count) {
			state = statistics_bits(state);
			if (state % left-- >= most)
				continue;
			most--;
		}
		suite->mixes[kept++] = suite->mixes[i];
	}
	suite->mix_count = kept;
}

int sweep_sets_thin(struct sweep *sweep)
{
	const char *rest = sweep->sets;
	unsigned int count, most;
	int length;

	while (rest && *rest) {
		if (sscanf(rest, "%1u=%6u%n", &count, &most, &length) != 2 ||
		    count < 2 || count > OPTIMAL_KERNELS_MAX ||
		    (rest[length] && rest[length] != ','))
			return fail_usage("--sets takes PROGRAMS=SETS,... with 2 to %d programs, not \"%s\"",
					  OPTIMAL_KERNELS_MAX, sweep->sets);
		draw(sweep, count, most);
		rest += length + (rest[length] == ',');
	}
	return sweep->suite.mix_count ? STATUS_OK :
	       fail_usage("--sets leaves no set");
}

/* --- profiles ------------------------------------------------------------------------ */

/* Write its trace with a profile for the GPU into a file. */
static int measure_profile(const struct sweep *sweep,
			   const struct session_options *options,
			   const struct workload *workload, const char *path)
{
	struct profiles profiles = { .config = options->config };
	char name[SIMGPU_NAME_MAX + 16], *names = name;
	char temporary[KEPT_PATH_BYTES + 16];
	int ret;

	snprintf(name, sizeof(name), "%s:size=card", workload->path);
	snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	ret = profiles_open(&profiles, &names, 1);
	if (!ret)
		ret = profiles_measure(&profiles, sweep->workers, options->seed,
				       false);
	if (!ret)
		ret = profiles_write(&profiles, temporary);
	if (!ret && rename(temporary, path))
		ret = fail("%s: %s", path, strerror(errno));
	profiles_free(&profiles);
	return ret;
}

static int read_profiled(struct workload *workload, const char *path)
{
	struct workload new;
	int ret = workload_open(path, NULL, &new);

	if (!ret)
		ret = workload_decode(&new, NULL);
	if (!ret) {
		offline_free_trace(workload->trace);
		free(workload->bytes);
		workload->trace = new.trace;
		workload->bytes = new.bytes;
		workload->count = new.count;
		new.trace = NULL;
		new.bytes = NULL;
	}
	workload_free(&new);
	return ret;
}

/* Whether a program is in some set that was kept. */
static bool occurs(const struct suite *suite, u32 workload)
{
	u32 i, slot;

	for (i = 0; i < suite->mix_count; i++)
		for (slot = 0; slot < suite->mixes[i].count; slot++)
			if (suite->mixes[i].workload[slot] == workload)
				return true;
	return false;
}

/* Whether a trace has profiles of all kernels, as built-in ones have for the cards. */
static bool is_profiled(const struct trace *trace, const struct gpu_config *config)
{
	u32 kernel;

	for (kernel = 0; kernel < trace->kernel_count; kernel++)
		if (!trace_profile(trace, config->name, config->sms, kernel))
			return false;
	return true;
}

static int find_profile(struct sweep *sweep, const struct session_options *options,
			u32 index)
{
	struct workload *workload = &sweep->suite.workloads[index];
	struct kept *kept;
	int ret = STATUS_OK;

	if (is_profiled(workload->trace, &options->config))
		return STATUS_OK;
	kept = grow(NULL, 1, sizeof(*kept));
	memset(kept, 0, sizeof(*kept));
	sweep_describe_alone(sweep, options, index, 0, kept);
	kept_locate(kept, sweep->folder, "profiles", workload->name);
	if (access(kept->path, R_OK))
		ret = measure_profile(sweep, options, workload, kept->path);
	if (!ret)
		ret = read_profiled(workload, kept->path);
	free(kept);
	return ret;
}

int sweep_sets_profile(struct sweep *sweep)
{
	struct session_options options;
	u32 i;
	int ret = sweep_alone_options(sweep, 0, &options);

	if (!ret)
		ret = kept_make_folder(sweep->folder, "profiles") ?:
		      kept_make_folder(sweep->folder, "phases");
	for (i = 0; !ret && i < sweep->suite.workload_count; i++)
		if (occurs(&sweep->suite, i))
			ret = find_profile(sweep, &options, i);
	return ret;
}

/* --- programs as kernels --------------------------------------------------------------- */

/**
 * struct program_set - a set of programs, as the plan takes kernels
 * @programs: by slot
 * @kernels: a program is one kernel with the thread blocks of all its kernels
 * @profiles: its profile has the time of all its kernels, one after another
 * @set: these kernels and profiles
 * @config: configuration of the GPU
 * @run: run for which a schedule is searched, or NULL
 * @options: options of its session
 */
struct program_set {
	struct offline_program programs[MIX_TENANTS_MAX];
	struct plan_kernel kernels[MIX_TENANTS_MAX];
	struct simgpu_snapshot_profile profiles[MIX_TENANTS_MAX];
	struct plan_set set;
	const struct gpu_config *config;
	const struct sweep_run *run;
	const struct session_options *options;
};

static void sum_points(const struct trace *trace, const struct gpu_config *config,
		       u32 sms, struct simgpu_profile_point *out)
{
	u64 cycles = 0, busy = 0;
	u32 kernel;

	for (kernel = 0; kernel < trace->kernel_count; kernel++) {
		const struct trace_point *point =
			&trace_profile(trace, config->name, config->sms,
				       kernel)[sms - 1];

		cycles += point->cycles;
		busy += (u64)point->cycles * point->bandwidth_ppm;
	}
	out->cycles = cycles < U32_MAX ? (u32)cycles : U32_MAX;
	out->bandwidth_ppm = (u32)(busy / cycles);
}

static void add_program(struct program_set *it, const struct trace *trace)
{
	u32 index = it->set.count++, kernel, sms;
	u64 blocks = 0;

	for (kernel = 0; kernel < trace->kernel_count; kernel++)
		blocks += trace->kernels[kernel].blocks;
	it->programs[index] = (struct offline_program) {
		.trace = trace, .kernels = (u32)trace->kernel_count,
	};
	it->kernels[index] = (struct plan_kernel) {
		.blocks = blocks < U32_MAX ? (u32)blocks : U32_MAX,
		.profile = index,
		.memory_bytes = trace->footprint_bytes,
	};
	for (sms = 1; sms <= it->config->sms; sms++)
		sum_points(trace, it->config, sms,
			   &it->profiles[index].point[sms - 1]);
}

static struct program_set *open_set(const struct sweep_run *run,
				    const struct session_options *options)
{
	struct program_set *it = grow(NULL, 1, sizeof(*it));
	u32 slot;

	memset(it, 0, sizeof(*it));
	it->config = &options->config;
	it->run = run;
	it->options = options;
	it->set = (struct plan_set) {
		.kernels = it->kernels, .profiles = it->profiles,
		.sms = options->config.sms,
		.memory_bytes = (u64)options->config.memory_mb << 20,
	};
	for (slot = 0; slot < run->mix->count; slot++)
		add_program(it, run->sweep->suite
				   .workloads[run->mix->workload[slot]].trace);
	return it;
}

/* Whether a policy plans: its first parameters are then those of plans. */
static bool plans(const struct simgpu_policy *policy)
{
	return policy->needs & SIMGPU_NEEDS_PROFILES && policy->params &&
	       !strcmp(policy->params[PLAN_PARAM_PENALTY].name, "penalty");
}

void sweep_sets_estimate(struct sweep_run *run,
			 const struct session_options *options)
{
	struct program_set *it;
	struct plan_work *work;
	struct plan plan;

	run->estimated = 0;
	if (!plans(options->policy))
		return;
	it = open_set(run, options);
	it->set.peak_ppm = options->policy_params[PLAN_PARAM_PEAK];
	it->set.penalty = (u32)options->policy_params[PLAN_PARAM_PENALTY];
	work = grow(NULL, 1, sizeof(*work));
	plan_make(&it->set, work, &plan);
	run->estimated = plan.total;
	free(work);
	free(it);
}

/* --- the optimum ------------------------------------------------------------------------ */

static int measure(void *context, const struct plan_choice *choice, u64 limit,
		   u64 *cycles)
{
	const struct program_set *it = context;
	struct offline_program programs[OPTIMAL_KERNELS_MAX];
	u32 i;

	if (interrupted())
		return -EINTR;
	for (i = 0; i < choice->count; i++) {
		programs[i] = it->programs[choice->kernel[i]];
		programs[i].sms = choice->sms[i];
	}
	return offline_phase(it->config, it->options->seed, programs,
			     choice->count, OFFLINE_BUCKETS, limit, cycles);
}

/* The file of a part of a set. It only depends on its programs, so other sets share it. */
static struct kept *locate_phase(const struct program_set *it, u32 part)
{
	const struct sweep *sweep = it->run->sweep;
	struct kept *kept = grow(NULL, 1, sizeof(*kept));
	char name[MIX_NAME_BYTES] = "";
	u32 slot = 0;

	memset(kept, 0, sizeof(*kept));
	for (; part; part &= part - 1) {
		u32 workload = it->run->mix->workload[__builtin_ctz(part)];

		snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s",
			 slot ? "+" : "", sweep->suite.workloads[workload].name);
		sweep_describe_alone(sweep, it->options, workload, slot++, kept);
		kept_append(kept, " ");
	}
	kept_locate(kept, sweep->folder, "phases", name);
	return kept;
}

static bool recall(void *context, u32 part, struct optimal_phase *out)
{
	const struct program_set *it = context;
	struct kept *kept = locate_phase(it, part);
	FILE *file = kept_open(kept);
	bool good = false;
	u32 i;

	if (file) {
		memset(out, 0, sizeof(*out));
		good = fscanf(file, "cycles=%llu", &out->cycles) == 1;
		for (; good && part; part &= part - 1) {
			i = out->choice.count++;
			out->choice.kernel[i] = (u8)__builtin_ctz(part);
			good = fscanf(file, " %hu", &out->choice.sms[i]) == 1;
		}
		fclose(file);
	}
	free(kept);
	return good;
}

/* Keep the result of a part; if that fails, the part is measured once more. */
static void keep(void *context, u32 part, const struct optimal_phase *phase)
{
	struct kept *kept = locate_phase(context, part);
	FILE *file = kept_create(kept);
	u32 count = (u32)__builtin_popcount(part), i;

	if (file) {
		fprintf(file, "cycles=%llu", phase->cycles);
		for (i = 0; i < count; i++)
			fprintf(file, " %u", phase->choice.sms[i]);
		fputc('\n', file);
		kept_close(file, kept);
	}
	free(kept);
}

int sweep_sets_optimal(struct sweep_run *run,
		       const struct session_options *options)
{
	struct program_set *it = open_set(run, options);
	const struct optimal_search search = {
		.set = &it->set, .context = it, .measure = measure,
		.recall = recall, .keep = keep,
	};
	struct plan_work *work = grow(NULL, 1, sizeof(*work));
	struct optimal found;
	struct plan plan;
	u32 i;
	int ret = optimal_find(&search, &found);

	if (!ret) {
		plan_clear(&it->set, &plan);
		for (i = 0; i < found.phases; i++)
			plan_add_phase(&it->set, &found.phase[i], work, &plan);
		run->cycle = found.cycles;
		run->estimated = plan.total;
	}
	free(work);
	free(it);
	return ret;
}
