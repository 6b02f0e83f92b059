// SPDX-License-Identifier: GPL-2.0
/* Loading policies that are BPF programs; see bpf_object.h. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <simgpu/policy_ops.h>

#include "bpf_object.h"
#include "../command.h"
#include "policy_maps.h"
#include "verifier_hint.h"

#define LOG_BYTES	(1 << 20)
/* How much is shown of a source line */
#define SOURCE_BYTES	512

/**
 * struct loading - an object that is being loaded into the kernel
 * @path: path of its file
 * @object: libbpf's object
 * @policy: its map of type simgpu_policy_ops
 * @ops: the initial contents of that map
 * @pin: the file that keeps the policy loaded
 * @log: log of the verifier
 */
struct loading {
	const char *path;
	struct bpf_object *object;
	struct bpf_map *policy;
	const struct simgpu_policy_ops *ops;
	char pin[PATH_MAX];
	char *log;
};

/* libbpf prints many messages; the command prints its own instead. */
static int print_nothing(enum libbpf_print_level level, const char *format,
			 va_list arguments)
{
	return 0;
}

/* libbpf has errors of its own beside errno's, such as for a file of another format. */
static const char *error_text(int error)
{
	static char text[128];

	libbpf_strerror(error, text, sizeof(text));
	return text;
}

/*
 * The verifier writes source lines as "; CODE @ FILE:LINE" (since 6.8), or "; CODE", before
 * the instructions that it looks at. Return: the last one without the "; ", which ends
 * where the log now does; NULL: there is none.
 */
static const char *last_source_line(char *log)
{
	char *line = NULL, *next = log;

	while ((next = strstr(next, "\n; ")))
		line = next++;
	if (!line)
		return NULL;
	line += strlen("\n; ");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* @source: as last_source_line() found it; where no line is known @text becomes empty. */
static void where_text(const char *source, char *text, size_t bytes)
{
	const char *place = source ? strstr(source, " @ ") : NULL;

	if (place)
		snprintf(text, bytes, " (it was at %s: %.*s)", place + strlen(" @ "),
			 (int)(place - source), source);
	else
		snprintf(text, bytes, "%s%s%s", source ? " (it was at " : "",
			 source ? source : "", source ? ")" : "");
}

/* The reason is the last line of the verifier's log before its statistics. */
static int fail_verifier(const struct loading *loading, int error)
{
	char *end = strstr(loading->log, "\nprocessed "), *line;
	const char *source, *hint;
	char where[SOURCE_BYTES];

	if (end)
		*end = '\0';
	end = loading->log + strlen(loading->log);
	while (end > loading->log && end[-1] == '\n')
		*--end = '\0';
	line = strrchr(loading->log, '\n');
	if (line)
		*line++ = '\0';
	else
		line = loading->log;
	if (error == -EPERM && !*line)
		return fail("%s: to load it takes root, or CAP_BPF and CAP_PERFMON",
			    loading->path);
	if (error == -ESRCH || !*line)
		return fail("%s: it is not loaded: %s (is simgpu.ko loaded, with BPF policies?)",
			    loading->path, error_text(-error));
	hint = verifier_hint(line);
	source = line == loading->log ? NULL : last_source_line(loading->log);
	where_text(source, where, sizeof(where));
	return fail("%s: the verifier refuses it: %s%s%s%s", loading->path, line, where,
		    hint ? ". Hint: " : "", hint ? hint : "");
}

static int fail_attach(const struct loading *loading, int error)
{
	switch (error) {
	case -EEXIST:
		return fail("%s: there is a policy \"%s\" already", loading->path,
			    loading->ops->name);
	case -EPROTO:
		return fail("%s: it was built for another version of simgpu.ko; build it again",
			    loading->path);
	case -EPERM:
		return fail("%s: who loads it may not", loading->path);
	case -EINVAL:
		return fail("%s: its decide(), place(), rank(), name, events, needs, state, parameters or gauges are not as they must be",
			    loading->path);
	default:
		return fail("%s: %s", loading->path, error_text(-error));
	}
}

/* --- what the file says of itself --- */

static int find_policy(struct loading *loading)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, loading->object)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS &&
		    !loading->policy)
			loading->policy = map;
	if (!loading->policy)
		return fail("%s: it has no SIMGPU_POLICY() or SIMGPU_MEMORY_POLICY()", loading->path);
	return STATUS_OK;
}

static int check_policy(struct loading *loading)
{
	size_t bytes = 0;

	loading->ops = bpf_map__initial_value(loading->policy, &bytes);
	if (!loading->ops || bytes != sizeof(*loading->ops))
		return fail("%s: its policy has another layout; build it again",
			    loading->path);
	if (loading->ops->snapshot_version != SIMGPU_SNAPSHOT_VERSION)
		return fail("%s: it was built with version %u of the snapshot, this is %u; build it again",
			    loading->path, loading->ops->snapshot_version,
			    SIMGPU_SNAPSHOT_VERSION);
	if (!*loading->ops->name ||
	    !memchr(loading->ops->name, '\0', SIMGPU_NAME_BYTES) ||
	    strpbrk(loading->ops->name, "/. \t\n"))
		return fail("%s: its policy has no name that a file can have",
			    loading->path);
	return STATUS_OK;
}

static int open_object(struct loading *loading)
{
	struct bpf_program *program;

	loading->object = bpf_object__open_file(loading->path, NULL);
	if (!loading->object)
		return fail("%s: it cannot be read as a BPF program: %s",
			    loading->path, error_text(errno));
	if (find_policy(loading) || check_policy(loading))
		return STATUS_FAILED;
	if (!bpf_object__next_program(loading->object, NULL))
		return fail("%s: it has no decide()", loading->path);
	loading->log = calloc(1, LOG_BYTES);
	bpf_object__for_each_program(program, loading->object)
		if (loading->log)
			bpf_program__set_log_buf(program, loading->log,
						 LOG_BYTES);
	return loading->log ? STATUS_OK : fail("there is no memory");
}

/* --- into the kernel --- */

/* Attach the policy; the kernel keeps it as long as the file exists. */
static int attach(struct loading *loading)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(loading->policy);
	int ret;

	if (!link)
		return fail_attach(loading, -errno);
	ret = bpf_link__pin(link, loading->pin);
	bpf_link__destroy(link);
	return ret ? fail("%s: %s", loading->pin, error_text(-ret)) : STATUS_OK;
}

/*
 * libbpf fills a map only when it attaches it. That fails here, because a policy of
 * the same name exists; afterwards the link of that policy takes the map.
 */
static int update(struct loading *loading, int link_fd)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(loading->policy);

	if (link) {
		bpf_link__destroy(link);
		return fail("%s: the one that it should replace has just gone",
			    loading->path);
	}
	if (errno != EEXIST)
		return fail_attach(loading, -errno);
	if (bpf_link_update(link_fd, bpf_map__fd(loading->policy), NULL))
		return fail_attach(loading, -errno);
	return STATUS_OK;
}

static int attach_or_update(struct loading *loading, bool replace)
{
	int link_fd = bpf_obj_get(loading->pin), ret;

	if (link_fd < 0)
		return attach(loading);
	ret = replace ? update(loading, link_fd) :
		fail("%s: the policy \"%s\" is loaded already; --replace puts this one in its place",
		     loading->path, loading->ops->name);
	close(link_fd);
	return ret;
}

/* Whether other programs should find a map; they need no constants, which never change. */
static bool is_own_map(const struct bpf_map *map)
{
	return bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS &&
	       !(bpf_map__map_flags(map) & BPF_F_RDONLY_PROG);
}

/* Pin the maps of a policy that is in the kernel now. */
static int pin_maps(const struct loading *loading)
{
	const char *policy = loading->ops->name;
	char path[PATH_MAX * 2];
	struct bpf_map *map;
	int ret;

	policy_maps_remove(policy);
	bpf_object__for_each_map(map, loading->object) {
		if (!is_own_map(map))
			continue;
		policy_maps_path(policy, bpf_map__name(map), path, sizeof(path));
		ret = policy_maps_folder(policy) ?: bpf_map__pin(map, path);
		if (ret)
			return fail("%s: the policy is loaded, but its map is not to be found at %s: %s",
				    loading->path, path, error_text(-ret));
	}
	return STATUS_OK;
}

static int load(struct loading *loading, const char *folder, bool replace)
{
	int ret = open_object(loading);

	if (ret)
		return ret;
	snprintf(loading->pin, sizeof(loading->pin), "%s/%s", folder,
		 loading->ops->name);
	ret = bpf_object__load(loading->object);
	if (ret)
		return fail_verifier(loading, ret);
	return attach_or_update(loading, replace) ?: pin_maps(loading);
}

int bpf_object_load(const char *path, const char *folder, bool replace)
{
	struct loading loading = { .path = path };
	int ret;

	libbpf_set_print(print_nothing);
	ret = load(&loading, folder, replace);
	bpf_object__close(loading.object);
	free(loading.log);
	return ret;
}

/* Without detaching it, the kernel would unload it only some time after the file is gone. */
int bpf_object_unload(const char *pin)
{
	int link_fd = bpf_obj_get(pin), ret;

	libbpf_set_print(print_nothing);
	if (link_fd < 0)
		return fail("%s: %s", pin, error_text(errno));
	ret = bpf_link_detach(link_fd);
	close(link_fd);
	if ((ret && errno != ENOLINK) || unlink(pin))
		return fail("%s: %s", pin, error_text(errno));
	return STATUS_OK;
}

bool bpf_object_map_about(const char *pin, struct bpf_object_map *about)
{
	struct bpf_map_info info = { .type = 0 };
	__u32 bytes = sizeof(info);
	int map = bpf_obj_get(pin), ret;

	if (map < 0)
		return false;
	ret = bpf_map_get_info_by_fd(map, &info, &bytes);
	close(map);
	about->entries = info.max_entries;
	about->key_bytes = info.key_size;
	about->value_bytes = info.value_size;
	return !ret;
}
