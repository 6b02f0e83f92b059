// SPDX-License-Identifier: GPL-2.0
/* Reading a saved run; see recorded.h. */
#include <math.h>

#include "output.h"
#include "queue_rows.h"
#include "recorded.h"
#include "report_fields.h"

/* Most bytes that are read: hundreds of thousands of epochs. */
#define FILE_BYTES_MAX	(256 << 20)
/* Of the first versions; later ones have more behind these, up to so many. */
#define CSV_FIELDS	13
#define CSV_FIELDS_MAX	(18 + SIMGPU_GAUGES_MAX)
/* What the heading of a gauge's column begins with. */
#define CSV_GAUGE	"gauge_"
#define CSV_REFUSED	13
#define CSV_DOUBTS	14

/* --- the text --- */

static int read_all(FILE *file, const char *path, char **text)
{
	size_t room = 1 << 16, count = 0, got;
	char *bytes = grow(NULL, room, 1);

	while ((got = fread(bytes + count, 1, room - count - 1, file))) {
		count += got;
		if (count > FILE_BYTES_MAX) {
			free(bytes);
			return fail("%s: longer than %d MiB", path,
				    FILE_BYTES_MAX >> 20);
		}
		if (count == room - 1)
			bytes = grow(bytes, room *= 2, 1);
	}
	bytes[count] = '\0';
	*text = bytes;
	if (ferror(file) || strlen(bytes) != count) {
		free(bytes);
		return fail("%s: %s", path, ferror(file) ? strerror(errno) :
			    "it is no text");
	}
	return STATUS_OK;
}

static int read_text(const char *path, char **text)
{
	FILE *file = stdin;
	int ret;

	if (strcmp(path, "-"))
		file = fopen(path, "r");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	ret = read_all(file, path, text);
	if (file != stdin)
		fclose(file);
	return ret;
}

/* --- what both forms fill in --- */

static struct recorded_tenant *add_tenant(struct recorded *run,
					  const char *name)
{
	struct recorded_tenant *tenant;

	run->tenants = grow(run->tenants, run->tenant_count + 1,
			    sizeof(*tenant));
	tenant = &run->tenants[run->tenant_count++];
	memset(tenant, 0, sizeof(*tenant));
	snprintf(tenant->name, sizeof(tenant->name), "%s", name);
	return tenant;
}

static void add_epoch(struct recorded_tenant *tenant,
		      const struct recorded_epoch *epoch)
{
	tenant->epochs = grow(tenant->epochs, tenant->count + 1,
			      sizeof(*epoch));
	tenant->epochs[tenant->count++] = *epoch;
}

/* The place of a gauge, which is made if the run has none of that name; -1: no room. */
static int gauge_at(struct recorded *run, const char *name)
{
	u32 i;

	for (i = 0; i < run->gauge_count; i++)
		if (!strcmp(run->gauges[i], name))
			return (int)i;
	if (i == SIMGPU_GAUGES_MAX)
		return -1;
	snprintf(run->gauges[i], sizeof(run->gauges[i]), "%s", name);
	run->gauge_count++;
	return (int)i;
}

static void no_gauges(struct recorded_epoch *epoch)
{
	u32 i;

	for (i = 0; i < SIMGPU_GAUGES_MAX; i++)
		epoch->gauges[i] = NAN;
}

static u32 class_of(const char *name)
{
	if (!strcmp(name, "memory"))
		return SIMGPU_CLASSIFIED_MEMORY;
	if (!strcmp(name, "compute"))
		return SIMGPU_CLASSIFIED_COMPUTE;
	return SIMGPU_CLASSIFIED_UNKNOWN;
}

/* --- JSON --- */

static struct json_object *member(struct json_object *object, const char *key,
				  enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, type))
		return NULL;
	return value;
}

static double number(struct json_object *object, const char *key)
{
	return json_object_get_double(json_object_object_get(object, key));
}

/* Parse an epoch; false if it lacks a figure that has to be there. */
static bool parse_epoch(struct json_object *from, struct recorded_epoch *epoch)
{
	struct json_object *class = member(from, "class", json_type_string);
	struct json_object *np, *doubts;

	if (!member(from, "cycle", json_type_int) ||
	    !member(from, "sms", json_type_int) || !class)
		return false;
	np = json_object_object_get(from, "np");
	doubts = member(from, "np_doubts", json_type_string);
	*epoch = (struct recorded_epoch) {
		.end = json_object_get_uint64(json_object_object_get(from, "cycle")),
		.sms = (u32)json_object_get_int(json_object_object_get(from, "sms")),
		.class = class_of(json_object_get_string(class)),
		.np_known = np,
		.np = json_object_get_double(np),
		.np_doubted = doubts && strcmp(json_object_get_string(doubts), "none"),
		.ipc = number(from, "ipc"),
		.rbh = number(from, "rbh"),
		.bandwidth = number(from, "bandwidth"),
		.goal_ipc = number(from, "goal_ipc"),
		.quota = number(from, "quota"),
		.blocks = number(from, "blocks"),
	};
	return true;
}

static void parse_gauges(struct recorded *run, struct json_object *from,
			 struct recorded_epoch *epoch)
{
	struct json_object *gauges = member(from, "gauges", json_type_object);

	no_gauges(epoch);
	if (!gauges)
		return;
	json_object_object_foreach(gauges, name, value) {
		int at = gauge_at(run, name);

		if (at >= 0)
			epoch->gauges[at] = json_object_get_double(value);
	}
}

static void parse_list(struct json_object *from, const char *key, char *list)
{
	struct json_object *value = member(from, key, json_type_string);

	snprintf(list, ROW_SM_LIST_BYTES, "%s",
		 value ? json_object_get_string(value) : "");
}

/* Parse a report; runs of earlier versions do not have all figures. */
static void parse_report(struct json_object *from,
			 struct recorded_tenant *tenant)
{
	struct simgpu_tenant_report *report = &tenant->report;
	const struct figure *figure;
	struct json_object *value;

	each_figure(figure) {
		value = json_object_object_get(from, figure->name);
		if (value && !report_field_is_list(figure))
			report_field_set(report, figure,
					 json_object_get_double(value));
	}
	report->queue_count = queues_from_json(
		json_object_object_get(from, "queues"), report->queue);
	parse_list(from, "sm_list", tenant->sm_list);
	parse_list(from, "shared_sm_list", tenant->shared_sm_list);
}

static int parse_tenant(struct recorded *run, const char *path,
			struct json_object *from)
{
	struct json_object *name = member(from, "name", json_type_string);
	struct json_object *epochs = member(from, "epochs", json_type_array);
	struct recorded_tenant *tenant;
	struct recorded_epoch epoch;
	size_t i;

	if (!name || !epochs)
		return fail("%s: tenants[%zu] has no \"name\" or no \"epochs\"",
			    path, run->tenant_count);
	tenant = add_tenant(run, json_object_get_string(name));
	parse_report(from, tenant);
	for (i = 0; i < json_object_array_length(epochs); i++) {
		if (!parse_epoch(json_object_array_get_idx(epochs, i), &epoch))
			return fail("%s: tenants[%zu].epochs[%zu] has no \"cycle\", \"sms\" or \"class\"",
				    path, run->tenant_count - 1, i);
		parse_gauges(run, json_object_array_get_idx(epochs, i), &epoch);
		add_epoch(tenant, &epoch);
	}
	return STATUS_OK;
}

static void copy_name(char *to, struct json_object *object, const char *key)
{
	struct json_object *name = member(object, key, json_type_string);

	snprintf(to, SIMGPU_NAME_MAX, "%s",
		 name ? json_object_get_string(name) : "");
}

static int parse_run(struct recorded *run, const char *path,
		     struct json_object *object)
{
	struct json_object *tenants = member(object, "tenants",
					     json_type_array);
	int ret = STATUS_OK;
	size_t i;

	if (!tenants)
		return fail("%s: there are no \"tenants\"; is it of simgpu run --json?",
			    path);
	copy_name(run->config, object, "config");
	copy_name(run->policy, object, "policy");
	copy_name(run->model, object, "model");
	run->refused = json_object_get_boolean(json_object_object_get(object,
								      "refused"));
	run->energy_joules = number(object, "energy_joules");
	/* Runs of earlier versions only have the old name. */
	run->instructions_per_joule =
		number(object, json_object_object_get(object, "instructions_per_joule") ?
		       "instructions_per_joule" : "instructions_per_watt");
	for (i = 0; !ret && i < json_object_array_length(tenants); i++)
		ret = parse_tenant(run, path,
				   json_object_array_get_idx(tenants, i));
	return ret;
}

static int parse_json(struct recorded *run, const char *path, const char *text,
		      struct json_object **sweep)
{
	enum json_tokener_error error;
	struct json_object *object = json_tokener_parse_verbose(text, &error);
	int ret;

	if (!object)
		return fail("%s: this is no JSON: %s", path,
			    json_tokener_error_desc(error));
	if (sweep && json_object_object_get(object, "policies")) {
		*sweep = object;
		return STATUS_OK;
	}
	ret = parse_run(run, path, object);
	json_object_put(object);
	return ret;
}

/* --- CSV, as print_result_csv() writes it --- */

/* Splits a line into its fields; a quoted one may hold commas and "" for ". */
static u32 split(char *line, char **fields)
{
	u32 count = 0;

	while (count < CSV_FIELDS_MAX) {
		char *to = line, *from = line;
		bool quoted = *from == '"', last;

		fields[count++] = line;
		for (from += quoted; *from; from++) {
			if (quoted && *from == '"' && *++from != '"')
				quoted = false;
			if (!*from || (!quoted && *from == ','))
				break;
			*to++ = *from;
		}
		last = !*from;
		*to = '\0';
		if (last)
			return count;
		line = from + 1;
	}
	return CSV_FIELDS_MAX + 1;
}

/* Tenants are numbered in the order of their first epochs. */
static struct recorded_tenant *find_tenant(struct recorded *run,
					   const char *index, const char *name)
{
	u64 i;

	if (!parse_number(index, 0, SIMGPU_TENANTS_MAX * 1024ULL, &i) ||
	    i > run->tenant_count)
		return NULL;
	return i < run->tenant_count ? &run->tenants[i] : add_tenant(run, name);
}

/* Finds the columns of gauges, which are the last: the place of each, or -1. */
static void parse_headings(struct recorded *run, char **field, u32 count, int *gauge)
{
	const size_t length = strlen(CSV_GAUGE);
	u32 i;

	for (i = 0; i < count && i < CSV_FIELDS_MAX; i++)
		gauge[i] = strncmp(field[i], CSV_GAUGE, length) ? -1 :
			   gauge_at(run, field[i] + length);
}

static bool parse_row(struct recorded *run, char **field, u32 count, const int *gauge)
{
	struct recorded_tenant *tenant = find_tenant(run, field[0], field[1]);
	struct recorded_epoch epoch = { .end = 0 };
	u64 sms;
	u32 i;

	no_gauges(&epoch);
	if (!tenant || !parse_number(field[2], 1, U64_MAX, &epoch.end) ||
	    !parse_number(field[3], 0, SIMGPU_SMS_MAX, &sms))
		return false;
	epoch.sms = (u32)sms;
	epoch.class = class_of(field[5]);
	epoch.np_known = *field[6];
	epoch.np = strtod(field[6], NULL);
	epoch.ipc = strtod(field[7], NULL);
	epoch.rbh = strtod(field[8], NULL);
	epoch.bandwidth = strtod(field[9], NULL);
	epoch.np_doubted = count > CSV_DOUBTS && epoch.np_known &&
			   strcmp(field[CSV_DOUBTS], "none");
	for (i = 0; i < count; i++)
		if (gauge[i] >= 0 && *field[i])
			epoch.gauges[gauge[i]] = strtod(field[i], NULL);
	add_epoch(tenant, &epoch);
	if (count > CSV_REFUSED)
		run->refused |= !strcmp(field[CSV_REFUSED], "1");
	return true;
}

static int parse_csv(struct recorded *run, const char *path, char *text)
{
	char *fields[CSV_FIELDS_MAX], *line, *rest = text;
	int gauge[CSV_FIELDS_MAX];
	unsigned int number = 0;
	u32 columns = 0, count;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (number == 1 && strncmp(line, "tenant,name,cycle,", 18))
			return fail("%s: this is neither JSON nor CSV of simgpu run",
				    path);
		if (!*line)
			continue;
		count = split(line, fields);
		if (number == 1) {
			columns = count;
			parse_headings(run, fields, count, gauge);
			continue;
		}
		if (count != columns || count < CSV_FIELDS ||
		    count > CSV_FIELDS_MAX || !parse_row(run, fields, count, gauge))
			return fail("%s: line %u is no row of simgpu run --csv",
				    path, number);
	}
	return STATUS_OK;
}

/* --- starts --- */

static int ascending(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

static void collect_ends(struct recorded *run)
{
	size_t i, j, count = 0, kept = 0;

	for (i = 0; i < run->tenant_count; i++)
		count += run->tenants[i].count;
	run->ends = grow(NULL, count + 1, sizeof(*run->ends));
	count = 0;
	for (i = 0; i < run->tenant_count; i++)
		for (j = 0; j < run->tenants[i].count; j++)
			run->ends[count++] = run->tenants[i].epochs[j].end;
	qsort(run->ends, count, sizeof(*run->ends), ascending);
	for (i = 0; i < count; i++)
		if (!i || run->ends[i] != run->ends[kept - 1])
			run->ends[kept++] = run->ends[i];
	run->end_count = kept;
}

static int ascending_ends(const void *a, const void *b)
{
	const struct recorded_epoch *left = a, *right = b;

	return ascending(&left->end, &right->end);
}

/* Epochs are the device's: each begins at the end of the one before it. */
static void find_starts(struct recorded *run)
{
	size_t i, j;

	for (i = 0; i < run->tenant_count; i++) {
		if (run->tenants[i].count)
			qsort(run->tenants[i].epochs, run->tenants[i].count,
			      sizeof(*run->tenants[i].epochs), ascending_ends);
		for (j = 0; j < run->tenants[i].count; j++) {
			struct recorded_epoch *epoch =
				&run->tenants[i].epochs[j];
			u64 *end = bsearch(&epoch->end, run->ends,
					   run->end_count, sizeof(*end),
					   ascending);

			epoch->start = end == run->ends ? 0 : end[-1];
		}
	}
}

int recorded_read(const char *path, struct recorded *run, struct json_object **sweep)
{
	char *text = NULL;
	int ret;

	memset(run, 0, sizeof(*run));
	if (sweep)
		*sweep = NULL;
	if (read_text(path, &text))
		return STATUS_FAILED;
	if (!strcmp(path, "-"))
		path = "standard input";
	ret = text[strspn(text, " \t\r\n")] == '{' ?
	      parse_json(run, path, text, sweep) : parse_csv(run, path, text);
	free(text);
	if (ret || (sweep && *sweep))
		return ret;
	collect_ends(run);
	find_starts(run);
	if (!run->end_count)
		return fail("%s: no epoch has ended in this run", path);
	return STATUS_OK;
}

const char *recorded_mark(const struct recorded *run)
{
	return run->refused ? " (refused)" : "";
}

void recorded_free(struct recorded *run)
{
	size_t i;

	for (i = 0; i < run->tenant_count; i++)
		free(run->tenants[i].epochs);
	free(run->tenants);
	free(run->ends);
}
