/* SPDX-License-Identifier: GPL-2.0 */
/* What tenants do in the golden runs: see test_goldens.c. */
#ifndef TESTS_GOLDEN_LIVES_H
#define TESTS_GOLDEN_LIVES_H

#include "../../kmod/policy/registry.h"
#include "goldens.h"

/* Before each step; @run->variant means something else to each. */
void live_together(struct golden_run *run);
void live_idempotent(struct golden_run *run);
void live_with_traces(struct golden_run *run);
void live_with_profiles(struct golden_run *run);
void live_through_policies(struct golden_run *run);
void live_in_queues(struct golden_run *run);
void live_by_arrivals(struct golden_run *run);
void live_with_settings(struct golden_run *run);
void live_in_masks(struct golden_run *run);
void live_in_gang(struct golden_run *run);
void live_in_memory(struct golden_run *run);
void live_long(struct golden_run *run);
void live_now_and_then(struct golden_run *run);

#endif /* TESTS_GOLDEN_LIVES_H */
