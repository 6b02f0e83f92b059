/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of a workload for requests that come by themselves: arrivals=, load= and so on. */
#ifndef SIMGPU_ARRIVALS_H
#define SIMGPU_ARRIVALS_H

#include "command.h"

/* The greatest load that makes sense. */
#define ARRIVALS_LOAD_MAX_PPM	(1000 * SIMGPU_PPM)

/**
 * struct arrivals_words - what a user said about a tenant's arrivals
 * @given: whether there was any key
 * @plan: the plan; its requests are 0 if the user gave no number, its rate is 0 if
 *	@load_ppm gives the rate
 * @load_ppm: rate of arrivals over the rate at which requests complete alone; 0: the
 *	plan has the rate
 * @list: memory of the plan's list, or NULL
 * @list_count: number of cycles in @list
 */
struct arrivals_words {
	bool given;
	struct arrivals_plan plan;
	u64 load_ppm;
	u64 *list;
	u64 list_count;
};

/**
 * arrivals_key() - parse a key
 * @words: zero at first; arrivals_free() frees what they hold
 * @key: arrivals, load, requests, launches, deadline, hint or batching
 * @value: text behind the '='
 * @known: set to whether there is such a key
 *
 * Return: an exit status; a message has been printed on failure.
 */
int arrivals_key(struct arrivals_words *words, const char *key,
		 const char *value, bool *known);

/* Refuse keys that do not go together; an exit status. */
int arrivals_words_check(const struct arrivals_words *words);

/* Refuse batching of a trace without steps, and a trace with steps without it; an exit status. */
int arrivals_check_batching(const struct arrivals_words *words, const char *path,
			    const struct trace *trace);

/**
 * arrivals_settle() - make a plan for a session
 * @words: of a tenant with some keys
 * @options: options of the experiment
 * @trace: trace of a request; may be NULL if no load is given
 * @threads: threads that measure how long a request takes alone
 *
 * If the user gave no number of requests, they come until the experiment's stop cycle,
 * which has to be set then.
 *
 * Return: an exit status; a message has been printed on failure.
 */
int arrivals_settle(struct arrivals_words *words,
		    const struct session_options *options,
		    const struct trace *trace, u32 threads);

/* Launches of a request. */
u32 arrivals_launches(const struct arrivals_words *words);

/**
 * arrivals_settle_known() - arrivals_settle() when the time of a request alone is known
 * @words: as for arrivals_settle()
 * @options: as for arrivals_settle()
 * @cycles: what offline_alone_cycles() returned; not used without a load
 *
 * Return: an exit status; a message has been printed on failure.
 */
int arrivals_settle_known(struct arrivals_words *words,
			  const struct session_options *options, u64 cycles);

/* The ioctl's argument for a settled plan, for a trace with a handle. */
struct simgpu_arrivals arrivals_request(const struct arrivals_plan *plan,
					int handle);

void arrivals_free(struct arrivals_words *words);

#endif /* SIMGPU_ARRIVALS_H */
