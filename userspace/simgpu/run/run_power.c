// SPDX-License-Identifier: GPL-2.0
/* Clock and power in results: a paragraph for people, and JSON. */
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run_power.h"

/* How long the power of an epoch was above the cap, in epochs. */
static size_t epochs_above(const struct settings *settings, const struct result *result,
			   size_t *epochs)
{
	u64 cap_uw = settings->session.power_cap * SIMGPU_PPM, last = U64_MAX;
	size_t above = 0, i;

	*epochs = 0;
	for (i = 0; i < result->epoch_count; i++) {
		const struct simgpu_epoch_record *record = &result->epochs[i].record;

		if (record->epoch == last)
			continue;
		last = record->epoch;
		++*epochs;
		above += record->power_uw > cap_uw;
	}
	return above;
}

void print_power(const struct settings *settings, const struct result *result)
{
	const struct session_power *power = &result->power;
	size_t epochs, above;

	putchar('\n');
	print_paragraph("Clock of the SMs: %llu MHz at the end, %llu MHz in the mean; it has changed %llu times.",
			power->clock_mhz, power->mean_mhz, power->changes);
	if (!power->known)
		return;
	print_paragraph("Power: %.1f W in the mean.", (double)power->mean_uw / 1e6);
	if (!settings->session.power_cap)
		return;
	above = epochs_above(settings, result, &epochs);
	print_paragraph("The cap is %u W; the mean of %zu of %zu epochs was above it.",
			settings->session.power_cap, above, epochs);
}

struct json_object *power_json(const struct result *result)
{
	const struct session_power *power = &result->power;
	struct json_object *object = json_object_new_object();

	json_set(object, "mhz", json_u64(power->clock_mhz));
	json_set(object, "mean_mhz", json_u64(power->mean_mhz));
	json_set(object, "clock_changes", json_u64(power->changes));
	json_set(object, "mean_watts", json_ppm_or_null(power->known, power->mean_uw));
	return object;
}
