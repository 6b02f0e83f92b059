// SPDX-License-Identifier: GPL-2.0
/* Workload arguments and trace files; see workload.h. */
#include <fcntl.h>
#include <unistd.h>

#include "../offline/run.h"
#include "../workloads/benchmarks.h"
#include "../workloads/pressure.h"
#include "../workloads/shipped.h"
#include "allocations.h"
#include "fits.h"
#include "names.h"
#include "workload.h"

/* Slightly more than the format allows, so that the validator can report the size. */
#define FILE_BYTES_MAX	(SIMGPU_TRACE_BYTES_MAX + 4096)

/* Read to the end of the file, or until it is larger than any trace may be. */
static char *read_descriptor(int fd, size_t *count)
{
	size_t room = 1 << 16, used = 0;
	char *bytes = malloc(room), *more;
	ssize_t got = 1;

	while (bytes && (got = read(fd, bytes + used, room - used - 1)) > 0) {
		used += (size_t)got;
		if (used + 1 < room)
			continue;
		more = used < FILE_BYTES_MAX ? realloc(bytes, room * 2) : NULL;
		if (!more) {
			free(bytes);
			errno = EFBIG;
		}
		bytes = more;
		room *= 2;
	}
	if (!bytes)
		return NULL;
	if (got < 0) {
		free(bytes);
		return NULL;
	}
	bytes[used] = '\0';
	*count = used;
	return bytes;
}

void *read_file(const char *path, size_t *count)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	void *bytes;

	if (fd < 0)
		return NULL;
	bytes = read_descriptor(fd, count);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

/* Where the keys begin: the first ':' that "key=" follows; NULL: nowhere. */
static const char *find_options(const char *argument)
{
	const char *colon = argument;

	if (!access(argument, F_OK))
		return NULL;
	while ((colon = strchr(colon, ':'))) {
		size_t length = strspn(colon + 1, "abcdefghijklmnopqrstuvwxyz");

		if (colon != argument && colon[1 + length] == '=')
			return colon;
		colon++;
	}
	return NULL;
}

static bool name_is_good(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return length && length < SIMGPU_NAME_MAX;
}

/* Keys whose value is a part above 0 up to 1, and where it is stored. */
static const struct part_key {
	const char *key;
	size_t place;
	const char *is;
} part_keys[] = {
	{ "target", offsetof(struct workload, target_ppm), "an NP above 0 up to 1" },
	{ "share", offsetof(struct workload, share_ppm),
	  "a part of the SMs above 0 up to 1" },
	{ "size", offsetof(struct workload, size_ppm), "a part above 0 up to 1, or card" },
	{ "goal", offsetof(struct workload, goal_ppm),
	  "a part above 0 up to 1 of the IPC alone" },
};

/* Keys whose value is a size of memory, and where it is stored, in bytes. */
static const struct size_key {
	const char *key;
	size_t place;
} size_keys[] = {
	{ "memory_min", offsetof(struct workload, memory.min) },
	{ "memory_low", offsetof(struct workload, memory.low) },
	{ "memory_max", offsetof(struct workload, memory.max) },
};

static int parse_size(struct workload *workload, const struct size_key *key,
		      const char *value)
{
	u64 *bytes = (u64 *)((char *)workload + key->place), mib;

	if (!parse_mib(value, SESSION_MANAGED_MIB_MAX, &mib))
		return fail_usage("%s is 1 to %u MiB, such as 512, 512M or 1G, not \"%s\"",
				  key->key, SESSION_MANAGED_MIB_MAX, value);
	*bytes = mib << 20;
	return STATUS_OK;
}

static int parse_part(struct workload *workload, const struct part_key *key,
		      const char *value)
{
	u64 *part = (u64 *)((char *)workload + key->place);

	if (!parse_ppm(value, part) || !*part || *part > SIMGPU_PPM)
		return fail_usage("%s is %s, not \"%s\"", key->key, key->is, value);
	return STATUS_OK;
}

static int parse_name(struct workload *workload, const char *value)
{
	if (!name_is_good(value))
		return fail_usage("name is 1 to %d printable characters, not \"%s\"",
				  SIMGPU_NAME_MAX - 1, value);
	strcpy(workload->name, value);
	return STATUS_OK;
}

static int parse_kernel(struct workload *workload, const char *value)
{
	if (!*value || strlen(value) >= sizeof(workload->kernel))
		return fail_usage("kernel is 1 to %d characters, not \"%s\"",
				  SIMGPU_TRACE_NAME_BYTES - 1, value);
	strcpy(workload->kernel, value);
	return STATUS_OK;
}

static int parse_weight(struct workload *workload, const char *value)
{
	u64 weight;

	if (!parse_number(value, 1, 1000, &weight))
		return fail_usage("weight is 1 to 1000, not \"%s\"", value);
	workload->weight = (u32)weight;
	return STATUS_OK;
}

static int parse_ipc(struct workload *workload, const char *value)
{
	if (!parse_ppm(value, &workload->goal_ipc_ppm) || !workload->goal_ipc_ppm)
		return fail_usage("ipc is a number of thread instructions a cycle above 0, not \"%s\"",
				  value);
	return STATUS_OK;
}

static int parse_start(struct workload *workload, const char *value)
{
	if (!parse_number(value, 0, SESSION_AHEAD_CYCLES_MAX,
			  &workload->start_cycle))
		return fail_usage("start is a cycle up to %llu, not \"%s\"",
				  SESSION_AHEAD_CYCLES_MAX, value);
	return STATUS_OK;
}

static int parse_p99(struct workload *workload, const char *value)
{
	if (!parse_number(value, 1, SESSION_P99_MAX, &workload->p99_cycles))
		return fail_usage("p99 is 1 to %llu cycles, not \"%s\"", SESSION_P99_MAX,
				  value);
	return STATUS_OK;
}

static int parse_switch(const char *key, const char *value, bool *out)
{
	u64 number;

	if (!parse_number(value, 0, 1, &number))
		return fail_usage("%s is 0 or 1, not \"%s\"", key, value);
	*out = number;
	return STATUS_OK;
}

/* managed=0 or 1, or names of allocations */
static int parse_managed(struct workload *workload, const char *value)
{
	if (!strcmp(value, "0") || !strcmp(value, "1"))
		return parse_switch("managed", value, &workload->managed);
	if (!*value)
		return fail_usage("managed is 0, 1 or names of allocations, with '+' between them");
	free(workload->parts);
	workload->parts = strdup(value);
	return workload->parts ? STATUS_OK : fail("out of memory");
}

int workload_advice(const char *word, u32 *advice)
{
	static const char *const words[SIMGPU_MEMORY_ADVICES] = {
		[SIMGPU_MEMORY_ON_DEVICE] = "device",
		[SIMGPU_MEMORY_ON_HOST] = "host",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i] && !strcmp(word, words[i])) {
			*advice = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_advice(struct workload *workload, const char *value)
{
	return workload_advice(value, &workload->advice) ?
	       fail_usage("advise is device or host, where its managed memory is to stay, not \"%s\"",
			  value) : STATUS_OK;
}

/* Parse a key for the tenant itself; @known: whether it is one. */
static int parse_own_key(struct workload *workload, const char *key,
			 const char *value, bool *known)
{
	u32 i;

	*known = true;
	if (!strcmp(key, "name"))
		return parse_name(workload, value);
	if (!strcmp(key, "kernel"))
		return parse_kernel(workload, value);
	if (!strcmp(key, "weight"))
		return parse_weight(workload, value);
	if (!strcmp(key, "ipc"))
		return parse_ipc(workload, value);
	if (!strcmp(key, "start"))
		return parse_start(workload, value);
	if (!strcmp(key, "p99"))
		return parse_p99(workload, value);
	if (!strcmp(key, "managed"))
		return parse_managed(workload, value);
	if (!strcmp(key, "prefetch"))
		return parse_switch(key, value, &workload->prefetch);
	if (!strcmp(key, "advise"))
		return parse_advice(workload, value);
	if (!strcmp(key, "size") && !strcmp(value, "card")) {
		workload->size_ppm = WORKLOAD_CARD_SIZE;
		return STATUS_OK;
	}
	for (i = 0; i < ARRAY_SIZE(part_keys); i++)
		if (!strcmp(key, part_keys[i].key))
			return parse_part(workload, &part_keys[i], value);
	for (i = 0; i < ARRAY_SIZE(size_keys); i++)
		if (!strcmp(key, size_keys[i].key))
			return parse_size(workload, &size_keys[i], value);
	*known = false;
	return STATUS_OK;
}

static int parse_option(struct workload *workload, const char *key,
			const char *value)
{
	bool known;
	int ret;

	ret = parse_own_key(workload, key, value, &known);
	if (!known)
		ret = arrivals_key(&workload->arrivals, key, value, &known);
	if (!known)
		ret = queues_key(&workload->queues, key, value, &known);
	if (!known)
		ret = masks_key(&workload->masks, &workload->queues, key, value,
				&known);
	return known ? ret :
	       fail_usage("a workload has no key \"%s\"; keys: weight, target, share, p99, goal, ipc, name, size, kernel, start, managed, prefetch, advise, memory_min, memory_low, memory_max, queues, wait, priority, idempotent, mask, channels, ways, arrivals, load, requests, launches, deadline, hint, batching",
			  key);
}

static int parse_options(struct workload *workload, char *options)
{
	char *option, *rest = options;
	int ret = STATUS_OK;

	while (!ret && (option = strsep(&rest, ","))) {
		char *value = strchr(option, '=');

		if (!value)
			return fail_usage("\"%s\" is not key=value", option);
		*value++ = '\0';
		ret = parse_option(workload, option, value);
	}
	if (!ret && workload->goal_ppm && workload->goal_ipc_ppm)
		return fail_usage("a workload has one goal, goal= or ipc=");
	ret = ret ? ret : arrivals_words_check(&workload->arrivals);
	ret = ret ? ret : queues_check(&workload->queues);
	if (!ret && workload->arrivals.given && workload->queues.count > 1)
		return fail_usage("requests that come by themselves come in one queue");
	if (!ret && workload->arrivals.given && workload->start_cycle)
		return fail_usage("requests that come by themselves say when, not start");
	if (!ret && workload->arrivals.given && workload->queues.idempotent)
		return fail_usage("requests that come by themselves cannot be idempotent");
	return ret;
}

/* The trace's own name if it is a valid one, else the file's. */
static void default_name(struct workload *workload)
{
	const struct simgpu_trace_header *header = workload->bytes;
	const char *slash = strrchr(workload->path, '/');
	const char *base = slash ? slash + 1 : workload->path;
	size_t length = strcspn(base, ".");

	if (workload->count >= sizeof(*header) &&
	    header->magic == SIMGPU_TRACE_MAGIC &&
	    memchr(header->name, 0, sizeof(header->name)) &&
	    name_is_good(header->name)) {
		strcpy(workload->name, header->name);
		return;
	}
	if (length >= sizeof(workload->name))
		length = sizeof(workload->name) - 1;
	memcpy(workload->name, base, length);
	workload->name[length] = '\0';
	if (!name_is_good(workload->name))
		strcpy(workload->name, "tenant");
}

/*
 * The part of its data that a benchmark should have; by default, the part for the
 * GPU. 0: it has one size only.
 */
static __u32 size_of(const struct benchmark *benchmark,
		     const struct gpu_config *config, u64 size_ppm)
{
	bool sized = benchmark && benchmark->card_ppm;

	if (!size_ppm)
		size_ppm = sized && config && shipped_is_card(config->name) ?
			   WORKLOAD_CARD_SIZE : SIMGPU_PPM;
	if (size_ppm != SIMGPU_PPM && !sized)
		return 0;
	return size_ppm == WORKLOAD_CARD_SIZE ? benchmark->card_ppm :
						(__u32)size_ppm;
}

/* A benchmark's trace, or NULL after a message. */
static void *make_benchmark(const struct benchmark *benchmark,
			    const struct gpu_config *config, __u32 size,
			    const char *kernel, size_t *count)
{
	void *bytes = benchmark_trace_for(benchmark, size,
					  config ? config->name : NULL, kernel, count);

	if (!bytes && kernel)
		fail("%s has no kernel \"%s\"; simgpu trace info %s lists them",
		     benchmark->name, kernel, benchmark->name);
	else if (!bytes)
		fail("%s: out of memory", benchmark->name);
	return bytes;
}

void *read_trace(const char *name, const struct gpu_config *config, u64 size_ppm,
		 const char *kernel, size_t *count)
{
	const struct benchmark *benchmark = benchmark_find(name);
	__u32 size = size_of(benchmark, config, size_ppm);
	enum pressure pressure;
	unsigned int level;
	void *bytes;

	if (!size) {
		fail("%s has one size only; those of the suite stm have others",
		     name);
		return NULL;
	}
	if (benchmark)
		return make_benchmark(benchmark, config, size, kernel, count);
	if (kernel) {
		fail("%s is no built-in workload, of which kernel= launches a kernel alone",
		     name);
		return NULL;
	}
	if (pressure_find(name, &pressure, &level)) {
		bytes = pressure_trace(pressure, level, PRESSURE_BYTES, count);
		if (!bytes)
			fail("%s: out of memory", name);
		return bytes;
	}
	bytes = read_file(name, count);
	if (!bytes && errno == ENOENT && !strchr(name, '/'))
		no_workload(name);
	else if (!bytes)
		fail("%s: %s", name, strerror(errno));
	return bytes;
}

static int open_trace(struct workload *workload, const struct gpu_config *config)
{
	workload->bytes = read_trace(workload->path, config, workload->size_ppm,
				     *workload->kernel ? workload->kernel : NULL,
				     &workload->count);
	if (!workload->bytes)
		return STATUS_FAILED;
	workload->size_ppm = size_of(benchmark_find(workload->path), config,
				     workload->size_ppm);
	if (!*workload->name)
		default_name(workload);
	if (workload->parts && allocations_manage(workload->path, workload->bytes,
						  workload->count, workload->parts))
		return STATUS_FAILED;
	workload->paged = workload->managed ||
			  allocations_managed(workload->bytes, workload->count);
	return STATUS_OK;
}

/* Whether there is memory for what is managed of a workload. */
static int check_memory(const struct workload *workload, const struct gpu_config *config)
{
	if (workload->paged && !(config && config->managed_mb))
		return fail_usage("%s needs simgpu run --memory SIZE: the memory whose pages come and go",
				  workload->managed ? "managed=1" : "managed memory");
	if (workload->prefetch && !workload->paged)
		return fail_usage("prefetch=1 needs managed=1: it asks for the pages of managed memory");
	if (workload->advice && !workload->paged)
		return fail_usage("advise needs managed=1: it says where managed memory is to stay");
	if (!limits_are_good(&workload->memory))
		return fail_usage("memory_min is above memory_max");
	return STATUS_OK;
}

int workload_open(const char *path, const struct gpu_config *config,
		  struct workload *out)
{
	memset(out, 0, sizeof(*out));
	out->weight = 1;
	out->path = strdup(path);
	return out->path ? open_trace(out, config) : fail("out of memory");
}

int workload_read(const char *argument, const struct gpu_config *config,
		  struct workload *out)
{
	const char *colon = find_options(argument);
	size_t length = colon ? (size_t)(colon - argument) : strlen(argument);
	char *options;
	int ret = STATUS_OK;

	memset(out, 0, sizeof(*out));
	out->weight = 1;
	out->path = strndup(argument, length);
	options = strdup(colon ? colon + 1 : "");
	if (!out->path || !options)
		ret = fail("out of memory");
	else if (*options)
		ret = parse_options(out, options);
	free(options);
	ret = ret ? ret : open_trace(out, config);
	return ret ? ret : check_memory(out, config);
}

void explain_refusal(const char *path, u64 offset, const char *field,
		     const char *reason)
{
	warn("%s: %s %s (at byte %llu)", path, field, reason, offset);
}

static int decode(struct workload *workload)
{
	struct trace_error error = { 0 };
	int ret;

	if (workload->trace)
		return STATUS_OK;
	ret = offline_load_trace(workload->bytes, workload->count, &error,
				 &workload->trace);
	if (!ret)
		return STATUS_OK;
	if (!*error.field)
		return fail("%s: %s", workload->path, strerror(-ret));
	explain_refusal(workload->path, error.offset, error.field,
			error.reason);
	return STATUS_FAILED;
}

int workload_decode(struct workload *workload, const struct gpu_config *config)
{
	int ret = decode(workload);

	return ret || !config ? ret :
	       trace_check_fits(workload->path, workload->trace, config);
}

void workload_free(struct workload *workload)
{
	free(workload->path);
	free(workload->parts);
	free(workload->bytes);
	arrivals_free(&workload->arrivals);
	if (workload->trace)
		offline_free_trace(workload->trace);
	memset(workload, 0, sizeof(*workload));
}

void workload_options(const struct workload *workload,
		      struct session_tenant_options *out)
{
	memset(out, 0, sizeof(*out));
	strcpy(out->name, workload->name);
	out->service = workload->target_ppm || workload->goal_ppm ||
		       workload->goal_ipc_ppm ? SIMGPU_QOS : SIMGPU_BEST_EFFORT;
	out->weight = workload->weight;
	out->target_ppm = workload->target_ppm;
	out->share_ppm = (u32)workload->share_ppm;
	out->memory = workload->memory;
	out->p99_cycles = workload->p99_cycles;
	if (workload->goal_ipc_ppm) {
		out->goal_kind = SESSION_GOAL_IPC;
		out->goal = workload->goal_ipc_ppm;
	}
}

int write_file(const char *path, const void *bytes, size_t count)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	fwrite(bytes, 1, count, file);
	return close_file(file, path);
}

const char *option_trace_name(struct argp_state *state, const char *text)
{
	if (!*text || strlen(text) >= SIMGPU_TRACE_NAME_BYTES)
		argp_error(state, "--name takes 1 to %d characters",
			   SIMGPU_TRACE_NAME_BYTES - 1);
	return text;
}
