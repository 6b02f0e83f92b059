/* SPDX-License-Identifier: GPL-2.0 */
/* Stretches of sampled time: units of work, and when a stretch has whole ones. */
#ifndef SESSION_SAMPLING_STRETCH_H
#define SESSION_SAMPLING_STRETCH_H

#include <simgpu/port.h>

struct ended;
struct session;
struct working;

void sampling_kernels_ended(struct session *session, const struct ended *ended);

bool sampling_all_queues(struct session *session, u32 way,
			 bool (*each)(const struct working *working));
u64 sampling_place(const struct working *working);
bool sampling_see_queue(const struct working *working);
void sampling_begin_stretch(struct session *session, u32 way);
void sampling_begin_phase(struct session *session, u32 way, u64 phase);
void sampling_begin_warm(struct session *session, u32 way);
bool sampling_is_warm(const struct working *working);
bool sampling_is_whole(const struct working *working);
bool sampling_choose_units(struct session *session, u32 way);
void sampling_note_rates(struct session *session, u32 way);

#endif /* SESSION_SAMPLING_STRETCH_H */
