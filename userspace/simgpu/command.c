// SPDX-License-Identifier: GPL-2.0
/* Options, messages, reading of numbers, progress; see command.h. */
#include <ctype.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

char command_words[64] = "simgpu";

/* --- options --- */

/* Above those of all commands. */
#define OPTION_WIDE	0x10000

static const struct argp_option help_options[] = {
	{ NULL, 'h', NULL, 0, "Give this list alone", -1 },
	{ "wide", OPTION_WIDE, NULL, 0,
	  "Let tables have more than 80 columns", -1 },
	{ 0 }
};

bool tables_are_wide;

static error_t parse_help(int key, char *text, struct argp_state *state)
{
	(void)text;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case 'h':
		argp_state_help(state, stdout,
				ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG);
		printf("\n%s --help tells more, with examples.\n", command_words);
		exit(STATUS_OK);
	case OPTION_WIDE:
		tables_are_wide = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void parse_arguments(const struct argp *argp, int argc, char **argv,
		     unsigned int flags, void *input)
{
	const struct argp_child children[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp with_help = {
		.options = help_options,
		.parser = parse_help,
		.children = children,
	};

	argp_parse(&with_help, argc, argv, flags, NULL, input);
}

void (*before_message)(void);

static void message(const char *format, va_list arguments)
{
	if (before_message)
		before_message();
	progress_end();
	fflush(stdout);
	fprintf(stderr, "%s: ", command_words);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

int fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	va_end(arguments);
	return STATUS_FAILED;
}

int fail_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	va_end(arguments);
	return STATUS_USAGE;
}

void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	va_end(arguments);
}

const char *device_error(int error)
{
	switch (error) {
	case -ENOENT:
		return "there is no such device; is the module loaded?";
	case -ENODEV:
	case -ENXIO:
		return "the device is going away";
	case -EBUSY:
		return "the device is busy with somebody else's work";
	case -EPERM:
		return "that needs CAP_SYS_NICE: run it as root, or have the device's limits raised (docs/driver.md)";
	case -EDQUOT:
		return "you hold as much of the kernel's memory as you may (user_mib)";
	case -ENOBUFS:
		return "the device holds as much of the kernel's memory as it may (device_mib)";
	default:
		return strerror(-error);
	}
}

int explain_listening(int error)
{
	if (error == -ENOENT)
		return fail("there is no netlink family \"simgpu\"; is the module loaded?");
	if (error == -EPERM)
		return fail("the epochs of others are for CAP_NET_ADMIN: run it as root, or load the module with counters_public=1");
	return fail("netlink: %s", strerror(-error));
}

void remove_output(const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode))
		unlink(path);
}

int close_file(FILE *file, const char *path)
{
	int ret;

	if (!(ferror(file) | fclose(file)))
		return STATUS_OK;
	ret = fail("%s: %s", path, strerror(errno));
	remove_output(path);
	return ret;
}

/* --- numbers --- */

/* What a suffix stands for; 0: there is no such one. */
static u64 suffix_value(const char *text)
{
	if (text[0] && text[1])
		return 0;
	switch (text[0]) {
	case '\0': return 1;
	case 'k':
	case 'K': return 1000;
	case 'M': return 1000000;
	case 'G': return 1000000000;
	default: return 0;
	}
}

/* Decimals of a unit, which have to come to a whole number. */
static bool add_decimals(const char *text, const char *end, u64 unit, u64 *value)
{
	if (text == end)
		return false;
	for (; text < end; text++) {
		if (unit == 1)
			return false;
		unit /= 10;
		*value += (u64)(*text - '0') * unit;
	}
	return true;
}

bool parse_number(const char *text, u64 least, u64 greatest, u64 *value)
{
	const char *decimals;
	char *end;
	u64 unit;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	decimals = end + 1;
	if (*end == '.')
		end = (char *)decimals + strspn(decimals, "0123456789");
	unit = suffix_value(end);
	if (errno || !unit || *value > U64_MAX / unit)
		return false;
	*value *= unit;
	if (end >= decimals &&
	    (unit == 1 || !add_decimals(decimals, end, unit, value)))
		return false;
	return *value >= least && *value <= greatest;
}

bool parse_ppm(const char *text, u64 *value_ppm)
{
	u64 whole = 0, parts = 0, scale = SIMGPU_PPM;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		whole = whole * 10 + (*text - '0');
		if (whole > U32_MAX)
			return false;
	}
	if (*text == '.') {
		text++;
		if (!isdigit((unsigned char)*text))
			return false;
		for (; isdigit((unsigned char)*text) && scale > 1; text++) {
			scale /= 10;
			parts += (u64)(*text - '0') * scale;
		}
	}
	*value_ppm = whole * SIMGPU_PPM + parts;
	return !*text;
}

void *grow(void *array, size_t count, size_t bytes)
{
	array = realloc(array, count * bytes);
	if (!array) {
		fail("out of memory");
		exit(STATUS_FAILED);
	}
	return array;
}

const struct argp_option json_options[] = {
	{ "json", 'j', 0, 0, "Print one JSON document", 0 },
	{ 0 }
};

error_t parse_json_option(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

u64 option_number(struct argp_state *state, const char *option,
		  const char *text, u64 least, u64 greatest)
{
	u64 value = 0;

	if (!parse_number(text, least, greatest, &value))
		argp_error(state, "%s takes a number from %llu to %llu, not \"%s\"",
			   option, least, greatest, text);
	return value;
}

/* --- progress --- */

/* A line that comes and goes within moments tells nobody anything. */
#define PROGRESS_AFTER_NS	2000000000ULL
/* Nor does one that fills a file; of SIMGPU_PROGRESS_SECONDS. */
#define PROGRESS_FILE_SECONDS	300
#define NS_PER_SECOND		1000000000ULL

/**
 * struct progress_line - what is under way
 * @start_ns: since when; 0: nothing is
 * @next_ns: not to say more before; in a file what follows keeps it, so that many
 *	short things say something, too
 * @every_ns: in a file, from line to line
 * @terminal: standard error is one
 * @shown: a line stands there
 */
static struct progress_line {
	u64 start_ns;
	u64 next_ns;
	u64 every_ns;
	bool terminal;
	bool shown;
} line;

static void progress_begin(u64 now_ns)
{
	const char *seconds = getenv("SIMGPU_PROGRESS_SECONDS");
	u64 every = PROGRESS_FILE_SECONDS;

	if (seconds)
		parse_number(seconds, 1, 1000000, &every);
	line.start_ns = now_ns;
	line.every_ns = every * NS_PER_SECOND;
	line.terminal = isatty(STDERR_FILENO);
	if (line.terminal)
		line.next_ns = now_ns + PROGRESS_AFTER_NS;
	else if (!line.next_ns)
		line.next_ns = now_ns + line.every_ns;
}

/* A line of its own, which says how long the rest may take, too. */
static void progress_log(const char *what, u64 done, u64 total, u64 now_ns)
{
	u64 seconds = (now_ns - line.start_ns) / NS_PER_SECOND;

	if (total)
		fprintf(stderr, "%s: %llu %% after %llu min, some %llu more\n",
			what, fixed_mul_div(done, 100, total), seconds / 60,
			done ? fixed_mul_div(seconds, total - done, done) / 60 :
			       0);
	else
		fprintf(stderr, "%s: %llu million cycles after %llu min\n",
			what, done / 1000000, seconds / 60);
	line.next_ns = now_ns + line.every_ns;
}

void progress(const char *what, u64 done, u64 total)
{
	static u64 last = U64_MAX;
	u64 shown = total ? fixed_mul_div(done, 100, total) : done / 1000000;
	u64 now_ns = offline_wall_ns();

	if (!line.start_ns)
		progress_begin(now_ns);
	if (now_ns < line.next_ns || (line.shown && shown == last))
		return;
	if (!line.terminal) {
		progress_log(what, done, total, now_ns);
		return;
	}
	last = shown;
	line.shown = true;
	fprintf(stderr, total ? "\r%s: %llu %%\033[K" :
				"\r%s: %llu million cycles\033[K", what, shown);
	fflush(stderr);
}

void progress_end(void)
{
	if (line.shown)
		fputs("\r\033[K", stderr);
	line.start_ns = 0;
	line.shown = false;
}
