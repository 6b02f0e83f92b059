// SPDX-License-Identifier: GPL-2.0
/* Options, messages, reading of numbers, progress; see command.h. */
/* For vasprintf, fopencookie. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../offline/run.h"
#include "command.h"

char command_words[64] = "simgpu";

/* --- names on a terminal --- */

/* A control character of UTF-8 is one byte, or 0xc2 and one from 0x80 to 0x9f. */
static size_t control_bytes(const char *text)
{
	unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];

	if ((first < ' ' && first != '\n' && first != '\t') || first == 0x7f)
		return 1;
	return first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2 : 0;
}

char *escape_controls(const char *text)
{
	/* A byte becomes four. */
	char *copy = malloc(4 * strlen(text) + 1), *to = copy;
	size_t bytes;

	while (copy && *text) {
		bytes = control_bytes(text);
		if (!bytes)
			*to++ = *text++;
		for (; bytes; bytes--)
			to += sprintf(to, "\\%03o", (unsigned char)*text++);
	}
	if (copy)
		*to = '\0';
	return copy;
}

static void vprint_escaped(FILE *out, const char *format, va_list arguments)
{
	char *text = NULL, *escaped = NULL;

	if (vasprintf(&text, format, arguments) >= 0)
		escaped = escape_controls(text);
	fputs(escaped ? escaped : "out of memory", out);
	free(escaped);
	free(text);
}

void print_escaped(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprint_escaped(out, format, arguments);
	va_end(arguments);
}

/* Of a stream that writes to standard error: what comes in parts is escaped in parts. */
static ssize_t write_escaped(void *unused, const char *bytes, size_t count)
{
	(void)unused;
	print_escaped(stderr, "%.*s", (int)count, bytes);
	return (ssize_t)count;
}

/* Where argp writes its messages, which may quote arguments. */
static FILE *escaped_errors(void)
{
	const cookie_io_functions_t functions = { .write = write_escaped };
	FILE *stream = fopencookie(NULL, "w", functions);

	if (!stream)
		return stderr;
	setvbuf(stream, NULL, _IOLBF, 0);
	return stream;
}

/* --- options --- */

/* A key above those of all commands' options */
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
		state->err_stream = escaped_errors();
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
	vprint_escaped(stderr, format, arguments);
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

/* Of "e6" a million; 0: it is no such exponent. */
static u64 power_of_ten(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	u64 value = 1;
	int power;

	if (!digits || digits > 2 || text[digits])
		return 0;
	for (power = atoi(text); power; power--) {
		if (value > U64_MAX / 10)
			return 0;
		value *= 10;
	}
	return value;
}

/* What a suffix stands for; 0: there is no such one. */
static u64 suffix_value(const char *text)
{
	if (*text == 'e' || *text == 'E')
		return power_of_ten(text + 1);
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

/* Add decimals of a unit. The result has to be a whole number. */
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

bool parse_mib(const char *text, u64 greatest, u64 *mib)
{
	size_t length = strlen(text);
	char number[16] = "";
	u64 unit = 1;

	if (length && text[length - 1] == 'G')
		unit = 1024;
	if (length && (unit > 1 || text[length - 1] == 'M'))
		length--;
	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	if (!parse_number(number, 1, greatest / unit, mib))
		return false;
	*mib *= unit;
	return true;
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

u64 option_mib(struct argp_state *state, const char *option, const char *text)
{
	u64 mib = 0;

	if (!parse_mib(text, SESSION_MANAGED_MIB_MAX, &mib))
		argp_error(state, "%s takes 1 to %u MiB, such as 512, 512M or 1G", option,
			   SESSION_MANAGED_MIB_MAX);
	return mib;
}

u32 option_word(struct argp_state *state, const char *option,
		const char *const *words, u32 count, const char *text)
{
	char all[128] = "";
	size_t length = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!strcmp(text, words[i]))
			return i;
		length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s",
					   !i ? "" : i + 1 < count ? ", " : " or ",
					   words[i]);
	}
	argp_error(state, "%s is %s, not \"%s\"", option, all, text);
	return 0;
}

/* --- progress --- */

/* On a terminal, a job that ends before this shows no line. */
#define PROGRESS_AFTER_NS	2000000000ULL
/* In a file, seconds between lines, unless SIMGPU_PROGRESS_SECONDS is set */
#define PROGRESS_FILE_SECONDS	300
#define NS_PER_SECOND		1000000000ULL

/**
 * struct progress_line - the progress of the present job
 * @start_ns: when the job began; 0: there is no job
 * @next_ns: time of the next line at the earliest. In a file the next job keeps it, so that
 *	many short jobs write lines, too
 * @every_ns: in a file, time between lines
 * @terminal: standard error is a terminal
 * @shown: a line is on the terminal
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

/* Print a whole line, with an estimate of the time left. */
static void progress_log(const char *what, u64 done, u64 total, u64 now_ns)
{
	u64 seconds = (now_ns - line.start_ns) / NS_PER_SECOND;

	if (total)
		print_escaped(stderr, "%s: %llu %% after %llu min, some %llu more\n",
			what, fixed_mul_div(done, 100, total), seconds / 60,
			done ? fixed_mul_div(seconds, total - done, done) / 60 :
			       0);
	else
		print_escaped(stderr, "%s: %llu million cycles after %llu min\n",
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
	fputc('\r', stderr);
	print_escaped(stderr, total ? "%s: %llu %%" : "%s: %llu million cycles", what,
		      shown);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void progress_end(void)
{
	if (line.shown)
		fputs("\r\033[K", stderr);
	line.start_ns = 0;
	line.shown = false;
}
