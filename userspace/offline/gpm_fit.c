// SPDX-License-Identifier: GPL-2.0
/* Training of GPM; see gpm_fit.h. */
#include <math.h>

#include "gpm_fit.h"

#define ROUNDS_MAX	1000

/**
 * struct centre - the centre of a cluster
 */
struct centre {
	double progress[GPM_COUNTS];
	u32 members;
};

static double apart(const double *a, const double *b)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < GPM_COUNTS; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static u32 nearest(const struct centre *centres, u32 clusters,
		   const double *progress, double *distance)
{
	u32 best = 0, i;

	*distance = INFINITY;
	for (i = 0; i < clusters; i++) {
		double now = apart(centres[i].progress, progress);

		if (now >= *distance)
			continue;
		*distance = now;
		best = i;
	}
	return best;
}

/* The program furthest from all centres; with *@distance 0 all programs are centres. */
static u32 furthest(const struct gpm_program *programs, u32 count,
		    const struct centre *centres, u32 clusters, double *distance)
{
	double most = 0, now;
	u32 best = 0, i;

	for (i = 0; i < count; i++) {
		nearest(centres, clusters, programs[i].progress, &now);
		if (now <= most)
			continue;
		most = now;
		best = i;
	}
	*distance = most;
	return best;
}

static u32 begin(const struct gpm_program *programs, u32 count, u64 seed,
		 struct centre *centres)
{
	u32 clusters = 1, next;
	double distance;

	memcpy(centres[0].progress, programs[seed % count].progress,
	       sizeof(centres[0].progress));
	while (clusters < GPM_CLUSTERS) {
		next = furthest(programs, count, centres, clusters, &distance);
		if (distance <= 0)
			break;
		memcpy(centres[clusters++].progress, programs[next].progress,
		       sizeof(centres[0].progress));
	}
	return clusters;
}

/* Assign each program to its nearest centre; returns whether any has moved. */
static bool assign(struct gpm_program *programs, u32 count,
		   struct centre *centres, u32 clusters)
{
	bool moved = false;
	double distance;
	u32 i;

	for (i = 0; i < clusters; i++)
		centres[i].members = 0;
	for (i = 0; i < count; i++) {
		u32 cluster = nearest(centres, clusters, programs[i].progress,
				      &distance);

		moved |= cluster != programs[i].cluster;
		programs[i].cluster = cluster;
		centres[cluster].members++;
	}
	return moved;
}

/* Move the centres; one without programs stays where it is. */
static void move(const struct gpm_program *programs, u32 count,
		 struct centre *centres, u32 clusters)
{
	u32 cluster, i, k;

	for (cluster = 0; cluster < clusters; cluster++) {
		struct centre *centre = &centres[cluster];
		double sums[GPM_COUNTS] = { 0 };

		if (!centre->members)
			continue;
		for (i = 0; i < count; i++)
			for (k = 0; k < GPM_COUNTS; k++)
				if (programs[i].cluster == cluster)
					sums[k] += programs[i].progress[k];
		for (k = 0; k < GPM_COUNTS; k++)
			centre->progress[k] = sums[k] / centre->members;
	}
}

static u64 mean_rate(const struct gpm_program *programs, u32 count, u32 cluster,
		     u32 at, u32 event)
{
	double sum = 0;
	u32 members = 0, i;

	for (i = 0; i < count; i++) {
		if (programs[i].cluster != cluster)
			continue;
		sum += (double)programs[i].rates[at][event];
		members++;
	}
	return (u64)llround(sum / members);
}

static u64 deviation(const struct gpm_program *programs, u32 count, u32 event)
{
	double sum = 0, squares = 0, n = (double)count * GPM_COUNTS;
	u32 i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < GPM_COUNTS; k++)
			sum += (double)programs[i].rates[k][event];
	for (i = 0; i < count; i++)
		for (k = 0; k < GPM_COUNTS; k++)
			squares += pow((double)programs[i].rates[k][event] -
				       sum / n, 2);
	return (u64)fmax(1, round(sqrt(squares / n)));
}

/* Round to integers; clusters without a program are left out. */
static void round_off(const struct gpm_program *programs, u32 count,
		      const struct centre *centres, u32 clusters,
		      struct gpm_constants *out)
{
	u32 cluster, event, k;

	out->clusters = 0;
	for (event = 0; event < GPM_EVENTS; event++)
		out->deviation[event] = deviation(programs, count, event);
	for (cluster = 0; cluster < clusters; cluster++) {
		struct gpm_cluster *to = &out->cluster[out->clusters];

		if (!centres[cluster].members)
			continue;
		out->clusters++;
		for (k = 0; k < GPM_COUNTS; k++) {
			double ppm = centres[cluster].progress[k] * SIMGPU_PPM;

			to->progress_ppm[k] = (u32)fmax(1, round(ppm));
			for (event = 0; event < GPM_EVENTS; event++)
				to->rates[k][event] =
					mean_rate(programs, count, cluster, k,
						  event);
		}
	}
}

void gpm_fit(struct gpm_program *programs, u32 count, u64 seed,
	     struct gpm_constants *out)
{
	struct centre centres[GPM_CLUSTERS];
	u32 clusters, round, i;

	memset(centres, 0, sizeof(centres));
	for (i = 0; i < count; i++)
		programs[i].cluster = GPM_CLUSTERS;
	clusters = begin(programs, count, seed, centres);
	for (round = 0; round < ROUNDS_MAX; round++) {
		if (!assign(programs, count, centres, clusters))
			break;
		move(programs, count, centres, clusters);
	}
	round_off(programs, count, centres, clusters, out);
}

double gpm_fit_error(const struct gpm_constants *gpm,
		     const struct gpm_program *programs, u32 count)
{
	double sum = 0;
	u32 i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < GPM_COUNTS; k++) {
			u64 held = 1000ULL * gpm->sms[k];
			u32 cluster = gpm_choose(gpm, held,
						 programs[i].rates[k]);
			double said = (double)gpm_progress_ppm(gpm, cluster,
							       held);

			sum += fabs(SIMGPU_PPM * programs[i].progress[k] /
				    said - 1);
		}
	return count ? sum / (count * GPM_COUNTS) : 0;
}
