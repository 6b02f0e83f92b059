// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu dram: one memory channel alone with its queue kept full, by random
 * requests or by those of a stream file. How requests enter, and the channel
 * itself: userspace/offline/dram_bench.c.
 */
#include <zlib.h>

#include "../../offline/bench.h"
#include "../output.h"

#define REQUESTS_DEFAULT	1000000
/* A line of a stream holds four numbers. */
#define LINE_BYTES		80

enum {
	OPTION_CONFIG = 256,
	OPTION_RBH,
	OPTION_WRITES,
	OPTION_STREAM,
	OPTION_NO_REFRESH,
	OPTION_JSON,
};

static const struct argp_option options[] = {
	{ "config", OPTION_CONFIG, "NAME|FILE", 0,
	  "The GPU (default hbm80), or a file that describes one; its name has a '/' or ends in .conf", 0 },
	{ "rbh", OPTION_RBH, "R", 0,
	  "Chance, 0 to 1, that a request asks for the row that the request to its bank before it asked for", 0 },
	{ "writes", OPTION_WRITES, "W", 0,
	  "Chance, 0 to 1, that a request is a write (default 0)", 0 },
	{ "stream", OPTION_STREAM, "FILE", 0,
	  "Requests of a file, plain or .gz, a line each: W BANK ROW COL", 0 },
	{ "requests", 'n', "N", 0,
	  "So many (default 1000000; of a stream: all)", 0 },
	{ "seed", 's', "N", 0, "Of the random requests (default 1)", 0 },
	{ "no-refresh", OPTION_NO_REFRESH, 0, 0, "Leave refresh out", 0 },
	{ "json", OPTION_JSON, 0, 0, "Print one JSON document", 0 },
	{ 0 }
};

static const char about[] =
	"Run one memory channel alone with its queue kept full, by random "
	"requests to random banks (--rbh) or by those of a file (--stream).\v"
	"A stream's line has four decimal numbers: W is 1 for a write and 0 for "
	"a read, BANK counts from 0 (its bank group is BANK divided by the "
	"banks of a group), ROW is any 32-bit number, COL counts the row's "
	"128-byte lines.\n"
	"\n"
	"Requests enter in order. Reads and writes have queues of their own; "
	"the next request waits while its own queue is full, and those after it "
	"wait with it.\n"
	"\n"
	"rbh is 1 - activates / requests. rbh_hits is the share of requests for "
	"which no activate was issued; it is higher where a row had to be "
	"activated again for the same request, as after a refresh.\n"
	"\n"
	"Examples:\n"
	"  simgpu dram --rbh 0.2 --writes 0.3\n"
	"  simgpu dram --stream requests.gz --no-refresh --json\n"
	"\n"
	"Exit status: 0; 1 if a stream cannot be read; 2 for wrong usage.";

/**
 * struct arguments - the parsed command line
 * @requests: 0: not given
 * @random_options: options were given that a stream does not take
 */
struct arguments {
	const char *config;
	const char *stream;
	u64 rbh_ppm;
	u64 writes_ppm;
	u64 requests;
	u64 seed;
	bool rbh_given;
	bool random_options;
	bool no_refresh;
	bool json;
};

static u64 option_ratio(struct argp_state *state, const char *option,
			const char *text)
{
	u64 value_ppm = 0;

	if (!parse_ppm(text, &value_ppm) || value_ppm > SIMGPU_PPM)
		argp_error(state, "%s takes a number from 0 to 1, not \"%s\"",
			   option, text);
	return value_ppm;
}

static void check_arguments(struct argp_state *state,
			    const struct arguments *arguments)
{
	if (!arguments->stream && !arguments->rbh_given)
		argp_error(state, "say --rbh R or --stream FILE");
	if (arguments->stream && arguments->random_options)
		argp_error(state, "--rbh, --writes and --seed are not for a stream");
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_CONFIG:
		arguments->config = text;
		return 0;
	case OPTION_RBH:
		arguments->rbh_ppm = option_ratio(state, "--rbh", text);
		arguments->rbh_given = true;
		arguments->random_options = true;
		return 0;
	case OPTION_WRITES:
		arguments->writes_ppm = option_ratio(state, "--writes", text);
		arguments->random_options = true;
		return 0;
	case OPTION_STREAM:
		arguments->stream = text;
		return 0;
	case 'n':
		arguments->requests = option_number(state, "--requests", text,
						    1, U32_MAX);
		return 0;
	case 's':
		arguments->seed = option_number(state, "--seed", text, 0,
						U64_MAX);
		arguments->random_options = true;
		return 0;
	case OPTION_NO_REFRESH:
		arguments->no_refresh = true;
		return 0;
	case OPTION_JSON:
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "\"%s\" is one word too many", text);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.doc = about,
};

/* --- streams ------------------------------------------------------------------- */

/**
 * struct stream - a stream file that is being read
 * @line: number of the last line that was read
 * @left: requests to read at most
 */
struct stream {
	const char *path;
	const struct gpu_config *config;
	gzFile file;
	u64 line;
	u64 left;
};

/* A field of a line: its name, and its greatest value. */
struct field {
	const char *name;
	u64 greatest;
};

enum { FIELD_WRITE, FIELD_BANK, FIELD_ROW, FIELD_COLUMN, FIELDS };

/* Returns -EINVAL after a message. */
static int refuse(const struct stream *stream, const char *reason)
{
	fail("%s: line %llu: %s", stream->path, stream->line, reason);
	return -EINVAL;
}

static int parse_line(const struct stream *stream, char *text,
		      struct offline_dram_request *request)
{
	const struct field fields[FIELDS] = {
		[FIELD_WRITE] = { "W", 1 },
		[FIELD_BANK] = { "BANK", stream->config->banks - 1 },
		[FIELD_ROW] = { "ROW", U32_MAX },
		[FIELD_COLUMN] = { "COL", stream->config->row_lines - 1 },
	};
	u64 value[FIELDS];
	char *word, *rest;
	u32 i;

	word = strtok_r(text, " \t", &rest);
	for (i = 0; i < FIELDS; i++, word = strtok_r(NULL, " \t", &rest)) {
		char reason[LINE_BYTES + 80];

		if (!word)
			return refuse(stream, "it takes four numbers, W BANK ROW COL");
		if (parse_number(word, 0, fields[i].greatest, &value[i]))
			continue;
		snprintf(reason, sizeof(reason),
			 "%s takes a number from 0 to %llu, not \"%s\"",
			 fields[i].name, fields[i].greatest, word);
		return refuse(stream, reason);
	}
	if (word)
		return refuse(stream, "there is more than W BANK ROW COL");
	request->write = (u8)value[FIELD_WRITE];
	request->bank = (u8)value[FIELD_BANK];
	request->row = (u32)value[FIELD_ROW];
	return 0;
}

/* Returns 1 and a line without its end, 0 at the file's end, or -EINVAL. */
static int read_line(struct stream *stream, char text[LINE_BYTES])
{
	z_off_t before = gztell(stream->file);
	const char *line = gzgets(stream->file, text, LINE_BYTES), *reason;
	size_t length;
	int error;

	stream->line++;
	reason = gzerror(stream->file, &error);
	if (error != Z_OK && error != Z_STREAM_END)
		return refuse(stream, reason);
	if (!line)
		return 0;
	length = strlen(text);
	if (gztell(stream->file) - before != (z_off_t)length)
		return refuse(stream, "there is a zero byte");
	if (text[length - 1] == '\n')
		text[length - 1] = '\0';
	else if (!gzeof(stream->file))
		return refuse(stream, "it is too long");
	return 1;
}

/* As struct offline_dram_source.read; @context is a struct stream. */
static int read_stream(void *context, struct offline_dram_request *requests,
		       u32 room)
{
	struct stream *stream = context;
	char text[LINE_BYTES];
	u32 i;
	int ret;

	for (i = 0; i < room && stream->left; i++, stream->left--) {
		ret = read_line(stream, text);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		ret = parse_line(stream, text, &requests[i]);
		if (ret)
			return ret;
	}
	return (int)i;
}

/* --- running ------------------------------------------------------------------- */

static int run_stream(const struct arguments *arguments,
		      const struct gpu_config *config,
		      struct offline_dram_result *result)
{
	struct stream stream = {
		.path = arguments->stream,
		.config = config,
		.left = arguments->requests ? arguments->requests : U64_MAX,
	};
	const struct offline_dram_source source = { &stream, read_stream };
	int ret;

	errno = 0;
	stream.file = gzopen(arguments->stream, "r");
	if (!stream.file) {
		fail("%s: %s", arguments->stream,
		     strerror(errno ? errno : ENOMEM));
		return -EINVAL;
	}
	ret = offline_dram_run(config, &source, result);
	gzclose_r(stream.file);
	return ret;
}

static int run_random(const struct arguments *arguments,
		      const struct gpu_config *config,
		      struct offline_dram_result *result)
{
	struct offline_dram_random random = {
		.banks = config->banks,
		.hit_ppm = (u32)arguments->rbh_ppm,
		.write_ppm = (u32)arguments->writes_ppm,
		.requests = arguments->requests ? arguments->requests :
						  REQUESTS_DEFAULT,
		.state = arguments->seed,
	};
	const struct offline_dram_source source = { &random, offline_dram_random };

	return offline_dram_run(config, &source, result);
}

/* --- output -------------------------------------------------------------------- */

/* 1 - activates / requests, which a refresh can make negative. */
static double rbh(const struct offline_dram_result *result)
{
	return ((double)result->requests - (double)result->activates) /
	       (double)result->requests;
}

static struct json_object *json_signed(double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.6f", value);
	return json_object_new_double_s(value, text);
}

static u64 per_second(const struct offline_dram_result *result)
{
	return fixed_mul_div(result->requests, 1000000000, result->wall_ns);
}

static int print_json(const struct offline_dram_result *result)
{
	struct json_object *object = json_object_new_object();

	json_set(object, "requests", json_u64(result->requests));
	json_set(object, "rbh", json_signed(rbh(result)));
	json_set(object, "rbh_hits",
		 json_ppm(fixed_ratio_ppm(result->hits, result->requests)));
	json_set(object, "bandwidth",
		 json_ppm(fixed_ratio_ppm(result->busy_clocks,
					  result->memory_clocks)));
	json_set(object, "activates", json_u64(result->activates));
	json_set(object, "memory_clocks", json_u64(result->memory_clocks));
	json_set(object, "requests_per_second",
		 json_ppm(per_second(result) * SIMGPU_PPM));
	return json_print(object);
}

static int print_text(const struct offline_dram_result *result)
{
	printf("requests             %llu\n", result->requests);
	printf("RBH                  %.4f (1 - activates / requests)\n",
	       rbh(result));
	printf("RBH, counting hits   %.4f\n",
	       (double)result->hits / (double)result->requests);
	printf("bandwidth            %.4f of peak\n",
	       (double)result->busy_clocks / (double)result->memory_clocks);
	printf("activates            %llu\n", result->activates);
	printf("memory clocks        %llu\n", result->memory_clocks);
	printf("requests a second    %llu\n", per_second(result));
	return STATUS_OK;
}

int dram_command(int argc, char **argv)
{
	struct arguments arguments = { .config = "hbm80", .seed = 1 };
	struct offline_dram_result result;
	struct gpu_config config;
	int ret;

	parse_arguments(&argp, argc, argv, 0, &arguments);
	ret = config_load(arguments.config, &config);
	if (ret)
		return ret;
	if (arguments.no_refresh)
		config.dram.trefi = 0;
	if (arguments.stream)
		ret = run_stream(&arguments, &config, &result);
	else
		ret = run_random(&arguments, &config, &result);
	if (ret == -ENOMEM)
		return fail("out of memory");
	if (ret)
		return STATUS_FAILED;
	if (!result.requests)
		return fail("%s: there is no request in it", arguments.stream);
	return arguments.json ? print_json(&result) : print_text(&result);
}
