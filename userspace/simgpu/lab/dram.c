// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu dram: one memory channel alone with its queue kept full, by random
 * requests or by those of a stream file. userspace/offline/dram_bench.c has the channel
 * and decides when requests enter.
 */
#include <zlib.h>

#include "../../offline/bench.h"
#include "../../offline/dram_bench.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"

#define REQUESTS_DEFAULT	1000000
/* Most bytes of a line of a stream, which has four numbers. */
#define LINE_BYTES		80

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
 * @requests: number of requests; 0: not given
 * @random_options: whether options were given that a stream does not take
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

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "config", 0, "NAME|FILE",
	  "The GPU (default hbm80), or a file that describes one; its name has a '/' or ends in .conf",
	  TO_TEXT(config) },
	{ "rbh", 0, "R",
	  "Chance, 0 to 1, that a request asks for the row that the request to its bank before it asked for",
	  TO_RATIO(rbh_ppm, SIMGPU_PPM), .given = AT(rbh_given) },
	{ "writes", 0, "W", "Chance, 0 to 1, that a request is a write (default 0)",
	  TO_RATIO(writes_ppm, SIMGPU_PPM), .given = AT(random_options) },
	{ "stream", 0, "FILE",
	  "Requests of a file, plain or .gz, a line each: W BANK ROW COL",
	  TO_TEXT(stream) },
	{ "requests", 'n', "N", "So many (default 1000000; of a stream: all)",
	  TO_U64(requests, 1, U32_MAX) },
	{ "seed", 's', "N", "Of the random requests (default 1)",
	  TO_U64(seed, 0, U64_MAX), .given = AT(random_options) },
	{ "no-refresh", 0, NULL, "Leave refresh out", TO_FLAG(no_refresh) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (!arguments->stream && !arguments->rbh_given)
		argp_error(state, "say --rbh R or --stream FILE");
	if (arguments->stream &&
	    (arguments->rbh_given || arguments->random_options))
		argp_error(state, "--rbh, --writes and --seed are not for a stream");
}

static const struct command_line command_line = {
	.options = options,
	.check = check_arguments,
	.about = about,
};

/* --- streams ------------------------------------------------------------------- */

/**
 * struct stream - a stream file that is being read
 * @line: number of the last line that was read
 * @left: requests that may still be read
 */
struct stream {
	const char *path;
	const struct gpu_config *config;
	gzFile file;
	u64 line;
	u64 left;
};

/* struct field - a field of a line: its name, and its greatest value */
struct field {
	const char *name;
	u64 greatest;
};

enum { FIELD_WRITE, FIELD_BANK, FIELD_ROW, FIELD_COLUMN, FIELDS };

/* Prints a message and returns -EINVAL. */
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

/* Reads a line without its end; returns 1, 0 at the file's end, or -EINVAL. */
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

/* A struct offline_dram_source.read; @context is a struct stream. */
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

/* 1 - activates / requests; refreshes can make it negative. */
static double rbh(const struct offline_dram_result *result)
{
	return ((double)result->requests - (double)result->activates) /
	       (double)result->requests;
}

static u64 per_second(const struct offline_dram_result *result)
{
	return fixed_mul_div(result->requests, 1000000000, result->wall_ns);
}

static int print_json(const struct offline_dram_result *result)
{
	struct json_object *object = json_object_new_object();

	json_set(object, "requests", json_u64(result->requests));
	json_set(object, "rbh", json_decimal_or_null(true, rbh(result)));
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

	parse_command_line(&command_line, argc, argv, 0, &arguments);
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
