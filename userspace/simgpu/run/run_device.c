// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu run on a device: a gang, one child process for each tenant, and this process,
 * which reads the epoch records. All figures are the kernel's.
 *
 * Each child holds the writing end of a pipe. It writes a sentence if it
 * fails; the pipe's end shows that the child has ended, in whatever way.
 */
/* For pipe2. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../offline/run.h"
#include "../fits.h"
#include "../inject.h"
#include "../interrupt.h"
#include "../made_by.h"
#include "../names.h"
#include "../plugin.h"
#include "result.h"
#include "run.h"
#include "run_device.h"
#include "run_remarks.h"
#include "../sysfs.h"

#define POLL_MS		200
#define RECORDS_BYTES	(8 * SIMGPU_EPOCH_RECORD_MAX)
/* A child's exit status when the gang was canceled for another reason. */
#define STATUS_CANCELED	3

/**
 * struct child - a tenant's process
 * @pid: 0 once it has been waited for
 * @pipe: the reading end, -1 once it has ended
 * @words: its message
 */
struct child {
	pid_t pid;
	int pipe;
	char words[512];
	size_t length;
};

/**
 * struct stage - the experiment while it runs
 * @gang: the gang's file, not blocking
 * @over: whether all of its records were read
 * @signals: a signalfd of the signals that end a command
 * @mask: signal mask from before
 * @caught: the signal that came, or 0
 * @failed: whether a tenant has failed
 */
struct stage {
	const struct settings *settings;
	const struct workload *workloads;
	u32 count;
	struct result *result;
	int gang;
	bool over;
	int signals;
	sigset_t mask;
	int caught;
	bool failed;
	struct child children[SESSION_SLOTS_MAX];
};

/* --- a child --- */

/* Tells the parent what went wrong, and ends the child. */
__attribute__((noreturn, format(printf, 2, 3)))
static void give_up(int pipe, const char *format, ...)
{
	char words[512];
	va_list arguments;
	ssize_t written;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	written = write(pipe, words, strlen(words));
	_exit(written < 0 ? STATUS_USAGE : STATUS_FAILED);
}

static int upload(int fd, const struct workload *workload, int pipe)
{
	struct simgpu_trace_refusal refusal;
	int handle = simgpu_upload_trace(fd, workload->bytes, workload->count,
					 &refusal);

	if (handle >= 0)
		return handle;
	if (*refusal.field)
		give_up(pipe, "%s: %s %s (at byte %llu)", workload->path,
			refusal.field, refusal.reason, refusal.offset);
	give_up(pipe, "%s cannot be uploaded: %s", workload->path,
		strerror(-handle));
}

/* Fills in the numbers of the launches that a launch waits for. */
static void set_waits(struct simgpu_launch *launch, u32 queues,
		      const u64 *sequences)
{
	u32 i = 0;

	for (; queues && i < SIMGPU_LAUNCH_WAITS_MAX; queues &= queues - 1)
		launch->wait_for[i++] = sequences[__builtin_ctz(queues)];
}

/* Makes a launch in each queue; their numbers go to @sequences. */
static int launch_all(int fd, int handle, const struct workload *workload,
		      u64 *sequences)
{
	const struct offline_queues *queues = &workload->queues;
	u8 order[SESSION_QUEUES_MAX];
	u32 count = offline_queues_order(queues, order), i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++) {
		struct simgpu_launch launch = {
			.handle = (u32)handle,
			.repeats = 1,
			.flags = i + 1 < count ? SIMGPU_LAUNCH_MORE : 0,
			.queue = order[i],
			.not_before_cycle = workload->start_cycle,
		};

		if (queues->idempotent)
			launch.flags |= SIMGPU_LAUNCH_IDEMPOTENT;
		if (workload->managed)
			launch.flags |= SIMGPU_LAUNCH_MANAGED;
		if (workload->prefetch && i + 1 == count)
			launch.flags |= SIMGPU_LAUNCH_PREFETCH;
		set_waits(&launch, queues->waits[order[i]], sequences);
		masks_launch(&launch, queues->sms[order[i]]);
		if (queues->priority[order[i]])
			ret = simgpu_set_queue(fd, order[i],
					       queues->priority[order[i]]);
		ret = ret ? ret : simgpu_launch_with(fd, &launch);
		sequences[order[i]] = launch.sequence;
	}
	return ret;
}

/*
 * Makes a launch in each queue, or starts all requests, where the end of the last one is
 * the end of all. @sequences gets the numbers to wait for, @count of them.
 */
static int launch(int fd, int handle, const struct workload *workload,
		  u64 *sequences, u32 *count)
{
	struct simgpu_arrivals request;
	int ret;

	*count = workload->queues.count ? workload->queues.count : 1;
	if (!workload->arrivals.given)
		return launch_all(fd, handle, workload, sequences);
	request = arrivals_request(&workload->arrivals.plan, handle);
	ret = simgpu_start_arrivals(fd, &request);
	sequences[0] = request.sequence;
	return ret;
}

/* What the GPU lacks for a trace that it refused to launch. */
__attribute__((noreturn))
static void give_up_launch(const struct stage *stage,
			   const struct workload *workload, int error, int pipe)
{
	char words[FITS_WORDS];

	if (workload_lacks(workload, settings_config(stage->settings), words))
		give_up(pipe, "%s: %s", workload->path, words);
	give_up(pipe, "it cannot be launched: %s", offline_error(error));
}

/* Whether a launch has ended with a failure of an experiment in which there are some. */
static bool fails_as_wanted(const struct settings *settings, int status)
{
	u32 i;

	if (!settings->injections.count && !settings->session.timeout_cycles)
		return false;
	for (i = 0; i < SESSION_LAUNCH_STATUSES; i++)
		if (session_launch_ends[i].status == status)
			return true;
	return false;
}

static void launch_and_wait(const struct stage *stage, int fd, int handle,
			    const struct workload *workload, int pipe)
{
	u64 sequences[SESSION_QUEUES_MAX] = { 0 };
	u32 count, i;
	int ret = launch(fd, handle, workload, sequences, &count);

	if (ret == -EPERM)
		give_up(pipe, "a queue's priority above 0 needs CAP_SYS_NICE");
	if (ret == -ECANCELED)
		_exit(STATUS_CANCELED);
	if (ret)
		give_up_launch(stage, workload, ret, pipe);
	for (i = 0; !ret && i < count; i++) {
		do {
			ret = simgpu_wait_launch(fd, sequences[i], -1);
		} while (ret == -EINTR);
		if (fails_as_wanted(stage->settings, ret))
			ret = 0;
	}
	if (ret == -ECANCELED)
		_exit(STATUS_CANCELED);
	if (ret)
		give_up(pipe, "waiting for its end failed: %s", strerror(-ret));
}

static int configure(int fd, const struct workload *workload)
{
	struct simgpu_tenant_config config = { .weight = workload->weight };
	struct session_tenant_options options;

	workload_options(workload, &options);
	config.service = options.service;
	config.target_ppm = options.target_ppm;
	config.share_ppm = options.share_ppm;
	config.p99_cycles = options.p99_cycles;
	config.goal_kind = options.goal_kind;
	config.goal = options.goal;
	config.memory_min = options.memory.min;
	config.memory_low = options.memory.low;
	config.memory_max = options.memory.max;
	strcpy(config.name, options.name);
	return simgpu_configure(fd, &config);
}

__attribute__((noreturn))
static void be_tenant(const struct stage *stage, u32 slot, int pipe)
{
	const struct workload *workload = &stage->workloads[slot];
	int fd, ret, handle;

	fd = simgpu_open(stage->settings->device);
	if (fd < 0)
		give_up(pipe, "the device cannot be opened: %s",
			strerror(-fd));
	ret = configure(fd, workload);
	if (ret)
		give_up(pipe, "name, weight, target or goal were refused: %s",
			strerror(-ret));
	handle = upload(fd, workload, pipe);
	ret = simgpu_join_gang(fd, stage->gang, slot);
	if (ret == -ECANCELED)
		_exit(STATUS_CANCELED);
	if (ret)
		give_up(pipe, "it cannot join the gang: %s", strerror(-ret));
	if (masks_set(fd, &workload->masks))
		give_up(pipe, "the device does not have what mask, channels or ways name, or they name a part of a TPC");
	/* The gang has to end with the parent, so the child closes its copy. */
	close(stage->gang);
	launch_and_wait(stage, fd, handle, workload, pipe);
	_exit(STATUS_OK);
}

/* --- the parent and its children --- */

static int start_child(struct stage *stage, u32 slot, pid_t parent)
{
	struct child *child = &stage->children[slot];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return fail("a pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid < 0) {
		child->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return fail("a process for a tenant: %s", strerror(errno));
	}
	if (!child->pid) {
		close(ends[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(STATUS_FAILED);
		sigprocmask(SIG_SETMASK, &stage->mask, NULL);
		be_tenant(stage, slot, ends[1]);
	}
	close(ends[1]);
	child->pipe = ends[0];
	return STATUS_OK;
}

static int wait_child(struct child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	if (child->pipe >= 0)
		close(child->pipe);
	child->pipe = -1;
	return status;
}

static void end_children(struct stage *stage)
{
	u32 slot;

	for (slot = 0; slot < stage->count; slot++)
		if (stage->children[slot].pid)
			kill(stage->children[slot].pid, SIGKILL);
	for (slot = 0; slot < stage->count; slot++)
		if (stage->children[slot].pid)
			wait_child(&stage->children[slot]);
}

static bool gang_has_started(const struct stage *stage)
{
	struct simgpu_gang_status status = { .size = sizeof(status) };

	return !simgpu_get_gang_status(stage->gang, &status) &&
	       (status.state == SIMGPU_GANG_RUNNING ||
		status.state == SIMGPU_GANG_DONE);
}

/* A child has ended. Returns whether the experiment can go on. */
static bool child_gone(struct stage *stage, u32 slot)
{
	struct child *child = &stage->children[slot];
	const char *name = stage->workloads[slot].name;
	int status = wait_child(child);
	bool go_on;

	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_OK)
		return true;
	stage->failed = true;
	/* The child that caused it reports itself. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_CANCELED)
		return true;
	go_on = gang_has_started(stage);
	if (WIFSIGNALED(status))
		warn("tenant %u (%s) was killed: %s%s", slot, name,
		     strsignal(WTERMSIG(status)),
		     go_on ? "; the others go on" : "");
	else
		warn("tenant %u (%s): %s", slot, name, child->words);
	return go_on;
}

/* Takes a child's message, or its end. */
static bool hear_child(struct stage *stage, u32 slot)
{
	struct child *child = &stage->children[slot];
	ssize_t got = read(child->pipe, child->words + child->length,
			   sizeof(child->words) - 1 - child->length);

	if (got > 0) {
		child->length += (size_t)got;
		child->words[child->length] = '\0';
		return true;
	}
	return child_gone(stage, slot);
}

/* --- the parent and the gang --- */

/* The device lacks a name; most often it is one that this process does not know either. */
static void explain_names(const struct settings *settings)
{
	if (!gpu_config_find(settings->config))
		no_config(settings->config);
	else if (!plugin_find_policy(settings->policy))
		no_policy(settings->policy);
	else if (!plugin_find_model(settings->model))
		no_model(settings->model);
	else if (*settings->memory_policy)
		fail("simgpu%u has no memory policy \"%s\"; simgpu policy list --memory names those that it has",
		     settings->device, settings->memory_policy);
	else
		fail("the device has no configuration \"%s\", policy \"%s\" or model \"%s\"",
		     settings->config, settings->policy, settings->model);
}

static int create_gang(const struct settings *settings, u32 members)
{
	struct simgpu_gang_create options = {
		.size = sizeof(options),
		.members = members,
		.flags = settings->session.stop_cycle ? SIMGPU_GANG_RELAUNCH : 0,
	};
	struct simgpu_injection injections[SIMGPU_INJECTIONS_MAX];
	int fd = simgpu_open(settings->device), gang;

	if (fd < 0) {
		fail("/dev/simgpu%u: %s", settings->device, device_error(fd));
		return fd;
	}
	session_for_each_setting(setting)
		session_setting_to_gang(setting, &options,
					session_setting_get(setting, &settings->session));
	if (settings->injections.count) {
		inject_for_gang(&settings->injections, injections);
		options.injections = (struct simgpu_injection_array) {
			.count = settings->injections.count,
			.stride = sizeof(injections[0]),
			.array = (u64)(uintptr_t)injections,
		};
	}
	strcpy(options.config, settings->config);
	strcpy(options.policy, settings->policy);
	strcpy(options.model, settings->model);
	strcpy(options.memory_policy_name, settings->memory_policy);
	gang = simgpu_create_gang(fd, &options);
	close(fd);
	if (gang == -ENOENT)
		explain_names(settings);
	else if (gang < 0)
		fail("simgpu%u: %s", settings->device, device_error(gang));
	return gang;
}

/* The device's parameters count here; an offline run would have the defaults, so warn. */
static void compare_param(unsigned int device, const char *name,
			 const struct simgpu_param *param, u64 ours)
{
	char value[SIMGPU_VALUE_BYTES];
	u64 theirs;

	if (!simgpu_read_device_value(device, name, value, sizeof(value)) &&
	    param_value(param, value, &theirs) && theirs != ours)
		warn("simgpu%u has %s %s, not the default: an offline run will differ",
		     device, name, value);
}

static void compare_table(unsigned int device, const char *folder,
			  const struct simgpu_param *params, const u64 *values)
{
	char name[2 * SIMGPU_NAME_BYTES];
	u32 i;

	for (i = 0; params && params[i].name; i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, params[i].name);
		compare_param(device, name, &params[i], values[i]);
	}
}

static void compare_params(const struct settings *settings)
{
	struct session_options options;

	/* A device may have policies and models that are not in this process. */
	if (!plugin_find_policy(settings->policy) ||
	    !plugin_find_model(settings->model) ||
	    settings_options(settings, &options))
		return;
	compare_table(settings->device, "policy_params", options.policy->params,
		      options.policy_params);
	compare_table(settings->device, "model_params", options.model->params,
		      options.model_params);
}

static bool read_records(struct stage *stage)
{
	u64 records[RECORDS_BYTES / sizeof(u64)];
	const struct simgpu_epoch_record *record;
	int got;

	for (;;) {
		got = simgpu_read_epochs(stage->gang, records, sizeof(records));
		if (got == -EAGAIN || got == -EINTR)
			return true;
		if (got < 0) {
			fail("reading epoch records: %s", strerror(-got));
			return false;
		}
		if (!got) {
			stage->over = true;
			return true;
		}
		record = NULL;
		/* They are those of the last epoch, and go with the policy. */
		remarks_read_names(stage->result, stage->settings->device);
		while ((record = simgpu_next_record(records, (size_t)got,
						    record)))
			result_add_epoch(stage->result, record);
	}
}

static void show_progress(const struct stage *stage)
{
	struct simgpu_gang_status status = { .size = sizeof(status) };

	if (stage->settings->session.stop_cycle &&
	    !simgpu_get_gang_status(stage->gang, &status))
		progress("simulating", status.cycle, stage->settings->session.stop_cycle);
}

/* Waits for an event and handles it. Returns whether to go on. */
static bool step(struct stage *stage)
{
	struct pollfd fds[SESSION_SLOTS_MAX + 2];
	struct signalfd_siginfo info;
	bool go_on = true;
	u32 slot;

	for (slot = 0; slot < stage->count; slot++)
		fds[slot] = (struct pollfd) { stage->children[slot].pipe,
					      POLLIN, 0 };
	fds[slot] = (struct pollfd) { stage->over ? -1 : stage->gang, POLLIN,
				      0 };
	fds[slot + 1] = (struct pollfd) { stage->signals, POLLIN, 0 };
	if (poll(fds, stage->count + 2, POLL_MS) < 0)
		return errno == EINTR;
	if (fds[stage->count + 1].revents &&
	    read(stage->signals, &info, sizeof(info)) == sizeof(info)) {
		stage->caught = (int)info.ssi_signo;
		return false;
	}
	if (fds[stage->count].revents)
		go_on = read_records(stage);
	for (slot = 0; go_on && slot < stage->count; slot++)
		if (fds[slot].revents)
			go_on = hear_child(stage, slot);
	if (!stage->over)
		show_progress(stage);
	return go_on;
}

static bool children_left(const struct stage *stage)
{
	u32 slot;

	for (slot = 0; slot < stage->count; slot++)
		if (stage->children[slot].pid)
			return true;
	return false;
}

static int get_report(int gang, struct result_tenant *tenant)
{
	struct simgpu_gang_report report = {
		.size = sizeof(report),
		.slot = tenant->slot,
		.counters = SIMGPU_COUNTERS_INTO(tenant->counters),
	};
	int ret = simgpu_get_gang_report(gang, &report);

	tenant->report = report.report;
	return ret;
}

/* Reads the last refusal; -ENODATA: nothing was refused. */
static int get_refusal(int gang, struct session_refusal *why)
{
	struct simgpu_gang_refusal answer = { .size = sizeof(answer) };
	int ret = simgpu_get_gang_refusal(gang, &answer);

	if (!ret)
		row_refusal_read(&answer.refusal, why);
	return ret == -ENODATA ? 0 : ret;
}

/* Managed memory at the end; the pages of a tenant stand in its report, in bytes. */
static void collect_memory(struct stage *stage, const struct simgpu_gang_status *status)
{
	struct result *result = stage->result;
	u32 page_bytes = settings_config(stage->settings)->page_kb << 10, slot;

	result->memory = (struct session_memory) {
		.chunks = status->memory_chunks,
		.chunks_used = status->memory_chunks_used,
	};
	memcpy(result->memory.policy, status->memory_policy, sizeof(status->memory_policy));
	memcpy(result->memory.fell_back, status->memory_refusal,
	       sizeof(status->memory_refusal));
	for (slot = 0; slot < stage->count; slot++) {
		const struct simgpu_tenant_report *report = &result->tenants[slot].report;

		result->memory.managed_pages[slot] = report->managed_bytes / page_bytes;
		result->memory.resident_pages[slot] = report->resident_bytes / page_bytes;
	}
}

static int collect(struct stage *stage)
{
	struct result *result = stage->result;
	struct simgpu_gang_status status = { .size = sizeof(status) };
	int ret = simgpu_get_gang_status(stage->gang, &status);
	u32 slot;

	for (slot = 0; !ret && slot < stage->count; slot++) {
		ret = get_report(stage->gang, &result->tenants[slot]);
		/* A gang that was stopped before its start has none. */
		if (ret == -ENODATA && stage->caught)
			ret = 0;
	}
	ret = ret ? ret : get_refusal(stage->gang, &result->refusal);
	if (ret)
		return fail("reading the figures: %s", strerror(-ret));
	result->partial = stage->caught && status.state != SIMGPU_GANG_DONE;
	if (status.state != SIMGPU_GANG_DONE && !result->partial)
		return fail("the gang was canceled");
	snprintf(result->device, sizeof(result->device), "simgpu%u",
		 stage->settings->device);
	result->cycle = status.cycle;
	result->state_hash = status.state_hash;
	result->wall_ns = status.wall_ns;
	result->sampling = (struct session_sampling) {
		.leaps = status.leaps, .leapt_cycles = status.leapt_cycles,
	};
	result->power = (struct session_power) {
		.used = status.power_flags & SIMGPU_POWER_USED,
		.known = status.mean_power_uw, .clock_mhz = status.sm_mhz,
		.mean_mhz = status.mean_sm_mhz, .changes = status.clock_changes,
		.mean_uw = status.mean_power_uw,
		.static_saved_pj = status.static_saved_pj,
	};
	if (settings_config(stage->settings))
		collect_memory(stage, &status);
	if (result->notes_wanted && remarks_read_notes(result, stage->settings->device))
		return STATUS_FAILED;
	if (status.records_lost)
		warn("%llu epoch records were lost", status.records_lost);
	result->complete = true;
	return STATUS_OK;
}

static int watch(struct stage *stage)
{
	pid_t parent = getpid();
	bool go_on = true;
	u32 slot;

	for (slot = 0; slot < stage->count; slot++)
		if (start_child(stage, slot, parent))
			return STATUS_FAILED;
	while (go_on && (!stage->over || children_left(stage)))
		go_on = step(stage);
	progress_end();
	/* After SIGHUP there is no terminal for the line of progress. */
	if (!go_on && (!stage->caught || stage->caught == SIGHUP))
		return STATUS_FAILED;
	if (stage->caught && !read_records(stage))
		return STATUS_FAILED;
	if (collect(stage))
		return STATUS_FAILED;
	return stage->failed ? STATUS_FAILED : STATUS_OK;
}

static void catch_signals(struct stage *stage)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &stage->mask);
	stage->signals = signalfd(-1, &ours, SFD_CLOEXEC);
}

/* Everything has been cleaned up: signals have their usual effect again. */
static void release_signals(struct stage *stage)
{
	close(stage->signals);
	if (stage->caught == SIGHUP)
		raise(stage->caught);
	else if (stage->caught)
		interrupt_note(stage->caught);
	sigprocmask(SIG_SETMASK, &stage->mask, NULL);
}

static void add_tenants(struct stage *stage)
{
	struct session_tenant_options options;
	u32 slot;

	for (slot = 0; slot < stage->count; slot++) {
		workload_options(&stage->workloads[slot], &options);
		result_add_tenant(stage->result, slot, &options,
				  stage->workloads[slot].trace)->checksum =
			made_by_checksum(&stage->workloads[slot]);
		stage->children[slot].pipe = -1;
	}
}

/* A device does not know what a workload reaches alone, so such goals are refused. */
static int check_keys(const struct workload *workloads, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (workloads[i].advice)
			return fail_usage("advise is for simgpu run --offline: a gang has begun before advice could be given; simgpu tenant --advise gives it");
		if (workloads[i].goal_ppm)
			return fail_usage("goal= is a part of the IPC that %s has alone, which a device does not know: simgpu run --offline tells it, and ipc= takes the part of it",
					  workloads[i].name);
	}
	return STATUS_OK;
}

int run_device(const struct settings *settings, const struct workload *workloads,
	       u32 count, struct result *result)
{
	struct stage stage = {
		.settings = settings,
		.workloads = workloads,
		.count = count,
		.result = result,
	};
	int ret = check_keys(workloads, count);

	if (ret)
		return ret;
	stage.gang = create_gang(settings, count);
	if (stage.gang < 0)
		return STATUS_FAILED;
	fcntl(stage.gang, F_SETFL, O_NONBLOCK);
	compare_params(settings);
	/* The gang's parameters disappear with the gang, so read them now. */
	result->policy_params = sysfs_params(settings->device, "policy_params");
	result->model_params = sysfs_params(settings->device, "model_params");
	if (settings->session.managed_mib)
		result->memory_params = sysfs_params(settings->device, "memory_params");
	add_tenants(&stage);
	catch_signals(&stage);
	ret = watch(&stage);
	end_children(&stage);
	close(stage.gang);
	release_signals(&stage);
	return ret;
}
