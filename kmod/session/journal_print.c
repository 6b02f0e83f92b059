// SPDX-License-Identifier: GPL-2.0
/* Journals as text (docs/journal.md): events made into lines. */
#include "journal_print.h"
#include "settings.h"

const char *const journal_sources[SIMGPU_SOURCES] = {
	[SIMGPU_SOURCE_BUILT_IN] = "built-in",
	[SIMGPU_SOURCE_PLUGIN] = "plug-in",
	[SIMGPU_SOURCE_BPF] = "bpf",
	[SIMGPU_SOURCE_BPF_MAPS] = "bpf-maps",
};

const char *const journal_arrivals[ARRIVALS_KINDS] = {
	[ARRIVALS_POISSON] = "poisson",
	[ARRIVALS_EVERY] = "every",
	[ARRIVALS_LIST] = "list",
};

/* struct line - the text so far; what finds no room is cut off */
struct line {
	char *text;
	size_t length;
};

__printf(2, 3)
static void add(struct line *line, const char *format, ...)
{
	size_t room = JOURNAL_LINE_BYTES - line->length;
	va_list arguments;
	int wanted;

	va_start(arguments, format);
	wanted = vsnprintf(line->text + line->length, room, format, arguments);
	va_end(arguments);
	if (wanted > 0)
		line->length += (size_t)wanted < room ? (size_t)wanted :
							room - 1;
}

/* In double quotes; what is not printable ASCII, or is \ or ", as \xHH. */
static void add_string(struct line *line, const char *key, const char *string)
{
	add(line, " %s=\"", key);
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			add(line, "\\x%02x", c);
		else
			add(line, "%c", c);
	}
	add(line, "\"");
}

static void add_decider(struct line *line, const char *key, const char *name,
			u32 source, u32 checksum)
{
	add_string(line, key, name);
	add(line, " %s_source=%s %s_checksum=0x%08x", key, journal_sources[source], key,
	    checksum);
}

static void add_knobs(struct line *line, const char *whose,
		      const struct simgpu_param *params, const u64 *values)
{
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		add(line, " %s.%s=%llu", whose, params[i].name, values[i]);
}

static void add_settings(struct line *line, const struct session_options *start)
{
	session_for_each_setting(setting) {
		u64 value = session_setting_get(setting, start);

		if (!(setting->flags & SESSION_SETTING_JOURNAL) ||
		    (!value && setting->flags & SESSION_SETTING_UNSAID_0))
			continue;
		if (setting->words)
			add(line, " %s=%s", setting->name, setting->words[value]);
		else
			add(line, " %s=%llu", setting->name, value);
	}
}

size_t journal_print_start(char *text, const struct session_options *start,
			   u32 constants_checksum)
{
	struct line line = { .text = text };

	add(&line, "0 start version=3");
	add_string(&line, "config", start->config.name);
	add_settings(&line, start);
	add_decider(&line, "model", start->model->name, start->model->source,
		    start->model->checksum);
	add_knobs(&line, "model", start->model->params, start->model_params);
	add(&line, " constants=0x%08x", constants_checksum);
	add_decider(&line, "policy", start->policy->name,
		    start->policy->source, start->policy->checksum);
	add_knobs(&line, "policy", start->policy->params, start->policy_params);
	add(&line, "\n");
	return line.length;
}

const char *const journal_goals[SESSION_GOALS] = {
	"none", "ipc", "kernel_time", "rate",
};

static void add_tenant(struct line *line, const struct journal_event *event)
{
	const struct session_tenant_options *tenant = &event->tenant;

	add(line, " slot=%u", event->slot);
	add_string(line, "name", tenant->name);
	add(line, " service=%s weight=%u target_ppm=%llu",
	    tenant->service == SIMGPU_QOS ? "qos" : "best_effort",
	    tenant->weight, tenant->target_ppm);
	if (tenant->cgroup)
		add(line, " cgroup=%llu", tenant->cgroup);
	if (tenant->share_ppm)
		add(line, " share_ppm=%u", tenant->share_ppm);
	if (tenant->goal_kind)
		add(line, " goal_kind=%s goal=%llu",
		    journal_goals[tenant->goal_kind], tenant->goal);
}

static void add_launch(struct line *line, const struct journal_event *event)
{
	u32 i;

	add(line, " slot=%u sequence=%llu checksum=0x%08x bytes=%llu repeats=%llu not_before_cycle=%llu",
	    event->slot, event->launch.sequence, event->launch.checksum,
	    event->launch.trace_bytes, event->launch.repeats,
	    event->launch.not_before);
	if (event->launch.deadline)
		add(line, " deadline_cycle=%llu", event->launch.deadline);
	if (event->launch.queue)
		add(line, " queue=%u", event->launch.queue);
	for (i = 0; i < SESSION_WAITS_MAX; i++)
		if (event->launch.wait[i])
			add(line, " wait%u=%llu", i, event->launch.wait[i]);
	for (i = 0; i < SESSION_MASK_WORDS; i++)
		if (event->launch.sms[i])
			add(line, " sms%u=0x%016llx", i, event->launch.sms[i]);
	if (event->launch.more)
		add(line, " more=1");
	if (event->launch.idempotent)
		add(line, " idempotent=1");
}

static void add_queue(struct line *line, const struct journal_event *event)
{
	add(line, " slot=%u queue=%u priority=%d", event->slot,
	    event->queue.number, event->queue.priority);
}

static void add_masks(struct line *line, const struct journal_event *event)
{
	const struct session_masks *masks = &event->masks;
	u32 i;

	add(line, " slot=%u", event->slot);
	for (i = 0; i < SESSION_MASK_WORDS; i++)
		add(line, " sms%u=0x%016llx", i, masks->sms[i]);
	add(line, " channels=0x%016llx llc_ways=0x%016llx", masks->channels,
	    masks->llc_ways);
}

static void add_arrivals(struct line *line, const struct journal_event *event)
{
	const struct arrivals_plan *plan = &event->arrivals.plan;

	add(line, " slot=%u sequence=%llu checksum=0x%08x bytes=%llu kind=%s launches=%u requests=%llu seed=%llu rate=%llu every_cycles=%llu deadline_cycles=%llu list=0x%08x",
	    event->slot, event->arrivals.sequence, event->arrivals.checksum,
	    event->arrivals.trace_bytes, journal_arrivals[plan->kind],
	    plan->launches, plan->requests, plan->seed, plan->rate,
	    plan->every_cycles, plan->deadline_cycles,
	    event->arrivals.list_checksum);
}

static void add_leave(struct line *line, const struct journal_event *event)
{
	add(line, " slot=%u", event->slot);
}

static void add_name(struct line *line, const struct journal_event *event)
{
	add_decider(line, "name", event->name, event->source, event->checksum);
}

static void add_param(struct line *line, const struct journal_event *event)
{
	add_string(line, "name", event->name);
	add(line, " value=%llu", event->value);
}

static void add_constants(struct line *line, const struct journal_event *event)
{
	add(line, " bytes=%u checksum=0x%08x", event->constants.bytes,
	    event->constants.checksum);
}

static void add_epoch_cycles(struct line *line,
			     const struct journal_event *event)
{
	add(line, " epoch_cycles=%llu", event->epoch_cycles);
}

static void add_fallback(struct line *line, const struct journal_event *event)
{
	add(line, " kind=%s code=%d",
	    session_refusal_name(event->fallback.kind), event->fallback.code);
	if (event->fallback.slot != SESSION_NOWHERE)
		add(line, " slot=%u", event->fallback.slot);
	if (event->fallback.sm != SESSION_NOWHERE)
		add(line, " sm=%u", event->fallback.sm);
	add_string(line, "field", event->fallback.field);
	add_string(line, "reason", event->fallback.reason);
}

static const struct {
	const char *name;
	void (*add)(struct line *line, const struct journal_event *event);
} kinds[] = {
	[JOURNAL_JOIN] = { "join", add_tenant },
	[JOURNAL_TENANT] = { "tenant", add_tenant },
	[JOURNAL_LAUNCH] = { "launch", add_launch },
	[JOURNAL_QUEUE] = { "queue", add_queue },
	[JOURNAL_ARRIVALS] = { "arrivals", add_arrivals },
	[JOURNAL_LEAVE] = { "leave", add_leave },
	[JOURNAL_POLICY] = { "policy", add_name },
	[JOURNAL_MODEL] = { "model", add_name },
	[JOURNAL_MODEL_PARAM] = { "model_param", add_param },
	[JOURNAL_POLICY_PARAM] = { "policy_param", add_param },
	[JOURNAL_CONSTANTS] = { "constants", add_constants },
	[JOURNAL_EPOCH_CYCLES] = { "epoch_cycles", add_epoch_cycles },
	[JOURNAL_FALLBACK] = { "fallback", add_fallback },
	[JOURNAL_MASKS] = { "masks", add_masks },
};

size_t journal_print_event(char *text, const struct journal_event *event)
{
	struct line line = { .text = text };

	add(&line, "%llu %s", event->cycle, kinds[event->kind].name);
	kinds[event->kind].add(&line, event);
	add(&line, "\n");
	return line.length;
}

size_t journal_print_lost(char *text, u64 cycle, u64 lost)
{
	struct line line = { .text = text };

	add(&line, "%llu lost events=%llu\n", cycle, lost);
	return line.length;
}

size_t journal_print_end(char *text, u64 cycle, u64 state_hash)
{
	struct line line = { .text = text };

	add(&line, "%llu end state_hash=0x%016llx\n", cycle, state_hash);
	return line.length;
}
