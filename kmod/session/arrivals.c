// SPDX-License-Identifier: GPL-2.0
/* The cycles at which requests come; see arrivals.h. */
#include <simgpu/random.h>

#include "arrivals.h"
#include "internal.h"

/* ln(2) * 2^64 */
#define LN2	0xb17217f7d1cf79acULL

static bool list_is_good(const struct arrivals_plan *plan)
{
	u64 i;

	if (!plan->list || plan->requests > ARRIVALS_LIST_MAX)
		return false;
	for (i = 1; i < plan->requests; i++)
		if (plan->list[i] < plan->list[i - 1])
			return false;
	return plan->list[plan->requests - 1] <=
	       ARRIVALS_CYCLES_MAX * ARRIVALS_LIST_MAX;
}

const char *arrivals_check(const struct arrivals_plan *plan)
{
	if (plan->kind >= ARRIVALS_KINDS)
		return "kind";
	if (!plan->launches || plan->launches > ARRIVALS_LAUNCHES_MAX)
		return "launches";
	if (!plan->requests || plan->requests > ARRIVALS_REQUESTS_MAX)
		return "requests";
	if (plan->deadline_cycles > ARRIVALS_CYCLES_MAX)
		return "deadline_cycles";
	if (plan->hint_cycles > ARRIVALS_CYCLES_MAX)
		return "hint_cycles";
	if (plan->batching > TRACE_BATCH_MAX)
		return "batching";
	/* Each request runs once: its tokens say how long. */
	if (plan->batching && plan->launches != 1)
		return "launches";
	if (plan->kind == ARRIVALS_POISSON &&
	    (plan->rate < ARRIVALS_RATE_MIN || plan->rate > ARRIVALS_RATE_MAX))
		return "rate";
	if (plan->kind == ARRIVALS_EVERY &&
	    (!plan->every_cycles || plan->every_cycles > ARRIVALS_CYCLES_MAX))
		return "every_cycles";
	if (plan->kind == ARRIVALS_LIST && !list_is_good(plan))
		return "list";
	return NULL;
}

/* A request's own random number, independent of the order of calls. */
static u64 random_number(const struct arrivals_plan *plan, u32 slot, u64 request)
{
	return simgpu_random_mix(hash_mix(hash_mix(plan->seed, slot), request));
}

/* log2() of a number above 0, in 2^-32: each squaring gives one bit. */
static u64 log2_of(u64 number)
{
	u32 bits = 63 - (u32)__builtin_clzll(number), i;
	u64 mantissa = number << (63 - bits), result = bits;

	for (i = 0; i < 32; i++) {
		/* In [1, 2), in 2^-63; its square is in [1, 4), in 2^-62. */
		u64 square = fixed_mul_high(mantissa, mantissa);

		result = result << 1 | square >> 63;
		mantissa = square >> 63 ? square : square << 1;
	}
	return result;
}

/*
 * A number from the exponential distribution of mean 1, in 2^-16: -ln(u) of an
 * evenly distributed u.
 */
static u64 exponential(u64 random)
{
	u64 log = random ? log2_of(random) : 0;

	return fixed_mul_high((64ULL << 32) - log, LN2) >> 16;
}

static void move_on(const struct arrivals_plan *plan, u32 slot,
		    struct arrivals_cursor *cursor)
{
	u64 gap;

	switch (plan->kind) {
	case ARRIVALS_POISSON:
		gap = fixed_mul_div(exponential(random_number(plan, slot,
							      cursor->request)),
				    ARRIVALS_RATE_MAX, plan->rate);
		cursor->position = fixed_add(cursor->position, gap);
		cursor->cycle = cursor->position >> 16;
		break;
	case ARRIVALS_EVERY:
		cursor->cycle = fixed_mul(cursor->request, plan->every_cycles);
		break;
	default:
		cursor->cycle = plan->list[cursor->request];
	}
}

void arrivals_first(const struct arrivals_plan *plan, u32 slot,
		    struct arrivals_cursor *cursor)
{
	memset(cursor, 0, sizeof(*cursor));
	move_on(plan, slot, cursor);
}

bool arrivals_next(const struct arrivals_plan *plan, u32 slot,
		   struct arrivals_cursor *cursor)
{
	if (cursor->request + 1 >= plan->requests)
		return false;
	cursor->request++;
	move_on(plan, slot, cursor);
	return true;
}

u32 arrivals_checksum(const struct arrivals_plan *plan)
{
	if (plan->kind != ARRIVALS_LIST)
		return 0;
	return port_crc32(0, plan->list, plan->requests * sizeof(u64));
}
