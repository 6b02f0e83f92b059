/* SPDX-License-Identifier: GPL-2.0 */
/* Requests to a language model, each with its own sizes, as a file lists them. */
#ifndef SIMGPU_LLM_REQUESTS_H
#define SIMGPU_LLM_REQUESTS_H

#include "../command.h"

/**
 * struct llm_request - a request of a list
 * @ns: when it comes, in nanoseconds from the first one that was taken
 * @context: tokens that it brings, at least 1
 * @generated: tokens that it wants, at least 1
 */
struct llm_request {
	u64 ns;
	u32 context;
	u32 generated;
};

/** struct llm_requests - the requests that were taken; llm_requests_free() frees them */
struct llm_requests {
	struct llm_request *list;
	u32 count;
};

/* Most requests that are taken of a list */
#define LLM_REQUESTS_MAX	100000

/**
 * llm_requests_read() - read a list
 * @path: a file with a line for each request: its time, tokens of context and generated tokens,
 *	with commas between. A time is in seconds, or a date and a time of day. Lines that begin
 *	with "#" say nothing, nor do lines ahead of the first request that begin with no digit
 * @every: of so many requests one is taken, the first of them
 * @limit: so many are taken at most
 * @requests: filled in; at least one
 *
 * Return: a status; what is wrong was said.
 */
int llm_requests_read(const char *path, u32 every, u32 limit, struct llm_requests *requests);

/**
 * llm_requests_write_arrivals() - write when they come, as arrivals=FILE takes it
 * @path: the file: a cycle a line
 * @core_mhz: of the GPU
 * @speed_ppm: so much faster than in the list the time passes, in parts per million
 *
 * Return: a status; what is wrong was said.
 */
int llm_requests_write_arrivals(const struct llm_requests *requests, const char *path,
				u32 core_mhz, u64 speed_ppm);

void llm_requests_free(struct llm_requests *requests);

#endif /* SIMGPU_LLM_REQUESTS_H */
