// SPDX-License-Identifier: GPL-2.0
/* Suites of mixes: those of HSM's evaluation, and a user's own from a file. */
#include "../workloads/benchmarks.h"
#include "sweep.h"

/* Four-program mixes; HSM does not say which ones it ran, nor how many. */
#define QUADS	30

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

/* splitmix64: the same choices on every machine. */
static u64 mix_bits(u64 value)
{
	value += 0x9e3779b97f4a7c15ULL;
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

/* The index of a workload, which is read unless it is known; -1 if it is bad. */
static int find_workload(struct suite *suite, const char *argument,
			 struct session_tenant_options *options)
{
	struct workload new;
	u32 i;

	if (workload_read(argument, &new))
		return -1;
	workload_options(&new, options);
	for (i = 0; i < suite->workload_count; i++) {
		if (!strcmp(suite->workloads[i].path, new.path)) {
			workload_free(&new);
			return (int)i;
		}
	}
	if (workload_decode(&new)) {
		workload_free(&new);
		return -1;
	}
	suite->workloads = grow(suite->workloads, suite->workload_count + 1,
				sizeof(new));
	suite->workloads[suite->workload_count] = new;
	return (int)suite->workload_count++;
}

static struct mix *add_mix(struct suite *suite)
{
	struct mix *mix;

	suite->mixes = grow(suite->mixes, suite->mix_count + 1, sizeof(*mix));
	mix = &suite->mixes[suite->mix_count++];
	memset(mix, 0, sizeof(*mix));
	return mix;
}

static int add_tenant(struct suite *suite, struct mix *mix, const char *argument)
{
	struct session_tenant_options options;
	int workload = find_workload(suite, argument, &options);

	if (workload < 0)
		return STATUS_FAILED;
	if (mix->count == MIX_TENANTS_MAX)
		return fail("a mix has %d tenants at most", MIX_TENANTS_MAX);
	if (mix->count)
		strcat(mix->name, "+");
	strcat(mix->name, options.name);
	mix->workload[mix->count] = (u32)workload;
	mix->options[mix->count++] = options;
	return STATUS_OK;
}

static const struct benchmark *benchmark_of(const struct suite *suite,
					    const struct mix *mix, u32 slot)
{
	return benchmark_find(suite->workloads[mix->workload[slot]].path);
}

/* As HSM says, or else Themis. */
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

static enum mix_category categorize(const struct suite *suite,
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

/*
 * One tenant gets the target (HSM 6.3): the first memory-bound one of a mix of
 * both kinds, else one chosen by the seed. A mix with targets of its own keeps
 * them.
 */
static void prioritize(struct suite *suite, u64 seed, u64 target_ppm)
{
	u32 i, slot;

	for (i = 0; i < suite->mix_count; i++) {
		struct mix *mix = &suite->mixes[i];
		u32 chosen = mix_bits(mix_bits(seed) + i) % mix->count;

		for (slot = 0; slot < mix->count; slot++)
			if (mix->options[slot].target_ppm)
				break;
		if (slot < mix->count)
			continue;
		for (slot = 0; mix->category == MIX_HETERO &&
			       slot < mix->count; slot++)
			if (is_memory_bound(benchmark_of(suite, mix, slot))) {
				chosen = slot;
				break;
			}
		mix->options[chosen].service = SIMGPU_QOS;
		mix->options[chosen].target_ppm = target_ppm;
	}
}

/* --- HSM's --- */

/* Table 2's, in its order: the ten memory-bound ones come first. */
#define TABLE2		15
#define TABLE2_MEMORY	10

static int add_named(struct suite *suite, const u32 *indices, u32 count)
{
	struct mix *mix = add_mix(suite);
	u32 i;

	for (i = 0; i < count; i++)
		if (add_tenant(suite, mix, benchmarks[indices[i]].name))
			return STATUS_FAILED;
	mix->category = categorize(suite, mix);
	return STATUS_OK;
}

static int add_pairs(struct suite *suite, bool memory, bool compute, bool hetero)
{
	u32 pair[2];

	for (pair[0] = 0; pair[0] < TABLE2; pair[0]++) {
		for (pair[1] = pair[0] + 1; pair[1] < TABLE2; pair[1]++) {
			bool first = pair[0] < TABLE2_MEMORY;
			bool second = pair[1] < TABLE2_MEMORY;

			if (first != second ? !hetero :
			    first ? !memory : !compute)
				continue;
			if (add_named(suite, pair, 2))
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

static bool has(const u32 *indices, u32 count, u32 index)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (indices[i] == index)
			return true;
	return false;
}

/*
 * Four different programs each: by turns four memory-bound ones, three and one
 * compute-bound, two and two. Drawn with a fixed seed: the suite is one and the
 * same in every sweep.
 */
static int add_quads(struct suite *suite)
{
	u64 state = 4;
	u32 i, k;

	for (i = 0; i < QUADS; i++) {
		u32 memory = 4 - i % 3, quad[4];

		for (k = 0; k < 4; k++) {
			do {
				state = mix_bits(state);
				quad[k] = k < memory ? state % TABLE2_MEMORY :
					  TABLE2_MEMORY +
					  state % (TABLE2 - TABLE2_MEMORY);
			} while (has(quad, k, quad[k]));
		}
		if (add_named(suite, quad, 4))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* --- a user's --- */

/* A mix a line: workloads, separated by blanks; # begins a comment. */
static int add_line(struct suite *suite, char *line)
{
	char *rest = line, *word;
	struct mix *mix = NULL;

	line[strcspn(line, "#\n")] = '\0';
	while ((word = strsep(&rest, " \t\r"))) {
		if (!*word)
			continue;
		if (!mix)
			mix = add_mix(suite);
		if (add_tenant(suite, mix, word))
			return STATUS_FAILED;
	}
	if (mix)
		mix->category = categorize(suite, mix);
	return STATUS_OK;
}

static int add_file(struct suite *suite, const char *path)
{
	size_t count;
	char *text = read_file(path, &count), *rest = text, *line;
	u32 number = 0;
	int ret = STATUS_OK;

	if (!text && errno == ENOENT && !strchr(path, '/'))
		return fail("there is no suite and no file \"%s\"; suites: hsm-pairs, hsm-memory, hsm-compute, hsm-hetero, hsm-quads",
			    path);
	if (!text)
		return fail("%s: %s", path, strerror(errno));
	while (!ret && (line = strsep(&rest, "\n"))) {
		number++;
		ret = add_line(suite, line);
		if (ret)
			ret = fail("%s, line %u", path, number);
	}
	free(text);
	if (!ret && !suite->mix_count)
		ret = fail("%s has no mix", path);
	return ret;
}

int suite_load(const char *name, u64 seed, u64 target_ppm, struct suite *out)
{
	int ret;

	memset(out, 0, sizeof(*out));
	if (!strcmp(name, "hsm-pairs"))
		ret = add_pairs(out, true, true, true);
	else if (!strcmp(name, "hsm-memory"))
		ret = add_pairs(out, true, false, false);
	else if (!strcmp(name, "hsm-compute"))
		ret = add_pairs(out, false, true, false);
	else if (!strcmp(name, "hsm-hetero"))
		ret = add_pairs(out, false, false, true);
	else if (!strcmp(name, "hsm-quads"))
		ret = add_quads(out);
	else
		ret = add_file(out, name);
	if (!ret && target_ppm)
		prioritize(out, seed, target_ppm);
	return ret;
}

void suite_free(struct suite *suite)
{
	u32 i;

	for (i = 0; i < suite->workload_count; i++)
		workload_free(&suite->workloads[i]);
	free(suite->workloads);
	free(suite->mixes);
	memset(suite, 0, sizeof(*suite));
}
