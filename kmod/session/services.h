/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampled time of request streams: where requests keep coming as they did, device time
 * leaps over many of them at once, from a moment at which no service has a request to
 * another one.
 */
#ifndef SESSION_SERVICES_H
#define SESSION_SERVICES_H

#include <simgpu/port.h>

struct gpu_config;
struct session;

/* Bytes of a session's memory for this, which it has once it has sampled. */
size_t services_bytes(const struct gpu_config *config);

/* Everything below does nothing in a session that does not sample. */
void services_begin(struct session *session);

/* Kernels have ended, and the session has acted on it. */
void services_look(struct session *session);

/* Leap over requests, or a part of that, if it is time: it stands for a run of the hardware. */
bool services_leap(struct session *session);

/**
 * struct session_passed - what leaps over requests have changed of a tenant's latencies
 * @requests: requests that leaps have passed, and whose latencies are estimates
 * @mean_ns: 95% interval of the mean latency of all requests
 * @p99_ns: and of their 99th percentile; 0 and 0 while there are too few requests
 */
struct session_passed {
	u64 requests;
	u64 mean_ns[2];
	u64 p99_ns[2];
};

void services_figures(const struct session *session, u32 slot,
		      struct session_passed *out);
u64 services_hash(const struct session *session, u64 hash);

#endif /* SESSION_SERVICES_H */
