// SPDX-License-Identifier: GPL-2.0
/*
 * Axes of a sweep: with an axis the mixes of a suite run at several points. An axis is a
 * row of the table at the end; two axes together make every combination.
 */
#include "sweep.h"
#include "sweep_axes.h"

/* If a weight has decimals, all weights of its point are in thousandths. */
#define WEIGHT_SCALE	1000
#define WEIGHT_MAX	1000

/* --- points --- */

static bool add_point(struct axis_points *points, const struct axis_point *point)
{
	if (points->count == AXIS_POINTS_MAX)
		return false;
	points->points = grow(points->points, points->count + 1, sizeof(*point));
	points->points[points->count++] = *point;
	return true;
}

/* Prints as few decimals as needed: 0.8. */
static void print_ppm(char text[AXIS_TEXT_BYTES], u64 value_ppm)
{
	size_t end;

	snprintf(text, AXIS_TEXT_BYTES, "%llu.%06llu", value_ppm / SIMGPU_PPM,
		 value_ppm % SIMGPU_PPM);
	for (end = strlen(text); text[end - 1] == '0'; end--)
		;
	if (text[end - 1] == '.')
		end--;
	text[end] = '\0';
}

static bool add_ratio(struct axis_points *points, u64 value_ppm, u64 most_ppm)
{
	struct axis_point point = { .count = 1, .values = { value_ppm } };

	print_ppm(point.text, value_ppm);
	return value_ppm && value_ppm <= most_ppm && add_point(points, &point);
}

/*
 * Split @text at its colons; returns the number of fields, 0 if one is no number or there
 * are too many.
 */
static u32 split_fields(const char *text, u64 fields_ppm[MIX_TENANTS_MAX])
{
	char copy[AXIS_TEXT_BYTES], *rest = copy, *field;
	u32 count = 0;

	if (strlen(text) >= sizeof(copy))
		return 0;
	strcpy(copy, text);
	while ((field = strsep(&rest, ":")))
		if (count == MIX_TENANTS_MAX ||
		    !parse_ppm(field, &fields_ppm[count++]))
			return 0;
	return count;
}

/* Parses a ratio or FIRST:LAST:STEP. */
static bool parse_ratios(struct axis_points *points, const char *item,
			 u64 most_ppm)
{
	u64 fields[MIX_TENANTS_MAX], value;
	u32 count = split_fields(item, fields);

	if (count == 1)
		return add_ratio(points, fields[0], most_ppm);
	if (count != 3 || fields[0] > fields[1] || !fields[2])
		return false;
	for (value = fields[0]; value <= fields[1]; value += fields[2])
		if (!add_ratio(points, value, most_ppm))
			return false;
	return true;
}

static bool parse_np(struct axis_points *points, const char *item)
{
	return parse_ratios(points, item, SIMGPU_PPM);
}

static bool parse_load(struct axis_points *points, const char *item)
{
	return parse_ratios(points, item, ARRIVALS_LOAD_MAX_PPM);
}

static bool are_whole(const u64 *fields_ppm, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (fields_ppm[i] % SIMGPU_PPM)
			return false;
	return true;
}

/* Parses A:B:..., by slot; all whole, or with decimals if @scale is more than 1. */
static bool parse_slots(struct axis_points *points, const char *item, u64 most,
			u64 scale)
{
	u64 fields[MIX_TENANTS_MAX];
	struct axis_point point = { .count = split_fields(item, fields) };
	u32 i;

	if (point.count < 2)
		return false;
	if (are_whole(fields, point.count))
		scale = 1;
	for (i = 0; i < point.count; i++) {
		if (fields[i] > most * SIMGPU_PPM ||
		    fields[i] * scale % SIMGPU_PPM)
			return false;
		point.values[i] = fields[i] * scale / SIMGPU_PPM;
		if (!point.values[i] || point.values[i] > most)
			return false;
	}
	strcpy(point.text, item);
	return add_point(points, &point);
}

static bool parse_weights(struct axis_points *points, const char *item)
{
	return parse_slots(points, item, WEIGHT_MAX, WEIGHT_SCALE);
}

static bool parse_split(struct axis_points *points, const char *item)
{
	return parse_slots(points, item, SIMGPU_SMS_MAX, 1);
}

static bool parse_kernel_end(struct axis_points *points, const char *item)
{
	struct axis_point point = { .count = 0 };
	u32 i;

	for (i = 0; i < SESSION_KERNEL_ENDS; i++) {
		if (strcmp(item, session_kernel_ends[i]))
			continue;
		snprintf(point.text, sizeof(point.text), "%s", item);
		point.values[0] = i;
		return add_point(points, &point);
	}
	return false;
}

/* --- what they make of a mix --- */

bool mix_has_target(const struct mix *mix)
{
	u32 i;

	for (i = 0; i < mix->count; i++)
		if (mix->options[i].service == SIMGPU_QOS)
			return true;
	return false;
}

void mix_promise(struct mix *mix, u32 slot, u64 target_ppm)
{
	bool named = mix_has_target(mix);
	u32 i;

	for (i = 0; i < mix->count; i++) {
		struct session_tenant_options *options = &mix->options[i];

		if (named ? options->service != SIMGPU_QOS : i != slot)
			continue;
		options->service = SIMGPU_QOS;
		options->target_ppm = target_ppm;
	}
}

static int apply_targets(const struct axis_point *point, u32 sms,
			 struct mix *mix)
{
	mix_promise(mix, mix->priority, point->values[0]);
	return STATUS_OK;
}

static int apply_goals(const struct axis_point *point, u32 sms, struct mix *mix)
{
	u32 slot;

	mix_promise(mix, 0, point->values[0]);
	for (slot = 0; slot < mix->count; slot++)
		if (mix->options[slot].service == SIMGPU_QOS)
			mix->goal_ppm[slot] = point->values[0];
	return STATUS_OK;
}

static int check_slots(const char *option, const struct axis_point *point,
		       const struct mix *mix)
{
	if (point->count == mix->count)
		return STATUS_OK;
	return fail_usage("--%s %s is for %u tenants, but the mix %s has %u",
			  option, point->text, point->count, mix->name,
			  mix->count);
}

static int apply_weights(const struct axis_point *point, u32 sms,
			 struct mix *mix)
{
	u32 slot;

	if (check_slots("weights", point, mix))
		return STATUS_USAGE;
	for (slot = 0; slot < mix->count; slot++)
		mix->options[slot].weight = (u32)point->values[slot];
	return STATUS_OK;
}

/*
 * If the counts add up to the GPU's SMs, `proportional` gives tenants exactly these SMs
 * when the counts are their weights, as long as no tenant has a target.
 */
static int apply_split(const struct axis_point *point, u32 sms, struct mix *mix)
{
	u64 sum = 0;
	u32 slot;

	if (check_slots("split", point, mix))
		return STATUS_USAGE;
	for (slot = 0; slot < mix->count; slot++) {
		mix->options[slot].weight = (u32)point->values[slot];
		mix->options[slot].service = SIMGPU_BEST_EFFORT;
		mix->options[slot].target_ppm = 0;
		sum += point->values[slot];
	}
	if (sum != sms)
		return fail_usage("--split %s adds up to %llu SMs; the GPU has %u",
				  point->text, sum, sms);
	return STATUS_OK;
}

/* For tenants with load=; if there is none, for the one in slot 0, without arrivals. */
static int apply_load(const struct axis_point *point, u32 sms, struct mix *mix)
{
	bool any = false;
	u32 slot;

	for (slot = 0; slot < mix->count; slot++) {
		if (!mix->arrivals[slot].load_ppm)
			continue;
		mix->arrivals[slot].load_ppm = point->values[0];
		any = true;
	}
	if (any)
		return STATUS_OK;
	if (mix->arrivals[0].given)
		return fail_usage("--load is for tenants with load=, or without arrivals in slot 0, but the mix %s has arrivals= there",
				  mix->name);
	mix->arrivals[0].given = true;
	mix->arrivals[0].load_ppm = point->values[0];
	return STATUS_OK;
}

static int apply_kernel_end(const struct axis_point *point, u32 sms,
			    struct mix *mix)
{
	mix->kernel_end_given = true;
	mix->kernel_end = (u32)point->values[0];
	return STATUS_OK;
}

/* --- the table --- */

#define SPLIT	2

const struct sweep_axis sweep_axes_table[SWEEP_AXES] = {
	[SWEEP_AXIS_TARGETS] =
	{ .option = "targets", .key = "target", .unit = "NP|FIRST:LAST:STEP,...",
	  .help = "Each mix at each of these targets, in place of --target: of its tenants with target=, else of the one with priority",
	  .sets = AXIS_SETS_TARGET, .parse = parse_np,
	  .form = "NPs above 0 up to 1, or FIRST:LAST:STEP",
	  .apply = apply_targets },
	{ .option = "weights", .key = "weights", .unit = "W:W,...",
	  .help = "Each mix with each of these weights of its tenants, by slot",
	  .sets = AXIS_SETS_WEIGHT, .parse = parse_weights,
	  .form = "weights by slot, such as 1:2 (1 to 1000, or 0.001 to 1 with decimals)",
	  .apply = apply_weights },
	[SPLIT] =
	{ .option = "split", .key = "split", .unit = "SMS:SMS,...",
	  .help = "Each mix with each of these numbers of SMs, by slot, from the first epoch's end on; for --policy even and proportional, which both then give exactly these, and nobody has a target",
	  .sets = AXIS_SETS_TARGET | AXIS_SETS_WEIGHT, .parse = parse_split,
	  .form = "numbers of SMs by slot, such as 64:16",
	  .apply = apply_split },
	[SWEEP_AXIS_GOALS] =
	{ .option = "goals", .key = "goal", .unit = "PART|FIRST:LAST:STEP,...",
	  .help = "Each mix at each of these goals, the part of its IPC alone that a tenant is to reach: those with target=, else the one in slot 0. Policies get it as a goal in instructions a cycle, made of a run alone as long as the sweep's, and as an NP",
	  .sets = AXIS_SETS_TARGET, .parse = parse_np,
	  .form = "parts above 0 up to 1, or FIRST:LAST:STEP",
	  .apply = apply_goals },
	{ .option = "load", .key = "load", .unit = "LOAD|FIRST:LAST:STEP,...",
	  .help = "Each mix at each of these loads, the rate at which requests come over the rate at which they complete alone: of those with load=, else of the one in slot 0",
	  .sets = AXIS_SETS_LOAD, .parse = parse_load,
	  .form = "loads above 0 up to 1000, or FIRST:LAST:STEP",
	  .apply = apply_load },
	{ .option = "kernel-ends", .key = "kernel_end", .unit = "WAY,...",
	  .help = "Each mix with each of these kernel ends (even, carry, changed) in place of --kernel-end",
	  .sets = AXIS_SETS_KERNEL_END, .parse = parse_kernel_end,
	  .form = "even, carry and changed",
	  .apply = apply_kernel_end },
};

bool sweep_axes_split(const struct sweep_axes *axes)
{
	return axes->of[SPLIT].count;
}

u32 sweep_axes_set(const struct sweep_axes *axes)
{
	u32 sets = 0, i;

	for (i = 0; i < SWEEP_AXES; i++)
		if (axes->of[i].count)
			sets |= sweep_axes_table[i].sets;
	return sets;
}

u32 sweep_axes_points(const struct sweep_axes *axes)
{
	u32 points = 1, i;

	for (i = 0; i < SWEEP_AXES; i++)
		if (axes->of[i].count)
			points *= axes->of[i].count;
	return points;
}

u32 sweep_axes_index(const struct sweep_axes *axes, u32 axis, u32 point)
{
	u32 i;

	for (i = SWEEP_AXES - 1; i > axis; i--)
		if (axes->of[i].count)
			point /= axes->of[i].count;
	return axes->of[axis].count ? point % axes->of[axis].count : 0;
}

const struct axis_point *sweep_axes_at(const struct sweep_axes *axes, u32 axis,
				       u32 point)
{
	if (!axes->of[axis].count)
		return NULL;
	return &axes->of[axis].points[sweep_axes_index(axes, axis, point)];
}

int sweep_axes_apply(const struct sweep_axes *axes, u32 point, u32 sms,
		     struct mix *mix)
{
	u32 i;

	for (i = 0; i < SWEEP_AXES; i++) {
		const struct axis_point *at = sweep_axes_at(axes, i, point);
		int ret = at ? sweep_axes_table[i].apply(at, sms, mix) : 0;

		if (ret)
			return ret;
	}
	return STATUS_OK;
}

void sweep_axes_free(struct sweep_axes *axes)
{
	u32 i;

	for (i = 0; i < SWEEP_AXES; i++)
		free(axes->of[i].points);
	memset(axes, 0, sizeof(*axes));
}

/* --- options --- */

#define OPTION_AXIS	1024

/* A point that repeats another one, or NULL. */
static const struct axis_point *find_repeated(const struct axis_points *points)
{
	u32 i, k;

	for (i = 0; i < points->count; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(points->points[i].text,
				    points->points[k].text))
				return &points->points[k];
	return NULL;
}

static void check_alone(struct argp_state *state, u32 index)
{
	const struct sweep_axis *axis = &sweep_axes_table[index];
	const struct sweep_axes *axes = state->input;
	u32 i;

	if (axes->of[index].count)
		argp_error(state, "--%s is given twice", axis->option);
	for (i = 0; i < SWEEP_AXES; i++)
		if (axes->of[i].count && sweep_axes_table[i].sets & axis->sets)
			argp_error(state, "--%s and --%s exclude each other",
				   axis->option, sweep_axes_table[i].option);
}

static void parse_axis(struct argp_state *state, u32 index, char *text)
{
	const struct sweep_axis *axis = &sweep_axes_table[index];
	struct sweep_axes *axes = state->input;
	struct axis_points *points = &axes->of[index];
	const struct axis_point *repeated;
	char *rest = text, *item;

	check_alone(state, index);
	while ((item = strsep(&rest, ",")))
		if (!axis->parse(points, item))
			argp_error(state, "--%s takes %s, at most %d points, not \"%s\"",
				   axis->option, axis->form, AXIS_POINTS_MAX,
				   item);
	repeated = find_repeated(points);
	if (repeated)
		argp_error(state, "--%s has %s twice", axis->option,
			   repeated->text);
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	if (key < OPTION_AXIS || key >= OPTION_AXIS + SWEEP_AXES)
		return ARGP_ERR_UNKNOWN;
	parse_axis(state, (u32)(key - OPTION_AXIS), text);
	return 0;
}

const struct argp *sweep_axes_argp(void)
{
	static struct argp_option options[SWEEP_AXES + 2];
	static const struct argp argp = {
		.options = options, .parser = parse_argument,
	};
	u32 i;

	options[0] = (struct argp_option) { .doc = "Axes:", .group = 2 };
	for (i = 0; i < SWEEP_AXES; i++)
		options[i + 1] = (struct argp_option) {
			.name = sweep_axes_table[i].option,
			.key = OPTION_AXIS + (int)i,
			.arg = sweep_axes_table[i].unit,
			.doc = sweep_axes_table[i].help,
			.group = 2,
		};
	return &argp;
}
