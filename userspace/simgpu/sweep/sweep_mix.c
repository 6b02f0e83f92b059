// SPDX-License-Identifier: GPL-2.0
/* Mixes, made of the workload arguments of command lines; see sweep_mix.h. */
#include "../../workloads/benchmarks.h"
#include "../output.h"
#include "../statistics.h"
#include "sweep_mix.h"

const char *mix_category_name(enum mix_category category)
{
	static const char *const names[] = {
		[MIX_MEMORY] = "memory",
		[MIX_COMPUTE] = "compute",
		[MIX_HETERO] = "hetero",
		[MIX_OTHER] = "other",
	};

	return names[category];
}

static bool has_same_parts(const struct workload *a, const struct workload *b)
{
	return !strcmp(a->parts ? a->parts : "", b->parts ? b->parts : "");
}

/* Whether two workloads are the same for private runs. */
static bool is_same(const struct workload *a, const struct workload *b)
{
	return !strcmp(a->path, b->path) && a->size_ppm == b->size_ppm &&
	       a->managed == b->managed && has_same_parts(a, b) &&
	       !memcmp(&a->queues, &b->queues, sizeof(a->queues));
}

/* Move arrivals from a workload to the tenant of a mix; a list goes to the suite. */
static void take_arrivals(struct suite *suite, struct workload *from,
			  struct arrivals_words *out)
{
	*out = from->arrivals;
	memset(&from->arrivals, 0, sizeof(from->arrivals));
	if (!out->list)
		return;
	suite->lists = grow(suite->lists, suite->list_count + 1,
			    sizeof(*suite->lists));
	suite->lists[suite->list_count++] = out->list;
}

/*
 * The index of a workload, which is read unless it is known; -1 on failure. Settings of
 * the tenant go to the mix, in @slot.
 */
static int find_workload(struct suite *suite, const char *argument,
			 struct mix *mix, u32 slot)
{
	struct workload new;
	u32 i;

	if (workload_read(argument, suite->config, &new)) {
		workload_free(&new);
		return -1;
	}
	if (new.prefetch || new.advice) {
		fail_usage("%s is for simgpu run --offline (%s)",
			   new.prefetch ? "prefetch=1" : "advise", argument);
		workload_free(&new);
		return -1;
	}
	workload_options(&new, &mix->options[slot]);
	mix->masks[slot] = new.masks;
	mix->start_cycle[slot] = new.start_cycle;
	take_arrivals(suite, &new, &mix->arrivals[slot]);
	for (i = 0; i < suite->workload_count; i++) {
		if (is_same(&suite->workloads[i], &new)) {
			workload_free(&new);
			return (int)i;
		}
	}
	if (workload_decode(&new, suite->config)) {
		workload_free(&new);
		return -1;
	}
	suite->workloads = grow(suite->workloads, suite->workload_count + 1,
				sizeof(new));
	suite->workloads[suite->workload_count] = new;
	return (int)suite->workload_count++;
}

struct mix *mix_add(struct suite *suite)
{
	struct mix *mix;

	suite->mixes = grow(suite->mixes, suite->mix_count + 1, sizeof(*mix));
	mix = &suite->mixes[suite->mix_count++];
	memset(mix, 0, sizeof(*mix));
	return mix;
}

int mix_add_tenant(struct suite *suite, struct mix *mix, const char *argument)
{
	char name[SIMGPU_NAME_MAX];
	u32 slot = mix->count;
	size_t length;
	int workload;

	if (slot == MIX_TENANTS_MAX)
		return fail("a mix has %d tenants at most", MIX_TENANTS_MAX);
	workload = find_workload(suite, argument, mix, slot);
	if (workload < 0 ||
	    arrivals_check_batching(&mix->arrivals[slot], suite->workloads[workload].path,
				    suite->workloads[workload].trace))
		return STATUS_FAILED;
	memcpy(name, mix->options[slot].name, sizeof(name));
	length = strlen(mix->name);
	snprintf(mix->name + length, sizeof(mix->name) - length, "%s%s",
		 slot ? "+" : "", name);
	mix->workload[slot] = (u32)workload;
	mix->count++;
	return STATUS_OK;
}

static const struct benchmark *benchmark_of(const struct suite *suite,
					    const struct mix *mix, u32 slot)
{
	return benchmark_find(suite->workloads[mix->workload[slot]].path);
}

/* By HSM's class; if it has none, by Themis'. */
static bool is_memory_bound(const struct benchmark *benchmark)
{
	if (benchmark->hsm != CLASS_UNSAID)
		return benchmark->hsm == CLASS_MEMORY;
	return benchmark->themis == CLASS_MEMORY;
}

static bool has_class(const struct benchmark *benchmark)
{
	return benchmark->hsm != CLASS_UNSAID ||
	       benchmark->themis == CLASS_MEMORY ||
	       benchmark->themis == CLASS_COMPUTE;
}

enum mix_category mix_categorize(const struct suite *suite,
				 const struct mix *mix)
{
	u32 memory = 0, slot;

	for (slot = 0; slot < mix->count; slot++) {
		const struct benchmark *benchmark =
			benchmark_of(suite, mix, slot);

		if (!benchmark || !has_class(benchmark))
			return MIX_OTHER;
		memory += is_memory_bound(benchmark);
	}
	if (memory == mix->count)
		return MIX_MEMORY;
	return memory ? MIX_HETERO : MIX_COMPUTE;
}

void mix_find_priority(const struct suite *suite, u64 seed, u32 index)
{
	struct mix *mix = &suite->mixes[index];
	u32 slot;

	mix->priority = statistics_bits(statistics_bits(seed) + index) %
			mix->count;
	for (slot = 0; mix->category == MIX_HETERO && slot < mix->count; slot++)
		if (is_memory_bound(benchmark_of(suite, mix, slot))) {
			mix->priority = slot;
			break;
		}
}

static u32 find_source(struct suite *suite, const char *source)
{
	u32 i;

	for (i = 0; i < suite->source_count; i++)
		if (!strcmp(suite->sources[i], source))
			return i;
	suite->sources = grow(suite->sources, suite->source_count + 1,
			      sizeof(*suite->sources));
	snprintf(suite->sources[suite->source_count], SOURCE_BYTES, "%s",
		 source);
	return suite->source_count++;
}

int suite_add_mix(struct suite *suite, const char *const *arguments, u32 count,
		  const char *source)
{
	struct mix *mix = mix_add(suite);
	u32 i;

	for (i = 0; i < count; i++)
		if (mix_add_tenant(suite, mix, arguments[i]))
			return STATUS_FAILED;
	mix->category = mix_categorize(suite, mix);
	mix->source = find_source(suite, source);
	return STATUS_OK;
}
