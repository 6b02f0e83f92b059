// SPDX-License-Identifier: GPL-2.0
/* The table of what a journal's lines say (docs/journal.md); see journal_lines.h. */
#include "journal_lines.h"

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

const char *const journal_goals[SESSION_GOALS] = {
	"none", "ipc", "kernel_time", "rate",
};

static const char *const copies[] = {
	[TRACE_COMMAND_COPY_IN] = "in",
	[TRACE_COMMAND_COPY_OUT] = "out",
	[TRACE_COMMAND_COPY] = "device",
	[TRACE_COMMAND_SET] = "set",
};

static const char *const services[] = {
	[SIMGPU_BEST_EFFORT] = "best_effort",
	[SIMGPU_QOS] = "qos",
};

#define AT(its_key, member)						\
	.key = its_key, .offset = offsetof(struct journal_event, member), \
	.bytes = sizeof(((struct journal_event *)0)->member)
#define NUMBER(key, member, least, most)				\
	AT(key, member), RANGE(least, most)
#define RANGE(its_least, its_most)	.least = its_least, .most = its_most
#define ANY(key, member)		NUMBER(key, member, 0, U64_MAX)
#define HEX(key, member)		AT(key, member), .form = JOURNAL_HEX
#define STRING(key, member)		AT(key, member), .form = JOURNAL_STRING
#define WORD(key, member, of)						\
	NUMBER(key, member, 0, ARRAY_SIZE(of) - 1), .form = JOURNAL_WORD, .words = of
#define UNLESS_0			.when = JOURNAL_UNLESS_0
#define FOR_PEOPLE			.for_people = true
#define SLOT		{ NUMBER("slot", slot, 0, SESSION_SLOTS_MAX - 1) }
/* The fields that name a policy or a model: name, source and checksum. */
#define DECIDER(whose)							\
	{ STRING(whose, name) },					\
	{ WORD(whose "_source", source, journal_sources) },		\
	{ HEX(whose "_checksum", checksum) }
#define TRACE(of)							\
	SLOT, { ANY("sequence", of.sequence) },				\
	{ HEX("checksum", of.checksum) }, { ANY("bytes", of.trace_bytes) }

static const struct journal_field tenant[] = {
	SLOT,
	{ STRING("name", tenant.name) },
	{ WORD("service", tenant.service, services) },
	{ NUMBER("weight", tenant.weight, 1, SESSION_WEIGHT_MAX) },
	{ NUMBER("target_ppm", tenant.target_ppm, 0, SIMGPU_PPM) },
	{ NUMBER("cgroup", tenant.cgroup, 1, U64_MAX), UNLESS_0 },
	{ NUMBER("share_ppm", tenant.share_ppm, 1, SIMGPU_PPM), UNLESS_0 },
	{ WORD("goal_kind", tenant.goal_kind, journal_goals), UNLESS_0 },
	{ NUMBER("goal", tenant.goal, 1, U64_MAX), .when = JOURNAL_WITH_LAST },
	{ NUMBER("memory_min", tenant.memory.min, 1, U64_MAX), UNLESS_0 },
	{ NUMBER("memory_low", tenant.memory.low, 1, U64_MAX), UNLESS_0 },
	{ NUMBER("memory_max", tenant.memory.max, 1, U64_MAX), UNLESS_0 },
	{ NUMBER("p99_cycles", tenant.p99_cycles, 1, SESSION_P99_MAX), UNLESS_0 },
	{ NUMBER("strikes", tenant.strikes, 1, SESSION_STRIKES_MAX - 1), UNLESS_0 },
	{ }
};

static_assert(SESSION_WAITS_MAX == 4 && SESSION_MASK_WORDS == 8, "a key for each");

static const struct journal_field launch[] = {
	TRACE(launch),
	{ ANY("repeats", launch.repeats) },
	{ ANY("not_before_cycle", launch.not_before) },
	{ ANY("deadline_cycle", launch.deadline), UNLESS_0 },
	{ NUMBER("queue", launch.queue, 0, SESSION_QUEUES_MAX - 1), UNLESS_0 },
	{ ANY("wait0", launch.wait[0]), UNLESS_0 },
	{ ANY("wait1", launch.wait[1]), UNLESS_0 },
	{ ANY("wait2", launch.wait[2]), UNLESS_0 },
	{ ANY("wait3", launch.wait[3]), UNLESS_0 },
	{ HEX("sms0", launch.sms[0]), UNLESS_0 },
	{ HEX("sms1", launch.sms[1]), UNLESS_0 },
	{ HEX("sms2", launch.sms[2]), UNLESS_0 },
	{ HEX("sms3", launch.sms[3]), UNLESS_0 },
	{ HEX("sms4", launch.sms[4]), UNLESS_0 },
	{ HEX("sms5", launch.sms[5]), UNLESS_0 },
	{ HEX("sms6", launch.sms[6]), UNLESS_0 },
	{ HEX("sms7", launch.sms[7]), UNLESS_0 },
	{ NUMBER("more", launch.more, 0, 1), UNLESS_0 },
	{ NUMBER("idempotent", launch.idempotent, 0, 1), UNLESS_0 },
	{ NUMBER("managed", launch.managed, 0, 1), UNLESS_0 },
	{ }
};

/* Whether there can be such a copy is checked where its trace is made. */
static const struct journal_field copy[] = {
	TRACE(copy),
	{ AT("kind", copy.is.kind), .form = JOURNAL_WORD, .words = copies,
	  RANGE(TRACE_COMMAND_COPY_IN, TRACE_COMMAND_SET) },
	{ ANY("offset", copy.is.offset) },
	{ ANY("copied_bytes", copy.is.bytes) },
	{ NUMBER("queue", copy.queue, 0, SESSION_QUEUES_MAX - 1), UNLESS_0 },
	{ ANY("wait0", copy.wait[0]), UNLESS_0 },
	{ ANY("wait1", copy.wait[1]), UNLESS_0 },
	{ ANY("wait2", copy.wait[2]), UNLESS_0 },
	{ ANY("wait3", copy.wait[3]), UNLESS_0 },
	{ NUMBER("more", copy.more, 0, 1), UNLESS_0 },
	{ }
};

static const struct journal_field queue[] = {
	SLOT,
	{ NUMBER("queue", queue.number, 0, SESSION_QUEUES_MAX - 1) },
	{ AT("priority", queue.priority), .form = JOURNAL_SIGNED,
	  .most = SESSION_QUEUE_PRIORITY_MAX },
	{ }
};

/* Whether the device has what the masks name is checked where masks are set. */
static const struct journal_field masks[] = {
	SLOT,
	{ HEX("sms0", masks.sms[0]) },
	{ HEX("sms1", masks.sms[1]) },
	{ HEX("sms2", masks.sms[2]), UNLESS_0 },
	{ HEX("sms3", masks.sms[3]), UNLESS_0 },
	{ HEX("sms4", masks.sms[4]), UNLESS_0 },
	{ HEX("sms5", masks.sms[5]), UNLESS_0 },
	{ HEX("sms6", masks.sms[6]), UNLESS_0 },
	{ HEX("sms7", masks.sms[7]), UNLESS_0 },
	{ HEX("channels", masks.channels) },
	{ HEX("llc_ways", masks.llc_ways) },
	{ }
};

static const struct journal_field arrivals[] = {
	TRACE(arrivals),
	{ WORD("kind", arrivals.plan.kind, journal_arrivals) },
	{ NUMBER("launches", arrivals.plan.launches, 1, ARRIVALS_LAUNCHES_MAX) },
	{ NUMBER("requests", arrivals.plan.requests, 1, ARRIVALS_REQUESTS_MAX) },
	{ ANY("seed", arrivals.plan.seed) },
	{ ANY("rate", arrivals.plan.rate) },
	{ ANY("every_cycles", arrivals.plan.every_cycles) },
	{ ANY("deadline_cycles", arrivals.plan.deadline_cycles) },
	{ ANY("hint_cycles", arrivals.plan.hint_cycles), UNLESS_0 },
	{ NUMBER("batching", arrivals.plan.batching, 1, TRACE_BATCH_MAX), UNLESS_0 },
	{ HEX("list", arrivals.list_checksum) },
	{ }
};

static const struct journal_field leave[] = { SLOT, { } };

static const struct journal_field decider[] = { DECIDER("name"), { } };

static const struct journal_field param[] = {
	{ STRING("name", name) },
	{ ANY("value", value) },
	{ }
};

static const struct journal_field constants[] = {
	{ NUMBER("bytes", constants.bytes, 1, SIMGPU_CONSTANTS_BYTES_MAX) },
	{ HEX("checksum", constants.checksum) },
	{ }
};

static const struct journal_field epoch_cycles[] = {
	{ ANY("epoch_cycles", epoch_cycles) },
	{ }
};

static const struct journal_field sampled[] = {
	{ NUMBER("sampled", sampled, 0, SESSION_SAMPLED_MAX) },
	{ }
};

static const struct journal_field managed_mib[] = {
	{ NUMBER("managed_mib", managed_mib, 0, SESSION_MANAGED_MIB_MAX) },
	{ }
};

static const struct journal_field memory_policy[] = {
	{ WORD("memory_policy", memory_policy, session_memory_policies) },
	{ }
};

static const struct journal_field wanted[] = {
	SLOT,
	{ ANY("offset", prefetch.offset) },
	{ ANY("bytes", prefetch.bytes) },
	{ }
};

static const struct journal_field advise[] = {
	SLOT,
	{ NUMBER("advice", advise.advice, 0, SESSION_ADVICE_FREE) },
	{ ANY("offset", advise.offset) },
	{ ANY("bytes", advise.bytes) },
	{ }
};

static const struct journal_field hint[] = {
	SLOT,
	{ ANY("expected_cycle", hint.cycle) },
	{ ANY("laxity_cycles", hint.laxity) },
	{ }
};

static const struct journal_field memory_group[] = {
	{ NUMBER("group", memory_group.index, 0, SESSION_MEMORY_GROUPS_MAX - 1) },
	{ HEX("slots", memory_group.is.slots) },
	{ ANY("memory_min", memory_group.is.limits.min), UNLESS_0 },
	{ ANY("memory_low", memory_group.is.limits.low), UNLESS_0 },
	{ ANY("memory_max", memory_group.is.limits.max), UNLESS_0 },
	{ }
};

static const struct journal_field power[] = {
	{ NUMBER("clock_limit", power.clock_limit, 0, SESSION_CLOCK_MAX) },
	{ NUMBER("power_cap", power.cap, 0, SESSION_POWER_CAP_MAX) },
	{ NUMBER("power_window", power.window, 0, SESSION_POWER_WINDOW_MAX) },
	{ }
};

/* What goes together is checked where it is injected. */
static const struct journal_field inject[] = {
	{ WORD("kind", injection.kind, session_failure_names) },
	{ NUMBER("slot", injection.slot, 0, U32_MAX), .when = JOURNAL_UNLESS_NOWHERE },
	{ ANY("launch", injection.launch), UNLESS_0 },
	{ ANY("after", injection.after), UNLESS_0 },
	{ ANY("times", injection.times), UNLESS_0 },
	{ NUMBER("after_cycles", injection.after_cycles, 0, SESSION_TIMEOUT_CYCLES_MAX),
	  UNLESS_0 },
	{ NUMBER("probability_ppm", injection.probability_ppm, 1, SIMGPU_PPM), UNLESS_0 },
	{ WORD("survives", injection.survives, session_survives_names), UNLESS_0 },
	{ }
};

static const struct journal_field timeout[] = {
	SLOT,
	{ NUMBER("queue", timeout.queue, 0, SESSION_QUEUES_MAX - 1) },
	{ NUMBER("cycles", timeout.cycles, 0, SESSION_TIMEOUT_CYCLES_MAX) },
	{ }
};

static const struct journal_field fallback[] = {
	{ WORD("kind", fallback.kind, session_refusal_names), FOR_PEOPLE },
	{ AT("code", fallback.code), .form = JOURNAL_SIGNED, FOR_PEOPLE },
	{ AT("slot", fallback.slot), .when = JOURNAL_UNLESS_NOWHERE, FOR_PEOPLE },
	{ AT("sm", fallback.sm), .when = JOURNAL_UNLESS_NOWHERE, FOR_PEOPLE },
	{ STRING("field", fallback.field), FOR_PEOPLE },
	{ STRING("reason", fallback.reason) },
	{ }
};

const struct journal_event_line journal_event_lines[JOURNAL_KINDS] = {
	[JOURNAL_JOIN] = { "join", tenant },
	[JOURNAL_TENANT] = { "tenant", tenant },
	[JOURNAL_LAUNCH] = { "launch", launch },
	[JOURNAL_QUEUE] = { "queue", queue },
	[JOURNAL_ARRIVALS] = { "arrivals", arrivals },
	[JOURNAL_LEAVE] = { "leave", leave },
	[JOURNAL_POLICY] = { "policy", decider },
	[JOURNAL_MODEL] = { "model", decider },
	[JOURNAL_MODEL_PARAM] = { "model_param", param },
	[JOURNAL_POLICY_PARAM] = { "policy_param", param },
	[JOURNAL_CONSTANTS] = { "constants", constants },
	[JOURNAL_EPOCH_CYCLES] = { "epoch_cycles", epoch_cycles },
	[JOURNAL_SAMPLED] = { "sampled", sampled },
	[JOURNAL_FALLBACK] = { "fallback", fallback },
	[JOURNAL_MASKS] = { "masks", masks },
	[JOURNAL_MANAGED_MIB] = { "managed_mib", managed_mib },
	[JOURNAL_MEMORY_POLICY] = { "memory_policy", memory_policy },
	[JOURNAL_PREFETCH] = { "prefetch", wanted },
	[JOURNAL_MEMORY_PLUGIN] = { "memory_plugin", decider },
	[JOURNAL_MEMORY_GROUP] = { "memory_group", memory_group },
	[JOURNAL_MEMORY_PARAM] = { "memory_param", param },
	[JOURNAL_INJECT] = { "inject", inject },
	[JOURNAL_TIMEOUT] = { "timeout", timeout },
	[JOURNAL_HINT] = { "hint", hint },
	[JOURNAL_ADVISE] = { "advise", advise },
	[JOURNAL_POWER] = { "power", power },
	[JOURNAL_COPY] = { "copy", copy },
};

const struct journal_field journal_start_model[] = { DECIDER("model"), { } };
const struct journal_field journal_start_policy[] = { DECIDER("policy"), { } };
const struct journal_field journal_start_memory[] = { DECIDER("memory_plugin"), { } };

struct journal_field journal_setting_field(const struct session_setting *setting)
{
	bool unsaid = setting->flags & SESSION_SETTING_UNSAID_0;

	return (struct journal_field) {
		.key = setting->name,
		.offset = setting->offset,
		.bytes = setting->bytes,
		.form = setting->words ? JOURNAL_WORD : JOURNAL_DECIMAL,
		.when = unsaid ? JOURNAL_UNLESS_0 : JOURNAL_ALWAYS,
		.least = setting->flags & SESSION_SETTING_OR_0 ? 0 :
			 max_t(u64, setting->least, unsaid),
		.most = setting->most,
		.words = setting->words,
	};
}
