/* SPDX-License-Identifier: GPL-2.0 */
/* The words for requests that come by themselves: arrivals=, load= and their like. */
#ifndef SIMGPU_ARRIVALS_H
#define SIMGPU_ARRIVALS_H

#include "command.h"

/* Loads that anybody can mean. */
#define ARRIVALS_LOAD_MAX_PPM	(1000 * SIMGPU_PPM)

/**
 * struct arrivals_words - what was said of a tenant's arrivals
 * @given: something was
 * @plan: with requests 0 where nobody has said how many, and rate 0 where @load_ppm
 *	says it
 * @load_ppm: rate of arrivals over the rate at which requests complete alone; 0: the
 *	plan has the rate
 * @list: memory of the plan's list, or NULL
 * @list_count: cycles there
 */
struct arrivals_words {
	bool given;
	struct arrivals_plan plan;
	u64 load_ppm;
	u64 *list;
	u64 list_count;
};

/**
 * arrivals_key() - take a word
 * @words: zero at first; arrivals_free() frees what they hold
 * @key: arrivals, load, requests, launches or deadline
 * @value: behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; what was wrong has been said.
 */
int arrivals_key(struct arrivals_words *words, const char *key,
		 const char *value, bool *known);

/* Complain about words that do not go together; an exit status. */
int arrivals_words_check(const struct arrivals_words *words);

/**
 * arrivals_settle() - make the words a plan that a session takes
 * @words: of a tenant; some were given
 * @options: of the experiment
 * @trace: what it runs; may be NULL where no load is given
 * @threads: that find out how long it takes alone
 *
 * Without a number of requests they come until the experiment's stop cycle, which
 * there has to be.
 *
 * Return: an exit status; what was wrong has been said.
 */
int arrivals_settle(struct arrivals_words *words,
		    const struct session_options *options,
		    const struct trace *trace, u32 threads);

/* Launches of a request. */
u32 arrivals_launches(const struct arrivals_words *words);

/**
 * arrivals_settle_known() - the same where it is known how long a request takes alone
 * @words: as there
 * @options: likewise
 * @cycles: as offline_alone_cycles() has it; not read without a load
 *
 * Return: as there.
 */
int arrivals_settle_known(struct arrivals_words *words,
			  const struct session_options *options, u64 cycles);

/* What a device takes of a settled plan, for a trace with a handle. */
struct simgpu_arrivals arrivals_request(const struct arrivals_plan *plan,
					int handle);

void arrivals_free(struct arrivals_words *words);

#endif /* SIMGPU_ARRIVALS_H */
