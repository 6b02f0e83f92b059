/* SPDX-License-Identifier: GPL-2.0 */
/* Leaps of sampled time: how far one may go, and what is left out meanwhile. */
#ifndef SESSION_SAMPLING_LEAP_H
#define SESSION_SAMPLING_LEAP_H

#include <simgpu/port.h>

struct session;
struct working;

/* struct sampling_rate - at which a tenant works: thread instructions in so many cycles */
struct sampling_rate {
	u64 instructions;
	u64 cycles;
};

void sampling_leap(struct session *session, u64 until);

/* For leaps over requests (services.c) */
bool sampling_error_allows(const struct session *session, const u64 *variance, u64 leapt,
			   u64 cycles);
void sampling_count_errors(struct session *session, const u64 *variance, u64 leapt,
			   u64 cycles);
u64 sampling_can_leave_out(struct session *session, u32 slot,
			   const struct sampling_rate *rate);
void sampling_leave_out(struct session *session, u32 slot,
			const struct sampling_rate *rate, u64 instructions);
void sampling_pass(struct session *session, u64 cycles);

bool sampling_is_full(const struct working *working);
bool sampling_skip_blocks(const struct working *working);
bool sampling_begin_leap(struct session *session, u32 way);

#endif /* SESSION_SAMPLING_LEAP_H */
