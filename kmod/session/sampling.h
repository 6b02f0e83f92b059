/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampled time: where all tenants go on as they did, device time leaps ahead at the rates
 * that were just measured, and nothing is simulated meanwhile.
 */
#ifndef SESSION_SAMPLING_H
#define SESSION_SAMPLING_H

#include <simgpu/port.h>

struct gpu_config;
struct session;
struct session_sampling;

/* Bytes of a session's memory for sampling, which it has once it has sampled. */
size_t sampling_bytes(const struct gpu_config *config);

/* Everything below does nothing in a session that does not sample. */
void sampling_begin(struct session *session);

/* The cycle up to which the hardware may run before sampling_look(); NEVER: any. */
u64 sampling_next_look(const struct session *session);
void sampling_look(struct session *session, bool ended);

/* Whether device time leaps now; then sampling_leap() stands for a run of the hardware. */
bool sampling_leaps(struct session *session);

/* Device time that was leapt, which stays when a session samples no more; 0 without sampling. */
u64 sampling_leapt(const struct session *session);
void session_sampling(const struct session *session, struct session_sampling *out);
/* The standard error of all that a tenant has done, as a part of that */
u32 sampling_error_ppm(const struct session *session, u32 slot);
u64 sampling_hash(const struct session *session, u64 hash);

/* --- for leaps over requests (services.c) ------------------------------------------- */

/* Errors are counted in parts of a mean. */
#define SAMPLING_ERROR_PARTS	1000

void sampling_passed(struct session *session, bool anew);

#endif /* SESSION_SAMPLING_H */
