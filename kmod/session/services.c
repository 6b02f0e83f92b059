// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time of request streams. A service is a tenant whose requests come by themselves.
 * Whenever one arrives and no service has another one, all begins anew as far as requests
 * go: such a moment is called an idle arrival. A leap goes from one to another. The
 * hardware is in the same state at both: other tenants run, and services have nothing.
 *
 * When the requests between them come is known: it follows from the plan, whatever is
 * simulated. So the leap takes them one after the other, each at its cycle. How long
 * a request takes is taken from requests that were simulated, one by one in turn. They
 * are kept apart by what matters most: how many came right before it without a pause, since
 * the first one may have to wait for SMs, and whether another service was busy when
 * it began. A request that comes while the one before it runs waits for that. So waiting
 * times follow from the arrivals that the exact run has, too.
 *
 * Counters, and the work of other tenants, go on as they did on the average while some service
 * had a request, and while none had. How much of the leap is which follows from how many
 * requests it has, so that services have done the work of just these.
 *
 * What is measured are groups of requests. How much the groups differ says how sure that is:
 * of how much each tenant does, as in sampling.c, and of how long requests take. Each leap
 * takes its requests three times: as measured, and with times at both ends of their
 * 95% interval. What that changes of latencies is the interval of the latencies.
 *
 * No leap where a service is busy for more than half of the time, across the end of an epoch
 * at which the policy would be asked, or over what a policy has asked to be woken for.
 */
#include "../sim/leap.h"
#include "commands.h"
#include "epoch.h"
#include "internal.h"
#include "launch.h"
#include "launch_turn.h"
#include "sampling.h"
#include "sampling_kept.h"
#include "sampling_leap.h"
#include "services.h"

/* After a change so many cycles, and requests of each service, are not measured. */
#define WARM_CYCLES	100000
#define WARM_REQUESTS	2
/* Requests of each service in the first groups, groups that are compared, and most of them */
#define GROUP_REQUESTS	8
#define GROUPS_LEAST	4
#define GROUPS_MOST	8
/* A group that is off by so many standard deviations, and by this part, says that all differs. */
#define GROUP_OFF	4
#define GROUP_OFF_PART	10
/* So many times the wanted error may a measurement have that is to be used at all. */
#define ERROR_MOST	2
/* Most that leaps are long together, until another group is measured: times what was measured */
#define LEAP_MOST	32
/* A part of a leap ends when it has passed so many requests, or cycles. */
#define PART_REQUESTS	256
#define PART_CYCLES	10000000
/* A walk that finds no idle arrival gives up after so many. */
#define WALK_REQUESTS	(8 * PART_REQUESTS)
/* A service must not be busy for more of the time than this, measured, and in a part of a leap. */
#define LOAD_MOST_PPM		500000
#define PART_LOAD_MOST_PPM	750000
/* Too few requests for their load to say much */
#define LOAD_REQUESTS		64
/* The interval of a percentile is told from so many requests on. */
#define PERCENTILE_REQUESTS	1000

/* Requests are kept apart by how many came before them without a pause, and by others. */
#define POSITIONS	4
#define CLASSES		(2 * POSITIONS)
#define SAMPLES		128
/* A class with fewer samples takes those of one that is like it. */
#define SAMPLES_LEAST	8

/* Whether some service has a request */
enum load {
	IDLE,
	BUSY,
	LOADS,
};

enum phase {
	PHASE_NONE,		/* nothing has been seen */
	PHASE_WARM,
	PHASE_MEASURE,
};

enum bound {
	BOUND_LOW,
	BOUND_HIGH,
	BOUNDS,
};

PORT_NO_HOLES_BEGIN

/*
 * struct sample - how long a request took
 * @lead: cycles from when it could have begun to when it did
 * @run: from then to its end
 */
struct sample {
	u32 lead;
	u32 run;
};

/* struct ring - samples of a class: the last ones, of @count so far */
struct ring {
	u64 count;
	struct sample sample[SAMPLES];
};

/*
 * struct walk - how far a leap has looked at a service's requests
 * @next: the request behind the first one, if there is one
 * @more: whether there is
 * @arrival: when the first one comes
 * @end: when the one before it has ended
 * @position: how many came before that without a pause, up to the last position
 * @served: requests that have been passed
 * @time: how long they took
 * @turn: by class, the sample whose turn it is
 */
struct walk {
	struct arrivals_cursor next;
	u64 more;
	u64 arrival;
	u64 end;
	u64 position;
	u64 served;
	u64 time;
	u64 turn[CLASSES];
};

/*
 * struct service - what is known of a service
 * @owner: when its first request came: another tenant's came later. 0: none has ended
 * @launches: requests that had ended at the last look
 * @wait: cycles that they had waited
 * @run: cycles that they had run
 * @last_end: when the last one ended
 * @position: of the next request, as in &struct walk
 * @beside: whether another service is busy as it begins
 * @ended: requests since all began anew
 * @served: requests of the present group
 * @time: how long they took
 * @served_all: requests measured, and @time_all likewise
 * @mean: mean time of requests in each group
 * @error_ppm: standard error of the mean time of requests
 * @turn: as in &struct walk, where the last leap has left it
 * @passed: requests that leaps have passed since the tenant joined
 * @reached: by bound, when requests passed so far would have ended
 * @shift: what it would change of all latencies
 * @ring: samples by class
 */
struct service {
	u64 owner;
	u64 launches;
	u64 wait;
	u64 run;
	u64 last_end;
	u64 position;
	u64 beside;
	u64 ended;
	u64 served;
	u64 time;
	u64 served_all;
	u64 time_all;
	u64 mean[GROUPS_MOST];
	u64 error_ppm;
	u64 turn[CLASSES];
	u64 passed;
	u64 reached[BOUNDS];
	struct latency_shift shift[BOUNDS];
	struct ring ring[CLASSES];
};

/*
 * struct services - the state of a session's leaps over requests
 * @regime: hash of all that has to stay as it is
 * @phase: &enum phase
 * @begin: device cycle since when
 * @busy: whether some service has a request
 * @since: device cycle of the idle arrival, or of the last end of a request
 * @last_leap: device cycle at which the last part of a leap ended
 * @cycles: by load, that were measured
 * @issued: thread instructions of each slot then
 * @group_cycles: of the present group, and @group_issued likewise
 * @groups: groups measured
 * @size: requests of each service in a group, at least
 * @rate: by group, thread instructions in a million cycles
 * @left: cycles that may still be leapt
 * @leapt: cycles that were leapt by what was measured
 * @variance: of each tenant's mean rate: its standard error squared, in parts of it. 0 of
 *	services: how many requests come, and what they do, is known
 * @service: by slot
 * @walk: by slot, for one leap
 * @tally: counts at the last change of the load; and what was counted in each load
 */
struct services {
	u64 regime;
	u64 phase;
	u64 begin;
	u64 busy;
	u64 since;
	u64 last_leap;
	u64 cycles[LOADS];
	u64 group_cycles[LOADS];
	u64 groups;
	u64 size;
	u64 left;
	u64 leapt;
	u64 issued[SESSION_SLOTS_MAX];
	u64 group_issued[LOADS][SESSION_SLOTS_MAX];
	u64 all_issued[LOADS][SESSION_SLOTS_MAX];
	u64 rate[GROUPS_MOST][LOADS][SESSION_SLOTS_MAX];
	u64 variance[SESSION_SLOTS_MAX];
	struct service service[SESSION_SLOTS_MAX];
	struct walk walk[SESSION_SLOTS_MAX];
	u64 tally[];
};

PORT_NO_HOLES_END

size_t services_bytes(const struct gpu_config *config)
{
	return sizeof(struct services) + (1 + LOADS) * sizeof(u64) * gpu_tally_count(config);
}

u64 services_hash(const struct session *session, u64 hash)
{
	return session->services ? hash_bytes(hash, session->services,
					      services_bytes(&session->initial.config)) : hash;
}

static u64 *tally_of(const struct session *session, u32 number)
{
	return session->services->tally +
	       number * gpu_tally_count(&session->initial.config);
}

/* The counts at the last change of the load */
static u64 *last_tally(const struct session *session)
{
	return tally_of(session, 0);
}

/* What was counted in a load */
static u64 *load_tally(const struct session *session, u32 load)
{
	return tally_of(session, 1 + load);
}

/* --- the services --------------------------------------------------------------------- */

static u64 set_of_services(const struct session *session)
{
	u64 set = 0;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].arrivals.trace)
			set |= 1ULL << slot;
	return set;
}

/* The first of a set, which it leaves; NULL when the set is empty */
static struct service *next_service(struct session *session, u64 *set, u32 *slot)
{
	if (!*set)
		return NULL;
	*slot = (u32)__builtin_ctzll(*set);
	*set &= *set - 1;
	return &session->services->service[*slot];
}

static bool any_is_busy(const struct session *session, u64 set)
{
	for (; set; set &= set - 1)
		if (has_work(&session->tenants[__builtin_ctzll(set)]))
			return true;
	return false;
}

/* When a service's first request comes that has not begun. */
static u64 next_arrival(const struct session *session, u32 slot)
{
	const struct queue *queue = &session->tenants[slot].queue[0];

	return queue->launches ? present_launch(queue)->not_before : NEVER;
}

/* When the next request of any service comes, if none has one. */
static u64 soonest_arrival(const struct session *session, u64 set)
{
	u64 soonest = NEVER;

	for (; set; set &= set - 1)
		soonest = min(soonest, next_arrival(session, (u32)__builtin_ctzll(set)));
	return soonest;
}

/* Its request comes to an idle service: what is known of it before it begins. */
static void note_arrivals(struct session *session, u64 set)
{
	u64 rest = set, now = session_now(session);
	struct service *service;
	u32 slot;

	while ((service = next_service(session, &rest, &slot))) {
		if (has_work(&session->tenants[slot]) ||
		    next_arrival(session, slot) != now)
			continue;
		service->position = 0;
		service->beside = any_is_busy(session, set & ~(1ULL << slot));
	}
}

/* --- what has to stay as it is ----------------------------------------------------------- */

static u64 mix_tenant(const struct session *session, u32 slot, u64 hash)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct arrivals *arrivals = &tenant->arrivals;
	u32 mask = working_queues(tenant);

	hash = hash_mix(hash, slot);
	hash = hash_bytes(hash, &tenant->options.lasts, sizeof(tenant->options.lasts));
	hash = hash_bytes(hash, &tenant->masks, sizeof(tenant->masks));
	if (arrivals->trace) {
		hash = hash_mix(hash, arrivals->begin);
		return hash_mix(hash, arrivals->trace->checksum);
	}
	hash = hash_mix(hash, tenant->arrival_cycle);
	for (; mask; mask &= mask - 1) {
		u32 queue = (u32)__builtin_ctz(mask);

		hash = hash_mix(hash, queue);
		hash = hash_mix(hash, present_launch(&tenant->queue[queue])->trace->checksum);
	}
	return hash;
}

/* At an idle arrival: who is there, how it is divided, and by whom. */
static u64 regime_of(const struct session *session)
{
	u32 sms[SESSION_SLOTS_MAX + 1] = { 0 };
	u64 hash = hash_bytes(0, session->policy->name, SIMGPU_NAME_BYTES);
	u32 slot, i;

	hash = hash_bytes(hash, session->model->name, SIMGPU_NAME_BYTES);
	hash = hash_bytes(hash, session->policy_params, sizeof(session->policy_params));
	hash = hash_mix(hash, session->epoch_cycles);
	for (i = 0; i < session->initial.config.sms; i++)
		sms[min_t(u32, session->controls.owner[i], SESSION_SLOTS_MAX)]++;
	hash = hash_bytes(hash, sms, sizeof(sms));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (is_member(session, slot))
			hash = mix_tenant(session, slot, hash);
	return hash;
}

/* --- measuring ------------------------------------------------------------------------ */

/* What has been counted since the last change of the load belongs to a load. */
static void count_load(struct session *session, u32 load)
{
	u64 *last = last_tally(session), *counted = load_tally(session, load);
	size_t count = gpu_tally_count(&session->initial.config), i;

	/* Unsigned: the difference is right though the sum in between may wrap. */
	for (i = 0; i < count; i++)
		counted[i] -= last[i];
	gpu_tally(session->gpu, last);
	for (i = 0; i < count; i++)
		counted[i] += last[i];
}

static void count_issued(struct session *session, u32 load)
{
	struct services *services = session->services;
	struct simgpu_counters counters;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u64 issued;

		if (!is_member(session, slot))
			continue;
		gpu_tenant_counters(session->gpu, slot, &counters);
		issued = counters.thread_instructions - services->issued[slot];
		services->group_issued[load][slot] += issued;
		services->all_issued[load][slot] += issued;
		services->issued[slot] = counters.thread_instructions;
	}
}

/* A load begins at a cycle, which may be past: the hardware is as it is now. */
static void begin_load(struct session *session, bool busy, u64 cycle)
{
	session->services->busy = busy;
	session->services->since = cycle;
}

/* The load changes: what was counted belongs to the one that ends. */
static void end_load(struct session *session, u64 cycle)
{
	struct services *services = session->services;
	u64 cycles = fixed_above(cycle, services->since);

	services->cycles[services->busy] += cycles;
	services->group_cycles[services->busy] += cycles;
	count_load(session, (u32)services->busy);
	count_issued(session, (u32)services->busy);
}

/* From here on counts are those of the next load. */
static void skip_counts(struct session *session)
{
	struct simgpu_counters counters;
	u32 slot;

	gpu_tally(session->gpu, last_tally(session));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_member(session, slot))
			continue;
		gpu_tenant_counters(session->gpu, slot, &counters);
		session->services->issued[slot] = counters.thread_instructions;
	}
}

static void begin_group(struct session *session, u64 set)
{
	struct services *services = session->services;
	struct service *service;
	u32 slot;

	memset(services->group_cycles, 0, sizeof(services->group_cycles));
	memset(services->group_issued, 0, sizeof(services->group_issued));
	while ((service = next_service(session, &set, &slot))) {
		service->served = 0;
		service->time = 0;
	}
}

/* All but what was told of the past is forgotten. */
static void forget_service(struct service *service)
{
	memset(service->mean, 0, sizeof(service->mean));
	memset(service->ring, 0, sizeof(service->ring));
	memset(service->turn, 0, sizeof(service->turn));
	service->ended = 0;
	service->served = 0;
	service->time = 0;
	service->served_all = 0;
	service->time_all = 0;
	service->error_ppm = 0;
}

static void begin_anew(struct session *session, u64 regime)
{
	struct services *services = session->services;
	u32 slot;

	memset(services, 0, offsetof(struct services, service));
	memset(services->tally, 0,
	       services_bytes(&session->initial.config) - offsetof(struct services, tally));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		forget_service(&services->service[slot]);
	services->regime = regime;
	services->phase = PHASE_WARM;
	services->begin = session_now(session);
}

/*
 * services_begin() - begin to sample, or go on with another percentage
 *
 * What was measured for the one before is forgotten. What was told of latencies stays.
 */
void services_begin(struct session *session)
{
	if (!session->services)
		return;
	begin_anew(session, 0);
	session->services->phase = PHASE_NONE;
}

static bool all_have(struct session *session, u64 set, u64 requests, bool in_group)
{
	struct service *service;
	u32 slot;

	while ((service = next_service(session, &set, &slot)))
		if ((in_group ? service->served : service->ended) < requests)
			return false;
	return true;
}

/* Two groups each become one. */
static void join_groups(struct session *session, u64 set)
{
	struct services *services = session->services;
	struct service *service;
	u32 i, load, slot;

	services->groups /= 2;
	services->size *= 2;
	for (i = 0; i < services->groups; i++)
		for (load = 0; load < LOADS; load++)
			for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
				services->rate[i][load][slot] =
					(services->rate[2 * i][load][slot] +
					 services->rate[2 * i + 1][load][slot]) / 2;
	while ((service = next_service(session, &set, &slot)))
		for (i = 0; i < services->groups; i++)
			service->mean[i] = (service->mean[2 * i] +
					    service->mean[2 * i + 1]) / 2;
}

static void note_group(struct session *session, u64 set)
{
	struct services *services = session->services;
	struct service *service;
	u32 load, slot;

	for (load = 0; load < LOADS; load++)
		for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
			services->rate[services->groups][load][slot] =
				fixed_mul_div(services->group_issued[load][slot], SIMGPU_PPM,
					      max(services->group_cycles[load], 1ULL));
	while ((service = next_service(session, &set, &slot))) {
		service->mean[services->groups] = service->time / service->served;
		service->served_all += service->served;
		service->time_all += service->time;
	}
	services->groups++;
}

/* The standard deviation of one group, in parts of the mean. */
static u64 deviation_of(const u64 *means, u64 groups)
{
	return fixed_sqrt(sampling_variance(means, groups) * groups);
}

/* Whether the last group is off: then the service, or what runs beside it, has changed. */
static bool last_is_off(const struct service *service, u64 groups)
{
	u64 mean = 0, before = groups - 1, apart;
	u32 i;

	if (before < GROUPS_LEAST)
		return false;
	for (i = 0; i < before; i++)
		mean += service->mean[i];
	mean /= before;
	apart = fixed_apart(service->mean[before], mean);
	return apart > mean / GROUP_OFF_PART &&
	       fixed_mul_div(apart, SAMPLING_ERROR_PARTS, max(mean, 1ULL)) >
	       GROUP_OFF * deviation_of(service->mean, before);
}

/* The variance of a tenant's mean rate if loads change as they did on the average. */
static u64 variance_of(const struct services *services, u32 slot)
{
	u64 all = services->cycles[IDLE] + services->cycles[BUSY], rates[GROUPS_MOST];
	u32 i;

	for (i = 0; i < services->groups; i++)
		rates[i] = fixed_mul_div(services->rate[i][IDLE][slot],
					 services->cycles[IDLE], all) +
			   fixed_mul_div(services->rate[i][BUSY][slot],
					 services->cycles[BUSY], all);
	return sampling_variance(rates, services->groups);
}

/* Whether enough is known of a service, and it is not busy for too much of the time. */
static bool is_service_known(const struct session *session, struct service *service)
{
	const struct services *services = session->services;
	u64 most = ERROR_MOST * session->sampled * SAMPLING_ERROR_PARTS / 100;
	u64 all = services->cycles[IDLE] + services->cycles[BUSY];
	u64 variance = sampling_variance(service->mean, services->groups);

	service->error_ppm = fixed_sqrt(variance) * (SIMGPU_PPM / SAMPLING_ERROR_PARTS);
	return variance <= most * most &&
	       fixed_ratio_ppm(service->time_all, all) <= LOAD_MOST_PPM;
}

static bool is_known(struct session *session, u64 set)
{
	struct services *services = session->services;
	u64 most = ERROR_MOST * session->sampled * SAMPLING_ERROR_PARTS / 100;
	struct service *service;
	u32 slot;

	if (services->groups < GROUPS_LEAST)
		return false;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_member(session, slot) || set >> slot & 1)
			continue;
		services->variance[slot] = variance_of(services, slot);
		if (services->variance[slot] > most * most)
			return false;
	}
	while ((service = next_service(session, &set, &slot)))
		if (!is_service_known(session, service))
			return false;
	return true;
}

/* A group of requests is over: is enough known to leap? */
static void end_group(struct session *session, u64 set)
{
	struct services *services = session->services;
	struct service *service;
	u64 rest = set;
	u32 slot;

	note_group(session, set);
	while ((service = next_service(session, &rest, &slot))) {
		if (last_is_off(service, services->groups)) {
			begin_anew(session, services->regime);
			return;
		}
	}
	services->left = is_known(session, set) ?
		LEAP_MOST * (services->cycles[IDLE] + services->cycles[BUSY]) : 0;
	if (services->groups == GROUPS_MOST)
		join_groups(session, set);
	begin_group(session, set);
}

/* A request has ended: how long it took. */
static void note_request(struct session *session, u32 slot, u64 set)
{
	struct service *service = &session->services->service[slot];
	const struct latency *latency = &session->tenants[slot].latency;
	u64 run = latency->run_cycles - service->run;
	u64 start = latency->last_end - run;
	u64 arrival = start - (latency->wait_cycles - service->wait);
	u64 lead = start - max(arrival, service->position ? service->last_end : 0);
	u32 class = (u32)(service->position + (service->beside ? POSITIONS : 0));
	struct ring *ring = &service->ring[class];

	service->ended++;
	if (session->services->phase == PHASE_MEASURE) {
		ring->sample[ring->count++ % SAMPLES] = (struct sample){
			.lead = (u32)min_t(u64, lead, U32_MAX),
			.run = (u32)min_t(u64, run, U32_MAX),
		};
		service->served++;
		service->time += lead + run;
	}
	service->position = min_t(u64, service->position + 1, POSITIONS - 1);
	service->beside = any_is_busy(session, set & ~(1ULL << slot));
}

static void see_latency(struct service *service, const struct latency *latency)
{
	/* Another tenant than the last one of the slot */
	if (service->owner != latency->first_arrival + 1) {
		service->owner = latency->first_arrival + 1;
		service->passed = 0;
		memset(service->shift, 0, sizeof(service->shift));
	}
	service->launches = latency->launches;
	service->wait = latency->wait_cycles;
	service->run = latency->run_cycles;
	service->last_end = latency->last_end;
}

/* services_look() - kernels have ended: have requests, and is no service busy any more? */
void services_look(struct session *session)
{
	struct services *services = session->services;
	u64 set = set_of_services(session), rest = set, last = 0;
	struct service *service;
	u32 slot;

	if (!session->sampled || !set || commands_any(session))
		return;
	while ((service = next_service(session, &rest, &slot))) {
		const struct latency *latency = &session->tenants[slot].latency;

		if (service->owner == latency->first_arrival + 1 &&
		    latency->launches == service->launches + 1)
			note_request(session, slot, set);
		if (latency->launches != service->launches)
			see_latency(service, latency);
		last = max(last, service->last_end);
	}
	if (services->phase != PHASE_MEASURE || !services->busy ||
	    any_is_busy(session, set))
		return;
	end_load(session, last);
	begin_load(session, false, last);
}

/* --- looking ahead ---------------------------------------------------------------------- */

/* struct plan - a part of a leap */
struct plan {
	u64 set;
	u64 until;	/* an idle arrival */
	u64 requests;	/* before that */
};

static void begin_walk(struct session *session, u32 slot)
{
	const struct arrivals *arrivals = &session->tenants[slot].arrivals;
	const struct service *service = &session->services->service[slot];
	struct walk *walk = &session->services->walk[slot];

	memset(walk, 0, sizeof(*walk));
	walk->next = arrivals->next;
	walk->more = arrivals->more;
	walk->arrival = next_arrival(session, slot);
	memcpy(walk->turn, service->turn, sizeof(walk->turn));
}

static void begin_walks(struct session *session, u64 set)
{
	for (; set; set &= set - 1)
		begin_walk(session, (u32)__builtin_ctzll(set));
}

/* The class to take a sample of: one with enough of them, as near as possible; else any. */
static u32 class_with_samples(const struct service *service, u32 position, bool beside)
{
	u32 pair, i;

	for (pair = 0; pair < 2; pair++)
		for (i = 0; i <= position; i++) {
			u32 class = position - i + (beside == !pair ? POSITIONS : 0);

			if (service->ring[class].count >= SAMPLES_LEAST)
				return class;
		}
	for (i = 0; i < CLASSES; i++)
		if (service->ring[i].count)
			return i;
	return CLASSES;
}

static bool some_end_after(const struct services *services, u64 set, u64 cycle)
{
	for (; set; set &= set - 1)
		if (services->walk[__builtin_ctzll(set)].end > cycle)
			return true;
	return false;
}

/* Pass a service's first request. Returns how long it takes. */
static struct sample walk_on(struct session *session, u64 set, u32 slot)
{
	const struct arrivals *arrivals = &session->tenants[slot].arrivals;
	const struct service *service = &session->services->service[slot];
	struct walk *walk = &session->services->walk[slot];
	u64 begin = max(walk->arrival, walk->end);
	bool beside = some_end_after(session->services, set & ~(1ULL << slot), begin);
	struct sample sample = { 0 };
	u32 class;

	walk->position = walk->arrival < walk->end ?
			 min_t(u64, walk->position + 1, POSITIONS - 1) : 0;
	class = class_with_samples(service, (u32)walk->position, beside);
	if (class < CLASSES) {
		const struct ring *ring = &service->ring[class];

		sample = ring->sample[walk->turn[class]++ %
				      min_t(u64, ring->count, SAMPLES)];
	}
	walk->end = begin + sample.lead + sample.run;
	walk->time += (u64)sample.lead + sample.run;
	walk->served++;
	walk->arrival = walk->more ? arrivals->begin + walk->next.cycle : NEVER;
	walk->more = walk->more && arrivals_next(&arrivals->plan, slot, &walk->next);
	return sample;
}

/* The service whose request begins next. */
static u32 first_to_begin(const struct services *services, u64 set)
{
	u64 first = NEVER;
	u32 found = 0;

	for (; set; set &= set - 1) {
		u32 slot = (u32)__builtin_ctzll(set);
		const struct walk *walk = &services->walk[slot];
		u64 begin = max(walk->arrival, walk->end);

		if (begin >= first)
			continue;
		first = begin;
		found = slot;
	}
	return found;
}

static void look_at_walks(const struct services *services, u64 set, u64 *arrival, u64 *end)
{
	*arrival = NEVER;
	*end = 0;
	for (; set; set &= set - 1) {
		const struct walk *walk = &services->walk[__builtin_ctzll(set)];

		*arrival = min(*arrival, walk->arrival);
		*end = max(*end, walk->end);
	}
}

/* Whether arrivals and departures end epochs, so that the policy is not asked between them. */
static bool arrivals_end_epochs(const struct session *session)
{
	return !lists(session, SIMGPU_ON_ARRIVAL) || !lists(session, SIMGPU_ON_DEPARTURE);
}

/*
 * Look ahead for the idle arrival at which the leap's part ends, as late as @limit. It ends
 * before the last request of a service, whose end is simulated, and before an epoch that
 * is not cut short by a request.
 */
static bool find_part(struct session *session, u64 limit, struct plan *out)
{
	const struct services *services = session->services;
	u64 epoch = arrivals_end_epochs(session) ? session->epoch_cycles : NEVER;
	u64 from = session_now(session), since = from, requests, arrival, end;

	begin_walks(session, out->set);
	for (requests = 0; requests < WALK_REQUESTS; requests++) {
		u32 slot = first_to_begin(services, out->set);

		look_at_walks(services, out->set, &arrival, &end);
		if (arrival > limit || (end && end - since >= epoch))
			break;
		if (arrival >= end && requests) {
			if (arrival - end >= epoch)
				break;
			out->until = arrival;
			out->requests = requests;
			since = arrival;
			if (requests >= PART_REQUESTS || arrival - from >= PART_CYCLES)
				break;
		}
		if (!services->walk[slot].more)
			break;
		walk_on(session, out->set, slot);
	}
	return out->requests;
}

/* --- whether there is a leap ------------------------------------------------------------- */

/* Whether the device's memory holds all that runs and all that services need. */
static bool memory_suffices(const struct session *session, u64 set)
{
	u64 used = 0, room = (u64)session->initial.config.memory_mb << 20;
	u32 slot;

	for (slot = 0; room && slot < SESSION_SLOTS_MAX; slot++)
		used += set >> slot & 1 ?
			session->tenants[slot].arrivals.trace->footprint_bytes :
			launch_footprint(&session->tenants[slot]);
	return used <= room;
}

/* A goal counts the time in which its tenant has work, which a leap does not tell. */
static bool some_service_has_goal(const struct session *session, u64 set)
{
	for (; set; set &= set - 1)
		if (session->tenants[__builtin_ctzll(set)].goal.kind)
			return true;
	return false;
}

static bool may_leap(const struct session *session, u64 set)
{
	return gpu_is_settled(session->gpu) && !gpu_has_quotas(session->gpu) &&
	       !(session_needs(session) & SIMGPU_NEEDS_PRIVATE_RUNS) &&
	       session->probe.kind == SIMGPU_PROBE_NONE &&
	       session->apply_cycle == NEVER && session->decision_cycle == NEVER &&
	       !some_service_has_goal(session, set) && memory_suffices(session, set);
}

/* When the next launch may start that is no service's request. */
static u64 next_other_start(const struct session *session, u64 set)
{
	u64 next = NEVER;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		mask = set >> slot & 1 ? 0 : tenant->pending & ~working_queues(tenant);
		for (; mask; mask &= mask - 1)
			next = min(next, present_launch(&tenant->queue[__builtin_ctz(mask)])->
					 not_before);
	}
	return next;
}

/* How fast a tenant works in a load. */
static struct sampling_rate rate_in(const struct services *services, u32 load, u32 slot)
{
	return (struct sampling_rate){
		.instructions = services->all_issued[load][slot],
		.cycles = services->cycles[load],
	};
}

static struct sampling_rate mean_rate(const struct services *services, u32 slot)
{
	return (struct sampling_rate){
		.instructions = services->all_issued[IDLE][slot] +
				services->all_issued[BUSY][slot],
		.cycles = services->cycles[IDLE] + services->cycles[BUSY],
	};
}

/* How long the leap can be for what a tenant has left, whatever the load. */
static u64 cycles_of_work(struct session *session, u32 slot)
{
	const struct services *services = session->services;
	struct sampling_rate mean = mean_rate(services, slot);
	u64 left = sampling_can_leave_out(session, slot, &mean), cycles = NEVER;
	u32 load;

	for (load = 0; load < LOADS; load++) {
		struct sampling_rate rate = rate_in(services, load, slot);

		if (rate.instructions)
			cycles = min(cycles, fixed_mul_div(left, rate.cycles,
							   rate.instructions));
	}
	return cycles;
}

/* Cycles that a part of a leap may have: as others have work, and as its error allows. */
static u64 most_cycles(struct session *session, u64 set)
{
	struct services *services = session->services;
	u64 cycles = services->left;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (!(set >> slot & 1) && has_work(&session->tenants[slot]))
			cycles = min(cycles, cycles_of_work(session, slot));
	while (cycles && !sampling_error_allows(session, services->variance,
						services->leapt, cycles))
		cycles /= 2;
	return cycles;
}

/* The last cycle at which a part of a leap may end. */
static u64 last_cycle(struct session *session, u64 set)
{
	u64 before = min(session->wake_cycle, session->model_wake_cycle);

	before = min(before, next_other_start(session, set));
	if (session->initial.stop_cycle)
		before = min(before, session->initial.stop_cycle);
	if (!arrivals_end_epochs(session))
		before = min(before, session->epoch_start + session->epoch_cycles);
	return min(fixed_above(before, 1),
		   session_now(session) + most_cycles(session, set));
}

/* Whether some service's load is too high in a part of the leap. */
static bool load_is_high(const struct session *session, const struct plan *plan)
{
	u64 cycles = plan->until - session_now(session), set;

	for (set = plan->set; set; set &= set - 1) {
		const struct walk *walk = &session->services->walk[__builtin_ctzll(set)];

		if (walk->served >= LOAD_REQUESTS &&
		    fixed_ratio_ppm(walk->time, cycles) > PART_LOAD_MOST_PPM)
			return true;
	}
	return false;
}

/* Twice the standard error of the mean of all latencies that is told, in parts of it */
static u64 interval_of(const struct session *session, u32 slot)
{
	const struct latency *latency = &session->tenants[slot].latency;
	const struct service *service = &session->services->service[slot];
	u64 mean = latency_mean(latency, NULL);
	u64 high = latency_mean(latency, &service->shift[BOUND_HIGH]);
	u64 low = latency_mean(latency, &service->shift[BOUND_LOW]);

	return fixed_mul_div(max(fixed_above(high, mean), fixed_above(mean, low)),
			     SAMPLING_ERROR_PARTS, max(mean, 1ULL));
}

/* --- the leap ---------------------------------------------------------------------------- */

/* Pass a request, as it is taken to have been, and as it would have been at both bounds. */
static void pass_request(struct session *session, u64 set, u32 slot)
{
	const struct arrivals *arrivals = &session->tenants[slot].arrivals;
	struct services *services = session->services;
	struct service *service = &services->service[slot];
	u64 arrival = services->walk[slot].arrival;
	struct sample sample = walk_on(session, set, slot);
	u64 end = services->walk[slot].end;
	u32 bound;

	for (bound = 0; bound < BOUNDS; bound++) {
		u64 off = fixed_mul_div(sample.lead + (u64)sample.run,
					min_t(u64, 2 * service->error_ppm, SIMGPU_PPM),
					SIMGPU_PPM);
		u64 *reached = &service->reached[bound];

		*reached = max(arrival, *reached) + sample.lead + sample.run;
		*reached = bound == BOUND_HIGH ? *reached + off : *reached - off;
		latency_shift_add(&service->shift[bound], end - arrival,
				  *reached - arrival);
	}
	service->passed++;
	gpu_count_kernels(session->gpu, slot, (u64)arrivals->plan.launches *
					      arrivals->trace->kernel_count);
	launch_pass(session, slot, end - sample.run, end);
}

/* The walk goes again where it was found to go, and takes the requests with it. */
static void pass_requests(struct session *session, const struct plan *plan)
{
	struct services *services = session->services;
	bool behind = services->last_leap == session_now(session);
	struct service *service;
	u64 i, rest = plan->set;
	u32 slot;

	while ((service = next_service(session, &rest, &slot)))
		if (!behind)
			memset(service->reached, 0, sizeof(service->reached));
	begin_walks(session, plan->set);
	for (i = 0; i < plan->requests; i++)
		pass_request(session, plan->set, first_to_begin(services, plan->set));
	rest = plan->set;
	while ((service = next_service(session, &rest, &slot))) {
		memcpy(service->turn, services->walk[slot].turn, sizeof(service->turn));
		see_latency(service, &session->tenants[slot].latency);
	}
}

/* Thread instructions of a request */
static u64 instructions_of(const struct arrivals *arrivals)
{
	const struct trace *trace = arrivals->trace;

	return fixed_mul(trace->period_instructions,
			 (u64)(trace->kernel_count / trace->period) *
			 arrivals->plan.launches);
}

/*
 * Cycles of a part of a leap in which some service has a request, such that services do as much
 * in them as the requests have. The walks have just passed these.
 */
static u64 busy_cycles(const struct session *session, const struct plan *plan, u64 cycles)
{
	const struct services *services = session->services;
	u64 passed = 0, measured = 0, set;

	for (set = plan->set; set; set &= set - 1) {
		u32 slot = (u32)__builtin_ctzll(set);
		const struct arrivals *arrivals = &session->tenants[slot].arrivals;

		passed = fixed_add(passed, fixed_mul(services->walk[slot].served,
						     instructions_of(arrivals)));
		measured += services->all_issued[BUSY][slot];
	}
	return min(cycles, fixed_mul_div(services->cycles[BUSY], passed, max(measured, 1ULL)));
}

/* What a tenant beside the services would have done is left out. */
static void leave_out(struct session *session, u32 slot, const u64 of_load[LOADS])
{
	const struct services *services = session->services;
	struct sampling_rate mean = mean_rate(services, slot);
	u64 instructions = 0;
	u32 load;

	for (load = 0; load < LOADS; load++) {
		struct sampling_rate rate = rate_in(services, load, slot);

		if (rate.cycles)
			instructions += fixed_mul_div(rate.instructions, of_load[load],
						      rate.cycles);
	}
	sampling_leave_out(session, slot, &mean, instructions);
}

/* Count what the hardware would have counted, and leave out what it would have done. */
static void count_leap(struct session *session, const struct plan *plan, u64 cycles)
{
	const struct services *services = session->services;
	u64 busy = busy_cycles(session, plan, cycles);
	const u64 of_load[LOADS] = { cycles - busy, busy };
	u32 slot, load;

	for (load = 0; load < LOADS; load++)
		if (services->cycles[load])
			gpu_count_leap(session->gpu, load_tally(session, load),
				       services->cycles[load], of_load[load]);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (!(plan->set >> slot & 1) && has_work(&session->tenants[slot]))
			leave_out(session, slot, of_load);
}

/* Latencies are too uncertain already: measure on before the next leap. */
static void see_intervals(struct session *session, u64 set)
{
	u64 most = 2 * session->sampled * SAMPLING_ERROR_PARTS / 100;

	for (; set; set &= set - 1)
		if (interval_of(session, (u32)__builtin_ctzll(set)) > most)
			session->services->left = 0;
}

static void leap(struct session *session, const struct plan *plan)
{
	struct services *services = session->services;
	u64 from = session_now(session), cycles = plan->until - from;
	bool ends_epochs = arrivals_end_epochs(session), anew = services->last_leap != from;

	/* As the first of the requests would do. */
	if (ends_epochs)
		epoch_end(session, false);
	pass_requests(session, plan);
	count_leap(session, plan, cycles);
	sampling_count_errors(session, services->variance, services->leapt, cycles);
	services->leapt += cycles;
	services->left -= cycles;
	sampling_pass(session, cycles);
	if (ends_epochs)
		epoch_pass(session);
	sampling_passed(session, anew);
	services->last_leap = session_now(session);
	see_intervals(session, plan->set);
	skip_counts(session);
	begin_load(session, false, session_now(session));
}

/* Leap over requests, if that may be done now, at an idle arrival. */
static bool leap_now(struct session *session, u64 set)
{
	struct services *services = session->services;
	struct plan plan = { .set = set };

	if (!services->left || !may_leap(session, set) ||
	    !find_part(session, last_cycle(session, set), &plan))
		return false;
	if (load_is_high(session, &plan)) {
		begin_anew(session, services->regime);
		return false;
	}
	leap(session, &plan);
	return true;
}

/* --- idle arrivals ----------------------------------------------------------------------- */

/* What was measured ends here, and may be enough for a leap. */
static void see_idle_arrival(struct session *session, u64 set)
{
	struct services *services = session->services;
	u64 now = session_now(session), regime = regime_of(session);

	if (services->phase == PHASE_NONE || services->regime != regime)
		begin_anew(session, regime);
	if (services->phase == PHASE_MEASURE) {
		end_load(session, now);
		if (all_have(session, set, services->size, true))
			end_group(session, set);
	}
	if (services->phase == PHASE_WARM && now - services->begin >= WARM_CYCLES &&
	    all_have(session, set, WARM_REQUESTS, false)) {
		services->phase = PHASE_MEASURE;
		services->size = GROUP_REQUESTS;
		begin_group(session, set);
		skip_counts(session);
	}
}

/*
 * services_leap() - leap over requests, if it is time
 *
 * To be called before launches start whose cycle has come.
 *
 * Return: whether device time has leapt.
 */
bool services_leap(struct session *session)
{
	u64 set = session->sampled && !session->stopped ? set_of_services(session) : 0;
	u64 now = session_now(session);

	if (!set || soonest_arrival(session, set) > now || commands_any(session))
		return false;
	note_arrivals(session, set);
	if (any_is_busy(session, set) || soonest_arrival(session, set) < now)
		return false;
	see_idle_arrival(session, set);
	if (leap_now(session, set))
		return true;
	begin_load(session, true, now);
	return false;
}

/* --- what is told ------------------------------------------------------------------------ */

/*
 * The nearest rank of the 99th percentile, and by how much it may be off, as the simulated
 * requests are only some of all that might have been: two standard deviations.
 */
static void ranks_of(u64 launches, u64 simulated, u64 rank[BOUNDS])
{
	u64 nearest = latency_rank(launches, 99);
	u64 off = fixed_mul_div(launches, 2 * fixed_sqrt(99 * simulated),
				100 * max(simulated, 1ULL));

	rank[BOUND_LOW] = max(fixed_above(nearest, off), 1ULL);
	rank[BOUND_HIGH] = min(nearest + off, launches);
}

/* services_figures() - what leaps have changed of a tenant's latencies */
void services_figures(const struct session *session, u32 slot, struct session_passed *out)
{
	const struct latency *latency = &session->tenants[slot].latency;
	u32 mhz = session->initial.config.core_mhz, bound;
	const struct service *service;
	u64 rank[BOUNDS];

	memset(out, 0, sizeof(*out));
	if (!session->services || !latency->launches)
		return;
	service = &session->services->service[slot];
	if (!service->passed || service->owner != latency->first_arrival + 1)
		return;
	out->requests = service->passed;
	ranks_of(latency->launches, latency->launches - service->passed, rank);
	for (bound = 0; bound < BOUNDS; bound++) {
		const struct latency_shift *shift = &service->shift[bound];

		out->mean_ns[bound] = fixed_mul_div(latency_mean(latency, shift), 1000, mhz);
		if (latency->launches >= PERCENTILE_REQUESTS)
			out->p99_ns[bound] = fixed_mul_div(latency_at(latency, shift,
								      rank[bound]),
							   1000, mhz);
	}
}
