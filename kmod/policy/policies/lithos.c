// SPDX-License-Identifier: GPL-2.0
/*
 * lithos: quotas of TPCs that may be stolen (Coppock et al., LithOS, SOSP 2025). Each
 * tenant has TPCs of its own. Other tenants use those for which the owner has no kernel,
 * or no kernel as large. Kernels run in atoms, slices of bounded time. A TPC changes hands
 * between two atoms, so that an owner has its TPC back after one atom. If it may, the policy also
 * lowers the clock of the SMs as far as tenants are hardly slower (slip.c).
 */
#include "../common/parts.h"
#include "../common/slicing.h"
#include "../common/slip.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	ATOM,
	SLACK,
	STEAL,
	REST,
	SLIP,
	LOOK,
};

static const struct simgpu_param params[] = {
	[ATOM] = {
		"atom", SIMGPU_UNIT_CYCLES, 1000, 50000000, 280000,
		"what an atom takes at most: as long may a stolen TPC be kept"
	},
	[SLACK] = {
		"slack", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
		"by how much a kernel with a profile may be slower than on all SMs"
	},
	[STEAL] = {
		"steal", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: TPCs that their owner does not use are others'; 0: they are idle"
	},
	[REST] = {
		"rest", SIMGPU_UNIT_CYCLES, 0, 10000000000ULL, 20000000,
		"how long without work a tenant keeps its quota"
	},
	[SLIP] = {
		"slip", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
		"by how much tenants may be slower for a lower clock; 0: the clock stays"
	},
	[LOOK] = {
		"look", SIMGPU_UNIT_CYCLES, 10000, 50000000, 200000,
		"how long it looks at what tenants wait for, before it chooses the next clock"
	},
	{ .name = NULL }
};

#define NOBODY	0xffU

/**
 * struct lithos - the state of the policy
 * @seen: by slot, 1 + device cycle at which it last had work; 0: never
 * @share_ppm: by slot, the part of the SMs that it asked for then
 * @home: by TPC, the slot that owns it, or NOBODY
 * @user: by TPC, the slot that uses it, or NOBODY
 * @slicing: the atoms
 * @slip: the clock
 */
struct lithos {
	u64 seen[SIMGPU_SLOTS_MAX];
	u64 share_ppm[SIMGPU_SLOTS_MAX];
	u8 home[SIMGPU_SMS_MAX];
	u8 user[SIMGPU_SMS_MAX];
	struct slicing slicing;
	struct slip slip;
};

/**
 * struct division - how TPCs are divided in this call
 * @wanted: by slot, TPCs that its kernels still lack
 * @quota: by slot, TPCs of its own
 * @yields: slots that begin no atom until they have given back stolen TPCs
 */
struct division {
	u16 wanted[SIMGPU_SLOTS_MAX];
	u16 quota[SIMGPU_SLOTS_MAX];
	u64 yields;
};

/* --- quotas ----------------------------------------------------------------------------- */

static u64 members(const struct simgpu_snapshot *snapshot, struct lithos *lithos)
{
	u64 mask = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active) {
			lithos->seen[slot] = snapshot->cycle + 1;
			lithos->share_ppm[slot] = tenant->share_ppm;
		}
		if (lithos->seen[slot] &&
		    snapshot->cycle - (lithos->seen[slot] - 1) <=
		    snapshot->policy_params[REST])
			mask |= 1ULL << slot;
	}
	return mask;
}

/* Tenants get what they ask for, at least one TPC; the others divide the rest evenly. */
static void divide_quotas(const struct simgpu_snapshot *snapshot,
			  const struct lithos *lithos, u64 mask,
			  struct division *division)
{
	u32 tpcs = tpc_count(snapshot), left = tpcs, plain = 0, slot, own;
	u64 rest;

	for (rest = mask; rest; rest &= rest - 1) {
		u64 share_ppm;

		slot = (u32)__builtin_ctzll(rest);
		share_ppm = lithos->share_ppm[slot];
		if (!share_ppm) {
			plain++;
			continue;
		}
		own = (u32)fixed_mul_div(tpcs, share_ppm, SIMGPU_PPM);
		own = own ? own : 1;
		division->quota[slot] = (u16)min(own, left);
		left -= division->quota[slot];
	}
	for (rest = mask; rest; rest &= rest - 1) {
		slot = (u32)__builtin_ctzll(rest);
		if (lithos->share_ppm[slot])
			continue;
		division->quota[slot] = (u16)(left / plain + !!(left % plain));
		left -= division->quota[slot];
		plain--;
	}
}

/* A quota is a row of TPCs, in the order of slots. */
static void find_homes(const struct simgpu_snapshot *snapshot,
		       struct lithos *lithos, const struct division *division)
{
	u32 slot, tpc = 0, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (i = 0; i < division->quota[slot]; i++)
			lithos->home[tpc++] = (u8)slot;
	for (; tpc < tpc_count(snapshot); tpc++)
		lithos->home[tpc] = NOBODY;
}

/* --- who uses what ---------------------------------------------------------------------- */

static bool gets(struct division *division, u32 slot)
{
	if (slot == NOBODY || !division->wanted[slot])
		return false;
	division->wanted[slot]--;
	return true;
}

/* The slot that lacks most TPCs, then the lowest; NOBODY: none lacks any. */
static u32 neediest(const struct division *division)
{
	u32 best = NOBODY, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (division->wanted[slot] &&
		    (best == NOBODY ||
		     division->wanted[slot] > division->wanted[best]))
			best = slot;
	return best;
}

/*
 * First each tenant gets the TPCs of its own that it needs, then tenants that need more
 * get what is left. A TPC on which an atom runs changes hands when the atom has ended.
 */
static void divide_tpcs(const struct simgpu_snapshot *snapshot,
			struct lithos *lithos, struct division *division)
{
	u8 next[SIMGPU_SMS_MAX];
	u32 tpcs = tpc_count(snapshot), tpc, slot;

	for (tpc = 0; tpc < tpcs; tpc++)
		next[tpc] = gets(division, lithos->home[tpc]) ?
			    lithos->home[tpc] : NOBODY;
	/* A stolen TPC stays until its owner needs it. */
	for (tpc = 0; tpc < tpcs && snapshot->policy_params[STEAL]; tpc++)
		if (next[tpc] == NOBODY && gets(division, lithos->user[tpc]))
			next[tpc] = lithos->user[tpc];
	for (tpc = 0; tpc < tpcs && snapshot->policy_params[STEAL]; tpc++) {
		slot = neediest(division);
		if (next[tpc] == NOBODY && gets(division, slot))
			next[tpc] = (u8)slot;
	}
	for (tpc = 0; tpc < tpcs; tpc++) {
		slot = lithos->user[tpc];
		if (slot == next[tpc])
			continue;
		if (slot != NOBODY && snapshot->tenants[slot].active &&
		    slicing_runs(&lithos->slicing, slot)) {
			/* All atoms of the present user end before the next ones begin. */
			if (next[tpc] != NOBODY)
				division->yields |= 1ULL << slot;
			continue;
		}
		lithos->user[tpc] = next[tpc];
	}
}

/* Each SM goes to its user; a tenant without one is held until another's atom has ended. */
static void say_users(const struct simgpu_snapshot *snapshot,
		      const struct lithos *lithos, struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_HOLD;
	proposal->hold = U64_MAX;
	for (sm = 0; sm < snapshot->sms; sm++) {
		u32 user = lithos->user[sm / snapshot->sms_per_tpc];

		proposal->owner[sm] = (u8)user;
		proposal->sharers[sm] = 0;
		if (user != NOBODY)
			proposal->hold &= ~(1ULL << user);
	}
}

static int lithos_decide(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	const u64 *params = snapshot->policy_params;
	struct division division = { .yields = 0 };
	struct lithos *lithos = state;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		slicing_note(snapshot, &lithos->slicing, slot, params[ATOM]);
		division.wanted[slot] = (u16)tpcs_for(snapshot,
			tenant_sms(snapshot, &snapshot->tenants[slot],
				   params[SLACK]));
	}
	divide_quotas(snapshot, lithos, members(snapshot, lithos), &division);
	find_homes(snapshot, lithos, &division);
	divide_tpcs(snapshot, lithos, &division);
	say_users(snapshot, lithos, proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (!((division.yields | proposal->hold) >> slot & 1))
			slicing_give(snapshot, &lithos->slicing, slot, proposal);
	if (params[SLIP])
		slip_say(snapshot, &lithos->slip, params[SLIP], params[LOOK], proposal);
	return 0;
}

const struct simgpu_policy policy_lithos = {
	.name = "lithos",
	.about = "quotas of TPCs, idle ones are lent (after LithOS)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END |
		  SIMGPU_ON_SLICE_END,
	.needs = SIMGPU_NEEDS_PROFILES | SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct lithos),
	.params = params,
	.decide = lithos_decide,
};
