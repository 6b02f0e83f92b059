/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the subcommands of simgpu share: options, messages, and reading of
 * numbers. Each subcommand is one file with one entry point.
 */
#ifndef SIMGPU_COMMAND_H
#define SIMGPU_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "../lib/simgpu.h"
#include "../offline/offline.h"

/* Exit status of every subcommand */
#define STATUS_OK	0
#define STATUS_FAILED	1
#define STATUS_USAGE	2
/* It went to its end, but some policy or model was refused in it: its figures are not theirs. */
#define STATUS_REFUSED	3

int bench_command(int argc, char **argv);
int calibrate_command(int argc, char **argv);
int config_command(int argc, char **argv);
int dram_command(int argc, char **argv);
int list_command(int argc, char **argv);
int model_command(int argc, char **argv);
int plan_command(int argc, char **argv);
int plot_command(int argc, char **argv);
int policy_command(int argc, char **argv);
int profile_command(int argc, char **argv);
int run_command(int argc, char **argv);
int stat_command(int argc, char **argv);
int sweep_command(int argc, char **argv);
int tenant_command(int argc, char **argv);
int top_command(int argc, char **argv);
int trace_command(int argc, char **argv);
int trace_check_command(int argc, char **argv);
int trace_convert_command(int argc, char **argv);
int trace_dump_command(int argc, char **argv);
int trace_import_command(int argc, char **argv);
int trace_info_command(int argc, char **argv);
int trace_llm_command(int argc, char **argv);
int trace_record_command(int argc, char **argv);
int trace_save_command(int argc, char **argv);
int train_command(int argc, char **argv);
int workloads_command(int argc, char **argv);

/* The words that were typed so far, such as "simgpu trace"; messages begin with them. */
extern char command_words[64];
/**
 * escape_controls() - a text that does nothing to a terminal
 * @text: with names that others have chosen: of files, kernels, processes
 *
 * Return: a copy for free() in which control characters, but for ends of lines and
 * tabs, are written as "\033"; NULL if there is no memory.
 */
char *escape_controls(const char *text);
/* printf() to @out of what escape_controls() makes of the text. */
__attribute__((format(printf, 2, 3)))
void print_escaped(FILE *out, const char *format, ...);
/* A message on standard error, its control characters escaped. Returns STATUS_FAILED. */
__attribute__((format(printf, 1, 2)))
int fail(const char *format, ...);
/* The same for wrong usage. Returns STATUS_USAGE. */
__attribute__((format(printf, 1, 2)))
int fail_usage(const char *format, ...);
/* Prints a message on standard error. */
__attribute__((format(printf, 1, 2)))
void warn(const char *format, ...);
/* Called before any message, so that a full-screen view does not hide it; may be NULL. */
extern void (*before_message)(void);
/* What a negative errno of the device means to a user */
const char *device_error(int error);
/* Explains why no epochs can be received. Returns STATUS_FAILED. */
int explain_listening(int error);

/* Removes a file that was written. A device or a pipe stays. */
void remove_output(const char *path);
/* Closes a file that was written, and removes it if it is incomplete. An exit status. */
int close_file(FILE *file, const char *path);

/* realloc() to @count elements of @bytes each; ends the command if there is no memory. */
void *grow(void *array, size_t count, size_t bytes);

/* --- options --- */

/* argp_parse() with a command's options and with -h and --wide */
void parse_arguments(const struct argp *argp, int argc, char **argv,
		     unsigned int flags, void *input);
/* --wide: tables may have lines of more than 80 letters */
extern bool tables_are_wide;
/* parse_number(), with a usage error of argp on failure */
u64 option_number(struct argp_state *state, const char *option,
		  const char *text, u64 least, u64 greatest);
/* parse_mib() of a size up to the most that managed memory can have, likewise */
u64 option_mib(struct argp_state *state, const char *option, const char *text);
/* The place of a word among those that an option takes; else argp's usage error. */
u32 option_word(struct argp_state *state, const char *option,
		const char *const *words, u32 count, const char *text);
/* Options of a command that has only --json; the input is a bool. */
extern const struct argp_option json_options[];
error_t parse_json_option(int key, char *text, struct argp_state *state);
/*
 * A number in digits; or with K, M or G behind it (thousands, millions, thousand
 * millions) or a power of ten (e6), and then with decimals, too, such as 1.5M and 1.5e6.
 * False for anything else.
 */
bool parse_number(const char *text, u64 least, u64 greatest, u64 *value);
/* A size of memory in MiB, from 1 to @greatest MiB: "512", "512M" or "1G". */
bool parse_mib(const char *text, u64 greatest, u64 *mib);
/* A decimal with up to six places, such as 0.8, in parts per million. */
bool parse_ppm(const char *text, u64 *value_ppm);

/* --- configurations --- */

/* Whether the argument of --config is a file: it has a '/' or ends in .conf. */
bool config_is_file(const char *text);

/**
 * config_load() - load the configuration of a GPU
 * @text: the argument of --config: name of a shipped configuration, or a file
 *	(docs/configurations.md)
 * @config: set
 *
 * Return: an exit status; a message has been printed on failure.
 */
int config_load(const char *text, struct gpu_config *config);

/* --- progress --- */

/**
 * progress() - show how far a long job is, on standard error
 * @what: name of the job
 * @done: work done, out of @total
 * @total: all work; 0: not known, and @done is in cycles
 *
 * On a terminal the line replaces the last one, from two seconds after the start on, and
 * progress_end() removes it. Elsewhere a line is written every five minutes, or every
 * SIMGPU_PROGRESS_SECONDS (an environment variable), with an estimate of the time left.
 */
void progress(const char *what, u64 done, u64 total);
void progress_end(void);

#endif /* SIMGPU_COMMAND_H */
