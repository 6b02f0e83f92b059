// SPDX-License-Identifier: GPL-2.0
/* Figures of a tenant's report by name; see report_fields.h. */
#include "json.h"
#include "output.h"
#include "report_fields.h"
#include "sysfs.h"

const struct figure *report_field_find(const char *name)
{
	const struct figure *figure;

	each_figure(figure)
		if (!strcmp(figure->name, name))
			return figure;
	return NULL;
}

bool report_field_is_list(const struct figure *figure)
{
	return figure->unit == FIGURE_SMS || figure->unit == FIGURE_BITS;
}

/* How many units of the report are one unit of sysfs and JSON */
static double units_in_one(const struct figure *figure)
{
	switch ((enum figure_unit)figure->unit) {
	case FIGURE_RATIO:
		return 1e6;
	case FIGURE_TIME:
		return 1e3;
	case FIGURE_ENERGY:
		return 1e12;
	default:
		return 1;
	}
}

void report_field_set(struct simgpu_tenant_report *report,
		      const struct figure *figure, double value)
{
	char *at = (char *)report + figure->offset;

	if (figure->unit != FIGURE_TRUTH || value > 0)
		report->flags |= figure->flag;
	if (figure->unit == FIGURE_TRUTH)
		return;
	value *= units_in_one(figure);
	/* Add half a unit to round, so that decimals read back the same. A value may be < 0. */
	if (figure->unit == FIGURE_SMALL)
		*(u32 *)at = (u32)(value + 0.5);
	else
		*(u64 *)at = (u64)(s64)(value < 0 ? value - 0.5 : value + 0.5);
}

static struct json_object *figure_json(const struct figure *figure, bool known,
				       const void *report)
{
	char text[ROW_SM_LIST_BYTES];

	if (!known)
		return NULL;
	if (figure->unit == FIGURE_TRUTH)
		return json_object_new_boolean((int)figure_value(figure, report));
	figure_text(figure, report, text);
	return sysfs_value(figure->name, text);
}

void report_fields_json(struct json_object *object,
			const struct simgpu_tenant_report *report)
{
	const struct figure *figure;

	each_figure(figure)
		json_set(object, figure->name,
			 figure_json(figure, figure_is_known(figure, report), report));
}

bool report_has_copies(const struct simgpu_tenant_report *report)
{
	return report->copies || report->copies_waiting || report->copies_running;
}

bool report_is_starved(const struct simgpu_tenant_report *report)
{
	u32 i;

	if (report->thread_instructions)
		return false;
	for (i = 0; i < report->queue_count; i++)
		if (report->queue[i].state >= SIMGPU_QUEUE_READY)
			return true;
	return report->flags & SIMGPU_REPORT_WAITS_FOR_MEMORY;
}

void report_energies_json(struct json_object *object,
			  const struct device_report *report)
{
	const struct figure *figure;

	each_device_figure(figure)
		if (figure->flag == DEVICE_ENERGY)
			json_set(object, figure->name,
				 figure_json(figure,
					     device_figure_is_known(figure, report),
					     report));
}
