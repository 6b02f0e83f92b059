// SPDX-License-Identifier: GPL-2.0
/* A policy in many situations; see policy_test.h. */
/* For asprintf. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../interrupt.h"
#include "../json.h"
#include "../jobs.h"
#include "../output.h"
#include "../table.h"
#include "policy_test.h"

/* Host time after which a run has hung; one takes about a second. */
#define RUN_SECONDS	60
#define RUN_POLL_NS	10000000L
#define WORDS_MAX	32

/* What all runs have: ten epochs, and policies are asked at each one's end and between. */
#define COMMON		"run --offline --json --cycles 100000 --epoch 10000 --policy"
/* Pages take longer. */
#define MEMORY_COMMON	"run --offline --json --cycles 1000000 --epoch 100000 --memory-policy"
/* Managed memory: twice as much as the device has. */
#define MANAGED		"--memory 8 RSTREAM:size=0.0001,managed=1"

/* struct situation - a run: what is special about it, and its arguments */
struct situation {
	const char *name;
	const char *arguments;
};

static const struct situation situations[] = {
	{ "one tenant", "LBM" },
	{ "two tenants", "LBM DXTC" },
	{ "two memory-bound tenants", "LBM SPMV" },
	{ "eight tenants", "LBM DXTC HOTSPOT SPMV SGEMM STENCIL PVC SAD" },
	{ "a tenant with a target", "LBM:target=0.8 DXTC" },
	{ "two targets that cannot both be met", "LBM:target=0.9 DXTC:target=0.9" },
	{ "a tenant with a goal", "LBM:goal=0.5 DXTC" },
	{ "weights", "LBM:weight=1000 DXTC" },
	{ "shares", "LBM:share=0.25 DXTC:share=0.5" },
	{ "tenants that come later", "LBM DXTC:start=33333 HOTSPOT:start=44444" },
	{ "a tenant that comes back", "LBM SCAN:size=0.01,arrivals=every:20000,requests=4" },
	{ "requests", "LBM SCAN:size=0.01,arrivals=poisson:100,requests=8,deadline=9000" },
	{ "queues with priorities", "SCAN:queues=3,wait=2:0+1,priority=2:3 LBM" },
	{ "thread blocks that may run twice", "LBM:idempotent=1 DXTC:idempotent=1" },
	{ "masks", "LBM:mask=0-19,channels=0-3 DXTC:mask=16-79,ways=0-3" },
	{ "contexts are saved", "--preemption switch LBM DXTC" },
	{ "drained or saved, SM by SM", "--preemption adaptive LBM DXTC" },
	{ "even splits at kernels' ends", "--kernel-end even LBM SCAN:size=0.01" },
	{ "decisions that take time", "--decision-cycles 7000 LBM DXTC HOTSPOT" },
	{ "counters that are old and wrong", "--counter-noise 30 --counter-delay 2 LBM DXTC" },
	{ "16 SMs, two for three tenants each", "--config fg16 LBM DXTC HOTSPOT SPMV SGEMM" },
	{ "SMs in pairs", "--config a100 LBM DXTC HOTSPOT" },
	{ "60 SMs", "--config themis60 LBM DXTC" },
	{ "managed memory", MANAGED " LBM" },
	{ "seed 2", "--seed 2 SGEMM:target=0.5 LBM HOTSPOT" },
};

static const struct situation memory_situations[] = {
	{ "pages one after the other", "--memory 8 STREAM:size=0.0001,managed=1" },
	{ "pages in any order", MANAGED },
	{ "two tenants", MANAGED " STREAM:size=0.0001,managed=1" },
	{ "beside a tenant without", MANAGED " LBM" },
	{ "pages that are asked for", MANAGED ",prefetch=1" },
	{ "limits", MANAGED ",memory_min=2M STREAM:size=0.0001,managed=1,memory_max=4M" },
	{ "a pointer chase", "--memory 8 CHASE:size=0.0001,managed=1" },
	{ "memory enough", "--memory 512 RSTREAM:size=0.0001,managed=1" },
	{ "pages of 2 MiB", "--config a100 " MANAGED },
	{ "context switches", "--preemption switch --policy time-slice " MANAGED " LBM" },
};

/**
 * struct verdict - how a situation has ended
 * @situation: the situation
 * @command: the run, for people to repeat
 * @status: its wait() status; -1: it was not run
 * @hung: it took longer than RUN_SECONDS
 * @result: its JSON, or NULL
 */
struct verdict {
	const struct situation *situation;
	char *command;
	int status;
	bool hung;
	struct json_object *result;
};

/**
 * struct tested - a policy that is being tested
 * @name: as the user named it
 * @run: a run up to the policy's name
 * @verdicts: one a situation
 */
struct tested {
	const char *name;
	const char *run;
	struct verdict *verdicts;
};

/* Waits for a child, and kills it if it does not end. */
static void wait_for(struct verdict *verdict, pid_t child)
{
	const struct timespec pause = { .tv_nsec = RUN_POLL_NS };
	time_t end = time(NULL) + RUN_SECONDS;

	while (!waitpid(child, &verdict->status, WNOHANG)) {
		verdict->hung = time(NULL) > end;
		if (verdict->hung || interrupted()) {
			kill(child, SIGKILL);
			waitpid(child, &verdict->status, 0);
			return;
		}
		nanosleep(&pause, NULL);
	}
}

/* Runs the words of a command, this program again; messages are lost unless it is @loud. */
static int spawn(char **words, int out, bool loud, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!loud)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						 O_WRONLY, 0);
	ret = posix_spawn(child, "/proc/self/exe", &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

static void run(struct verdict *verdict, bool loud)
{
	char *words[WORDS_MAX + 1], *text = strdup(verdict->command), *rest = text;
	FILE *out = tmpfile();
	u32 count = 0;
	pid_t child;

	while (text && count < WORDS_MAX && (words[count] = strsep(&rest, " ")))
		count++;
	words[count] = NULL;
	if (text && out && !spawn(words, fileno(out), loud, &child)) {
		wait_for(verdict, child);
		lseek(fileno(out), 0, SEEK_SET);
		verdict->result = json_object_from_fd(fileno(out));
	}
	if (out)
		fclose(out);
	free(text);
}

static void run_job(struct jobs *jobs, u32 index, void *context)
{
	struct tested *tested = context;

	run(&tested->verdicts[index], false);
	jobs_progress(jobs, 1);
}

/* A run that could not begin, and has said why. */
static bool could_not_begin(const struct verdict *verdict)
{
	return WIFEXITED(verdict->status) && WEXITSTATUS(verdict->status) && !verdict->result;
}

/* A run that ended itself, with the figures of the policy. */
static bool is_good(const struct verdict *verdict)
{
	return WIFEXITED(verdict->status) && !WEXITSTATUS(verdict->status) && verdict->result;
}

static const char *text_of(const struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!object || !json_object_object_get_ex(object, key, &value) || !value)
		return "";
	return json_object_get_string(value);
}

static struct json_object *refusal_of(const struct verdict *verdict)
{
	struct json_object *refusal = NULL;

	if (verdict->result)
		json_object_object_get_ex(verdict->result, "last_refusal", &refusal);
	return refusal;
}

/* What went wrong, in words, to be freed. */
static char *explain(const struct verdict *verdict)
{
	const struct json_object *refusal = refusal_of(verdict);
	const char *field = text_of(refusal, "field");
	char *text = NULL;
	int ret;

	if (verdict->hung)
		ret = asprintf(&text, "did not return within %d s", RUN_SECONDS);
	else if (WIFSIGNALED(verdict->status))
		ret = asprintf(&text, "%s", strsignal(WTERMSIG(verdict->status)));
	else if (refusal)
		ret = asprintf(&text, "cycle %s: %s%s%s", text_of(refusal, "cycle"), field,
			       *field ? ": " : "", text_of(refusal, "reason"));
	else
		ret = asprintf(&text, "the run ended with status %d", WEXITSTATUS(verdict->status));
	return ret < 0 ? NULL : text;
}

static int print_verdicts(const struct tested *tested, u32 count, u32 bad)
{
	u32 i;

	for (i = 0; i < count; i++) {
		const struct verdict *verdict = &tested->verdicts[i];
		char *why;

		if (is_good(verdict))
			continue;
		why = explain(verdict);
		printf("%s\n  %s\n  simgpu%s\n", verdict->situation->name, why ? why : "",
		       strchr(verdict->command, ' '));
		free(why);
	}
	if (!bad)
		printf("%s: all is well in %u situations\n", tested->name, count);
	return flush_output();
}

static struct json_object *json_verdict(const struct verdict *verdict)
{
	struct json_object *object = json_object_new_object();
	char *why = is_good(verdict) ? NULL : explain(verdict);

	json_set_string(object, "situation", verdict->situation->name);
	json_set_string(object, "command", verdict->command);
	json_set(object, "good", json_object_new_boolean(is_good(verdict)));
	json_set(object, "why", why ? json_object_new_string(why) : NULL);
	json_set(object, "refusal", json_object_get(refusal_of(verdict)));
	free(why);
	return object;
}

static int print_json(const struct tested *tested, u32 count)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < count; i++)
		json_object_array_add(array, json_verdict(&tested->verdicts[i]));
	json_set_string(object, "policy", tested->name);
	json_set(object, "situations", array);
	return json_print(object);
}

static int report(const struct tested *tested, u32 count, bool json)
{
	u32 i, bad = 0;
	int ret;

	for (i = 0; i < count; i++)
		bad += !is_good(&tested->verdicts[i]);
	ret = json ? print_json(tested, count) : print_verdicts(tested, count, bad);
	if (ret || !bad)
		return ret;
	return fail("%s does not end well in %u of %u situations", tested->name, bad, count);
}

static int prepare(struct tested *tested, const struct situation *list, u32 count)
{
	char *at = strchr(tested->name, '@');
	u32 i;

	tested->verdicts = grow(NULL, count, sizeof(*tested->verdicts));
	memset(tested->verdicts, 0, count * sizeof(*tested->verdicts));
	for (i = 0; i < count; i++) {
		struct verdict *verdict = &tested->verdicts[i];

		verdict->situation = &list[i];
		verdict->status = -1;
		if (asprintf(&verdict->command, "simgpu %s %.*s%s%s %s", tested->run,
			     at ? (int)(at - tested->name) : (int)strlen(tested->name),
			     tested->name, at ? " --model " : "", at ? at + 1 : "",
			     list[i].arguments) < 0)
			return fail("out of memory");
	}
	return STATUS_OK;
}

int policy_test(const char *name, bool memory, bool json)
{
	const struct situation *list = memory ? memory_situations : situations;
	u32 count = memory ? ARRAY_SIZE(memory_situations) : ARRAY_SIZE(situations), i;
	struct tested tested = {
		.name = name, .run = memory ? MEMORY_COMMON : COMMON,
	};
	int ret = prepare(&tested, list, count);
	struct verdict *first = tested.verdicts;

	interrupt_catch();
	if (!ret)
		run(first, false);
	if (!ret && could_not_begin(first)) {
		/* It says what is wrong with the name. */
		run(first, true);
		ret = WEXITSTATUS(first->status);
	} else if (!ret) {
		json_object_put(first->result);
		jobs_run("situations", count, jobs_workers_default(), run_job, &tested, count);
		ret = interrupted() ? STATUS_FAILED : report(&tested, count, json);
	}
	for (i = 0; i < count; i++) {
		free(tested.verdicts[i].command);
		json_object_put(tested.verdicts[i].result);
	}
	free(tested.verdicts);
	return ret;
}
