// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace record: run an OpenCL program on Oclgrind with the recorder
 * (librecorder.so), check what it wrote, and only then give the trace its
 * name. Nothing is left behind when anything fails. A program may start others:
 * each process that launches kernels has a trace of its own.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/simgpu_trace.h>

#include "../options.h"
#include "../workload.h"

#define PLUGIN		"librecorder.so"
/* Where make install puts it, from the program's folder. */
#define INSTALLED	"../lib/simgpu/"
/* Beside it: makes Oclgrind's device a GPU; see tools/record/device/gpu_device.cpp. */
#define DEVICE		"librecorder-gpu.so"

/* Exit status of a child that could not run oclgrind */
#define STATUS_NO_EXEC	127
/* Exit status of the recorder when it gave up; it has printed why. */
#define STATUS_GAVE_UP	125

static const char about[] =
	"Run an OpenCL program and record its kernels as a trace. The program "
	"is not changed and needs no GPU: Oclgrind interprets its kernels.\v"
	"Everything after -- belongs to the program. If the program fails, or "
	"launches no kernel, there is no trace. If it starts other programs that "
	"launch kernels, each has a trace: the first one FILE, the second one FILE "
	"with -2 before its ending, and so on, in the order of their first kernels.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace record -o stream.sgtr -- ./stream 1048576\n"
	"  simgpu trace record --name nbody-4k -- ./nbody 4096\n"
	"  simgpu trace record --sample 16 --only-sampled -- ./gemm\n"
	"  simgpu trace record -o both.sgtr -- sh -c './stream 4096; ./nbody 256'\n"
	"\n"
	"The recorder is $SIMGPU_RECORDER, or " PLUGIN " beside this program or where it was installed.\n"
	"Exit status: 0; 1 if there is no trace; 2 for wrong usage.";

/**
 * struct arguments - the parsed command line
 * @sample_n: record one thread block in so many; 0: not given
 * @program: argv of the program
 */
struct arguments {
	const char *output;
	const char *name;
	u64 max_bytes;
	u64 sample_n;
	bool only_sampled;
	bool plain;
	char **program;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "The trace (default: the program's name with .sgtr)",
	  TO_TEXT(output) },
	{ "name", 'n', "NAME", "Name in the trace (default: the program's)",
	  .kind = OPTION_OWN },
	{ "max-bytes", 'm', "N",
	  "Give up if the trace becomes larger (default and most: 268435456)",
	  TO_U64(max_bytes, 1, SIMGPU_TRACE_BYTES_MAX) },
	{ "sample", 's', "N",
	  "Record one of every N thread blocks, which stands for the others "
	  "(default: all, but of a kernel with more than 65536 only so many)",
	  TO_U64(sample_n, 1, U32_MAX) },
	{ "only-sampled", 0, NULL,
	  "Do not run the thread blocks that are not recorded: faster, but the "
	  "program does not get their results", TO_FLAG(only_sampled) },
	{ "plain", 0, NULL,
	  "Write every warp's ops and lines one by one, without loops and "
	  "address patterns: large, for comparison", TO_FLAG(plain) },
	{ .name = NULL }
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'n':
		arguments->name = option_trace_name(state, text);
		return 0;
	case ARGP_KEY_ARG:
		/* The remaining arguments, options included, are the program's. */
		arguments->program = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.words = "-- PROGRAM [ARGUMENT...]",
	.no_words = "name a program to record",
	.about = about,
};

/* Find the recorder's library; false if it is not found. */
static bool find_plugin(char *path, size_t room)
{
	const char *named = getenv("SIMGPU_RECORDER");
	char self[PATH_MAX];
	char *folder;
	ssize_t length;

	if (named && *named) {
		snprintf(path, room, "%s", named);
		return !access(path, R_OK);
	}
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return false;
	self[length] = '\0';
	folder = dirname(self);
	snprintf(path, room, "%s/" PLUGIN, folder);
	if (!access(path, R_OK))
		return true;
	snprintf(path, room, "%s/" INSTALLED PLUGIN, folder);
	return !access(path, R_OK);
}

/*
 * The device that the program sees: not Oclgrind's, which has one compute unit
 * and work-groups of 8192, but one like those that traces are made for.
 */
static const char *const oclgrind_options[] = {
	"oclgrind", "--max-wgsize", "1024", "--compute-units", "80",
	/* Oclgrind takes 32 bits of a size: whole pages below 4 GiB. */
	"--local-mem-size", "49152", "--global-mem-size", "4294963200",
	"--plugins",
};

/*
 * Oclgrind sets LD_PRELOAD for its own libraries; the device's library has to come before
 * them. In this script $0 is the device's library, the rest is the program with arguments.
 */
static const char preload[] = "LD_PRELOAD=$0:$LD_PRELOAD exec \"$@\"";

/* The device's library, in the same folder as the recorder; NULL if it is not there */
static char *find_device(const char *plugin)
{
	char *folder = strdup(plugin), *path = NULL;

	if (!folder || asprintf(&path, "%s/" DEVICE, dirname(folder)) < 0)
		path = NULL;
	free(folder);
	if (path && !access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

static void set_number(const char *variable, u64 number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	setenv(variable, text, 1);
}

/* Set the variables that the recorder reads; see tools/record/plugin.cpp. */
static void set_environment(const struct arguments *arguments, const char *output)
{
	setenv("SIMGPU_RECORD_OUTPUT", output, 1);
	setenv("SIMGPU_RECORD_EACH", "1", 1);
	if (arguments->name)
		setenv("SIMGPU_RECORD_NAME", arguments->name, 1);
	if (arguments->max_bytes)
		set_number("SIMGPU_RECORD_MAX_BYTES", arguments->max_bytes);
	if (arguments->sample_n)
		set_number("SIMGPU_RECORD_SAMPLE", arguments->sample_n);
	if (arguments->only_sampled)
		setenv("SIMGPU_RECORD_ONLY_SAMPLED", "1", 1);
	if (arguments->plain)
		setenv("SIMGPU_RECORD_PLAIN", "1", 1);
	setenv("SIMGPU_RECORD_PROGRESS", isatty(STDERR_FILENO) ? "1" : "2", 0);
}

__attribute__((noreturn))
static void become_oclgrind(const struct arguments *arguments,
			    const char *plugin, const char *output)
{
	char *device = find_device(plugin);
	size_t count = 0, i;
	char **argv;

	while (arguments->program[count])
		count++;
	argv = calloc(count + ARRAY_SIZE(oclgrind_options) + 6, sizeof(*argv));
	if (!argv)
		_exit(STATUS_NO_EXEC);
	for (i = 0; i < ARRAY_SIZE(oclgrind_options); i++)
		argv[i] = (char *)oclgrind_options[i];
	argv[i++] = (char *)plugin;
	if (device) {
		argv[i++] = "sh";
		argv[i++] = "-c";
		argv[i++] = (char *)preload;
		argv[i++] = device;
	}
	memcpy(argv + i, arguments->program, count * sizeof(*argv));
	set_environment(arguments, output);
	execvp(argv[0], argv);
	warn("oclgrind cannot be run: %s", strerror(errno));
	_exit(STATUS_NO_EXEC);
}

static volatile pid_t running;
static volatile sig_atomic_t ended_by;

/* Whoever ends this command ends what it records. */
static void end_program(int signal_number)
{
	ended_by = signal_number;
	if (running > 0)
		kill(running, signal_number);
}

/* What the program started, after it has ended: see children in proc(5). */
static void end_children(void)
{
	FILE *children;
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	children = fopen(path, "r");
	while (children && fscanf(children, "%d", &child) == 1)
		kill(child, ended_by);
	if (children)
		fclose(children);
}

/* Programs that the program left running become this process's children. */
static void wait_for_others(const char *program)
{
	if (!ended_by && !waitpid(-1, NULL, WNOHANG))
		warn("waiting for what %s left running", program);
	do {
		if (ended_by)
			end_children();
	} while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* What signals do while the program runs: those from the terminal are for it alone. */
static void set_signals(struct sigaction before[NSIG])
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction end = { .sa_handler = end_program };

	sigaction(SIGINT, &ignore, &before[SIGINT]);
	sigaction(SIGQUIT, &ignore, &before[SIGQUIT]);
	sigaction(SIGTERM, &end, &before[SIGTERM]);
	sigaction(SIGHUP, &end, &before[SIGHUP]);
}

static void reset_signals(const struct sigaction before[NSIG])
{
	sigaction(SIGINT, &before[SIGINT], NULL);
	sigaction(SIGQUIT, &before[SIGQUIT], NULL);
	sigaction(SIGTERM, &before[SIGTERM], NULL);
	sigaction(SIGHUP, &before[SIGHUP], NULL);
}

/* Why there is no trace, from how the program ended; else STATUS_OK. */
static int explain_end(const struct arguments *arguments, int status)
{
	if (WIFSIGNALED(status))
		return fail("%s was killed: %s; no trace was written",
			    arguments->program[0], strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == STATUS_NO_EXEC ||
	    WEXITSTATUS(status) == STATUS_GAVE_UP)
		return fail("no trace was written");
	if (WEXITSTATUS(status))
		return fail("%s failed with exit status %d%s; no trace was written",
			    arguments->program[0], WEXITSTATUS(status),
			    arguments->only_sampled ?
			    ", for which results that --only-sampled left out may be the reason" :
			    "");
	if (ended_by)
		return fail("ended by %s; no trace was written", strsignal(ended_by));
	return STATUS_OK;
}

/* Run the program to its end, and what it has started. */
static int run_program(const struct arguments *arguments, const char *plugin,
		       const char *output)
{
	struct sigaction before[NSIG];
	int status = 0;
	pid_t pid;

	fflush(stdout);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	set_signals(before);
	pid = fork();
	if (!pid) {
		reset_signals(before);
		become_oclgrind(arguments, plugin, output);
	}
	running = pid;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	if (pid > 0)
		wait_for_others(arguments->program[0]);
	reset_signals(before);
	if (pid < 0)
		return fail("a process for the program: %s", strerror(errno));
	return explain_end(arguments, status);
}

static int accept_trace(const char *temporary, const char *output)
{
	struct workload workload;
	int ret;

	ret = workload_open(temporary, NULL, &workload);
	if (!ret)
		ret = workload_decode(&workload, NULL);
	if (!ret && rename(temporary, output))
		ret = fail("%s: %s", output, strerror(errno));
	if (!ret)
		print_escaped(stdout, "%s: %s, %u kernel%s, %zu bytes\n", output,
		       workload.trace->name, workload.trace->kernel_count,
		       workload.trace->kernel_count == 1 ? "" : "s",
		       workload.count);
	workload_free(&workload);
	return ret;
}

/* Of the trace with this number, from 1 on; NULL: there is no memory. */
static char *numbered_output(const char *output, unsigned int number)
{
	const char *base = strrchr(output, '/');
	const char *ending = strrchr(base ? base : output, '.');
	char *name = NULL;

	if (number == 1)
		return strdup(output);
	/* A name that begins with a dot has no ending. */
	if (!ending || ending == output || ending == base + 1)
		ending = output + strlen(output);
	if (asprintf(&name, "%.*s-%u%s", (int)(ending - output), output, number,
		     ending) < 0)
		return NULL;
	return name;
}

/*
 * What a program of the recording has left: see SIMGPU_RECORD_EACH in
 * tools/record/plugin.cpp.
 */
struct recorded {
	char *trace;
	char *program;	/* a file with its name, from its first launch on */
	char *partial;
};

static void forget_recorded(struct recorded *recorded)
{
	free(recorded->trace);
	free(recorded->program);
	free(recorded->partial);
}

/* Program @number of the recording; false: there are fewer, or there is no memory. */
static bool find_recorded(const char *temporary, unsigned int number,
			  struct recorded *recorded)
{
	*recorded = (struct recorded){ .trace = NULL };
	if (asprintf(&recorded->trace, "%s.%u", temporary, number) < 0)
		recorded->trace = NULL;
	if (asprintf(&recorded->program, "%s.%u.program", temporary, number) < 0)
		recorded->program = NULL;
	if (asprintf(&recorded->partial, "%s.%u.partial", temporary, number) < 0)
		recorded->partial = NULL;
	if (recorded->trace && recorded->program && recorded->partial &&
	    !access(recorded->program, F_OK))
		return true;
	forget_recorded(recorded);
	return false;
}

/* A program that launched kernels has written no trace. */
static void tell_lost(const struct recorded *recorded)
{
	FILE *file = fopen(recorded->program, "r");
	char name[NAME_MAX + 1] = "";

	if (file && !fgets(name, sizeof(name), file))
		name[0] = '\0';
	if (file)
		fclose(file);
	warn("%s launched kernels, but failed, was killed or did not end by exit(): it has no trace",
	     *name ? name : "a program");
}

static int accept_traces(const char *temporary, const char *output)
{
	unsigned int accepted = 0, number;
	struct recorded recorded;
	int ret = STATUS_OK;
	char *name;

	for (number = 1; !ret && find_recorded(temporary, number, &recorded); number++) {
		if (access(recorded.trace, F_OK)) {
			tell_lost(&recorded);
			forget_recorded(&recorded);
			continue;
		}
		name = numbered_output(output, ++accepted);
		ret = name ? accept_trace(recorded.trace, name) : fail("out of memory");
		free(name);
		forget_recorded(&recorded);
	}
	if (ret || accepted)
		return ret;
	return number > 1 ? fail("no trace was written") :
	       fail("the program launched no kernel, or the recorder did not run; no trace was written");
}

/* A name beside the output that no other file has */
static char *temporary_name(const char *output)
{
	char *name = NULL;

	if (asprintf(&name, "%s.recording-%d", output, (int)getpid()) < 0)
		return NULL;
	return name;
}

static void remove_rest(const char *temporary)
{
	struct recorded recorded;
	unsigned int number;

	for (number = 1; find_recorded(temporary, number, &recorded); number++) {
		unlink(recorded.trace);
		unlink(recorded.partial);
		unlink(recorded.program);
		forget_recorded(&recorded);
	}
}

/* Check now what would otherwise fail only after the program has run, perhaps for hours. */
static int check_ends(const char *program, const char *temporary,
		      const char *output)
{
	struct stat there;
	int fd;

	if (strchr(program, '/') && access(program, X_OK))
		return fail("%s: %s", program, strerror(errno));
	if (!stat(output, &there) && S_ISDIR(there.st_mode))
		return fail("%s: %s", output, strerror(EISDIR));
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail("%s cannot be written: %s", output, strerror(errno));
	close(fd);
	unlink(temporary);
	return STATUS_OK;
}

static int record(const struct arguments *arguments, const char *output)
{
	char *temporary = temporary_name(output);
	char plugin[PATH_MAX];
	int ret;

	if (!temporary)
		return fail("out of memory");
	if (!find_plugin(plugin, sizeof(plugin))) {
		free(temporary);
		return fail("the recorder, " PLUGIN ", is neither beside this program, nor installed, nor what SIMGPU_RECORDER names");
	}
	ret = check_ends(arguments->program[0], temporary, output);
	if (!ret)
		ret = run_program(arguments, plugin, temporary);
	if (!ret)
		ret = accept_traces(temporary, output);
	remove_rest(temporary);
	free(temporary);
	return ret;
}

int trace_record_command(int argc, char **argv)
{
	struct arguments arguments = { .output = NULL };
	char *program, *output = NULL;
	int ret;

	parse_command_line(&command_line, argc, argv, ARGP_IN_ORDER, &arguments);
	program = strdup(arguments.program[0]);
	if (!program)
		return fail("out of memory");
	if (arguments.output)
		output = strdup(arguments.output);
	else if (asprintf(&output, "%s.sgtr", arguments.name ? arguments.name :
			  basename(program)) < 0)
		output = NULL;
	ret = output ? record(&arguments, output) : fail("out of memory");
	free(program);
	free(output);
	return ret;
}
