// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of the GPU that may overlap, and krisp, which gives them to kernels: who gets
 * which TPCs, how far it may share them, and who waits for how long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/parts.h"
#include "snapshots.h"

#define NONE	SIMGPU_NO_OWNER
#define BOTH	SIMGPU_SHARED

/* --- TPCs ------------------------------------------------------------------------------- */

/* As many TPCs as hold the SMs, up to the whole device. */
static void sms_are_rounded_up_to_tpcs(void **state)
{
	static const struct {
		u32 each;
		u32 sms;
		u32 tpcs;
	} cases[] = {
		{ 1, 0, 0 }, { 1, 1, 1 }, { 1, 8, 8 }, { 1, 9, 8 },
		{ 2, 1, 1 }, { 2, 2, 1 }, { 2, 3, 2 }, { 2, 7, 4 },
		{ 2, 8, 4 }, { 2, 9, 4 }, { 4, 5, 2 }, { 8, 1, 1 },
	};
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	u32 i;

	snapshot_init(snapshot, 8, 500000);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snapshot->sms_per_tpc = cases[i].each;
		assert_int_equal(tpc_count(snapshot), 8 / cases[i].each);
		assert_int_equal(tpcs_for(snapshot, cases[i].sms),
				 cases[i].tpcs);
	}
	free(snapshot);
}

/* Those with the fewest users first, of several the lowest, and none twice. */
static void parts_take_what_fewest_have(void **state)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	struct part *first = &parts->of[0], *last = &parts->of[63];
	u32 i;

	take_tpc(parts, last, 0);
	take_tpc(parts, last, 64);
	take_tpc(parts, last, 127);
	assert_true(has_tpc(last, 64) && has_tpc(last, 127));
	assert_false(has_tpc(last, 63) || has_tpc(last, 126));
	for (i = 1; i < 64; i++) {
		assert_int_equal(tpc_with_fewest_users(parts, first, 65), i);
		take_tpc(parts, first, i);
	}
	/* Nobody's are gone: those of the other one, from the lowest on. */
	assert_int_equal(tpc_with_fewest_users(parts, first, 65), 0);
	take_tpc(parts, first, 0);
	assert_int_equal(parts->users[0], 2);
	assert_int_equal(tpc_with_fewest_users(parts, first, 65), 64);
	take_tpc(parts, first, 64);
	assert_int_equal(tpc_with_fewest_users(parts, first, 65), NO_TPC);
	leave_all_tpcs(parts, last);
	assert_int_equal(last->count, 0);
	assert_false(has_tpc(last, 127));
	assert_int_equal(parts->users[0], 1);
	assert_int_equal(parts->users[64], 1);
	assert_int_equal(parts->users[127], 0);
	assert_int_equal(first->count, 65);
	free(parts);
}

/* --- krisp ------------------------------------------------------------------------------ */

/** struct krisp - the policy on a device, whose tenants' kernels need what they say */
struct krisp {
	struct simgpu_snapshot *snapshot;
	struct simgpu_proposal *said;
	struct parts *parts;
};

static struct krisp krisp_begin(u32 sms, u32 each, u64 overlap_ppm)
{
	struct krisp it = {
		.snapshot = calloc(1, sizeof(*it.snapshot)),
		.said = calloc(1, sizeof(*it.said)),
		.parts = calloc(1, policy_krisp.state_bytes),
	};

	snapshot_init(it.snapshot, sms, 500000);
	it.snapshot->sms_per_tpc = each;
	set_params(it.snapshot, &policy_krisp);
	set_param(it.snapshot, &policy_krisp, "overlap", overlap_ppm);
	memset(it.said->owner, NONE, sizeof(it.said->owner));
	return it;
}

static void krisp_end(struct krisp *it)
{
	free(it->snapshot);
	free(it->said);
	free(it->parts);
}

/* A kernel that needs so many SMs comes to the head of a queue. */
static void come(struct krisp *it, u32 slot, u32 queue, u32 sms)
{
	struct simgpu_snapshot_tenant *tenant = &it->snapshot->tenants[slot];

	if (!tenant->active) {
		activate(it->snapshot, slot, 0);
		tenant->events |= SIMGPU_ON_ARRIVAL;
	}
	tenant->events |= SIMGPU_ON_KERNEL_READY;
	if (tenant->queue_count <= queue)
		tenant->queue_count = queue + 1;
	tenant->queue[queue].head.flags = SIMGPU_KERNEL_PRESENT;
	tenant->queue[queue].head.blocks = sms;
	tenant->queue[queue].events = SIMGPU_ON_KERNEL_READY;
}

/* A kernel has ended, with which its tenant's work is over. */
static void go(struct krisp *it, u32 slot)
{
	memset(&it->snapshot->tenants[slot], 0,
	       sizeof(it->snapshot->tenants[slot]));
	it->snapshot->tenants[slot].events = SIMGPU_ON_DEPARTURE;
	it->snapshot->tenants_active--;
}

/* Ask it; who is not held starts. */
static void ask(struct krisp *it)
{
	u32 slot, i;

	it->snapshot->cycle += 1000;
	assert_int_equal(policy_krisp.decide(it->snapshot, it->parts, it->said),
			 0);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		struct simgpu_snapshot_tenant *tenant =
			&it->snapshot->tenants[slot];

		tenant->events = 0;
		for (i = 0; i < tenant->queue_count; i++) {
			tenant->queue[i].events = 0;
			if (!(it->said->hold >> slot & 1))
				tenant->queue[i].head.flags |=
					SIMGPU_KERNEL_RUNNING;
		}
	}
}

static u64 sms_of(const struct krisp *it, u32 slot)
{
	u64 sms = 0;
	u32 sm;

	for (sm = 0; sm < it->snapshot->sms; sm++)
		if (it->said->sharers[sm] >> slot & 1)
			sms |= 1ULL << sm % 64;
	return sms;
}

/* What a tenant shares counts against its limit, what it has for itself does not. */
static void the_limit_is_of_what_is_shared(void **state)
{
	/* Of eight SMs two may be others', too. */
	struct krisp it = krisp_begin(8, 1, SIMGPU_PPM / 4);

	come(&it, 0, 0, 5);
	ask(&it);
	come(&it, 1, 0, 3);
	ask(&it);
	assert_int_equal(sms_of(&it, 1), 0xe0);
	/* A kernel of another queue: now it shares two, and has its three. */
	come(&it, 1, 1, 2);
	ask(&it);
	assert_int_equal(sms_of(&it, 1), 0xe3);
	/* No more than these two, whatever comes. */
	come(&it, 1, 2, 3);
	ask(&it);
	assert_int_equal(sms_of(&it, 1), 0xe3);
	/* What others share with one another is nothing to a third one. */
	come(&it, 2, 0, 2);
	ask(&it);
	assert_int_equal(sms_of(&it, 2), 0x0c);
	krisp_end(&it);
}

/* Without overlap SMs have owners; where they may be shared, all of them are. */
static void sms_are_shared_where_they_may_be(void **state)
{
	struct krisp own = krisp_begin(8, 2, 0), shared = krisp_begin(8, 2, 1);
	u32 sm;

	come(&own, 3, 0, 3);
	come(&shared, 3, 0, 3);
	ask(&own);
	ask(&shared);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(own.said->owner[sm], sm < 4 ? 3 : NONE);
		assert_int_equal(shared.said->owner[sm], sm < 4 ? BOTH : NONE);
		assert_int_equal(shared.said->sharers[sm], sm < 4 ? 8 : 0);
	}
	assert_true(own.said->hold == ~8ULL);
	assert_true(shared.said->hold == ~8ULL);
	krisp_end(&own);
	krisp_end(&shared);
}

/* Who finds no SM is held, and has what there is as soon as somebody leaves it. */
static void who_finds_no_sm_waits(void **state)
{
	struct krisp it = krisp_begin(8, 1, 0);

	come(&it, 5, 0, 8);
	ask(&it);
	come(&it, 2, 0, 6);
	ask(&it);
	assert_true(it.said->hold == ~(1ULL << 5));
	assert_int_equal(sms_of(&it, 2), 0);
	go(&it, 5);
	ask(&it);
	assert_int_equal(sms_of(&it, 2), 0x3f);
	assert_int_equal(sms_of(&it, 5), 0);
	assert_true(it.said->hold == ~(1ULL << 2));
	/* A kernel begins on fewer than it needs where there are no more. */
	come(&it, 63, 0, 6);
	ask(&it);
	assert_int_equal(sms_of(&it, 63), 0xc0);
	krisp_end(&it);
}

/* A part is its tenant's until its last kernel has ended. */
static void a_part_is_kept_until_the_last_kernel_has_ended(void **state)
{
	struct krisp it = krisp_begin(8, 1, 0);
	struct simgpu_snapshot_tenant *tenant = &it.snapshot->tenants[0];

	come(&it, 0, 0, 3);
	come(&it, 0, 1, 2);
	ask(&it);
	assert_int_equal(sms_of(&it, 0), 0x1f);
	/* One ends, and a smaller one follows: the other one runs on. */
	tenant->events = SIMGPU_ON_KERNEL_END;
	come(&it, 0, 0, 1);
	ask(&it);
	assert_int_equal(sms_of(&it, 0), 0x1f);
	/* Both end, and smaller ones follow. */
	tenant->events = SIMGPU_ON_KERNEL_END;
	come(&it, 0, 0, 1);
	come(&it, 0, 1, 1);
	ask(&it);
	assert_int_equal(sms_of(&it, 0), 0x03);
	krisp_end(&it);
}

/* A snapshot has 1,024 rows of shared SM and tenant: more than that is nobody given. */
static void parts_are_no_more_than_rows(void **state)
{
	static const struct {
		u32 each;
		u32 eighth;
		u32 ninth;
		u32 gets;
	} cases[] = {
		{ 1, 128, 40, 0 }, { 1, 100, 40, 28 }, { 1, 100, 28, 28 },
		{ 1, 100, 20, 20 }, { 1, 127, 40, 1 },
		{ 2, 128, 40, 0 }, { 2, 100, 40, 28 }, { 2, 126, 40, 2 },
		{ 4, 126, 40, 0 }, { 4, 124, 40, 4 },
	};
	u32 i, slot, sm, rows, got;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct krisp it = krisp_begin(128, cases[i].each, SIMGPU_PPM);

		for (slot = 0; slot < 9; slot++) {
			come(&it, slot, 0, slot < 7 ? 128 : slot < 8 ?
			     cases[i].eighth : cases[i].ninth);
			ask(&it);
		}
		for (sm = 0, rows = 0, got = 0; sm < 128; sm++) {
			rows += hweight64(it.said->sharers[sm]);
			got += it.said->sharers[sm] >> 8 & 1;
		}
		assert_true(rows <= SIMGPU_SHARED_ROWS_MAX);
		assert_int_equal(got, cases[i].gets);
		assert_int_equal(it.said->hold >> 8 & 1, !cases[i].gets);
		krisp_end(&it);
	}
}

/* Who has waited longest is first, whatever its slot; who finds no SM is held. */
static void who_has_waited_longest_is_first(void **state)
{
	struct krisp it = krisp_begin(8, 1, 0);

	come(&it, 5, 0, 8);
	ask(&it);
	come(&it, 2, 0, 6);
	ask(&it);
	come(&it, 1, 0, 6);
	ask(&it);
	assert_true(it.said->hold == ~(1ULL << 5));
	go(&it, 5);
	ask(&it);
	assert_int_equal(sms_of(&it, 2), 0x3f);
	assert_int_equal(sms_of(&it, 1), 0xc0);
	assert_int_equal(sms_of(&it, 5), 0);
	assert_true(it.said->hold == ~6ULL);
	krisp_end(&it);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sms_are_rounded_up_to_tpcs),
		cmocka_unit_test(parts_take_what_fewest_have),
		cmocka_unit_test(the_limit_is_of_what_is_shared),
		cmocka_unit_test(sms_are_shared_where_they_may_be),
		cmocka_unit_test(who_finds_no_sm_waits),
		cmocka_unit_test(a_part_is_kept_until_the_last_kernel_has_ended),
		cmocka_unit_test(who_has_waited_longest_is_first),
		cmocka_unit_test(parts_are_no_more_than_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
