// SPDX-License-Identifier: GPL-2.0
/*
 * What users may set, and what they get: the range of each field of a configuration,
 * its value in each one that is built in, and each param of a policy or a model. Journals,
 * sysfs and saved configurations rely on them, and results on the values, so a change
 * is meant to be seen in tests/unit/ranges.txt.
 *
 *	test_ranges		compares, in the top folder
 *	test_ranges --print	prints the file again
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/policy/registry.h"
#include "../../kmod/sim/sim.h"
#include "listing.h"

#define FILE_NAME	"tests/unit/ranges.txt"

static void print_fields(FILE *out)
{
	const struct config_field *field;
	u32 i;

	for (i = 0; (field = config_field_at(i)); i++)
		fprintf(out, "field %s %u %u\n", field->name, field->least,
			field->greatest);
}

static void print_configs(FILE *out)
{
	const struct config_field *field;
	const struct gpu_config *config;
	u32 i, j;

	for (i = 0; (config = gpu_config_at(i)); i++)
		for (j = 0; (field = config_field_at(j)); j++)
			fprintf(out, "config %s %s %u\n", config->name,
				field->name, config_get(config, field));
}

static void print_params(FILE *out, const char *kind, const char *name,
			 const struct simgpu_param *param)
{
	for (; param && param->name; param++)
		fprintf(out, "%s %s %s %u %llu %llu %llu\n", kind, name,
			param->name, param->unit, (unsigned long long)param->least,
			(unsigned long long)param->most,
			(unsigned long long)param->initial);
}

static void print_all(FILE *out)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	u32 i;

	print_fields(out);
	print_configs(out);
	for (i = 0; (model = registry_model_at(i)); i++)
		print_params(out, "model", model->name, model->params);
	for (i = 0; (policy = registry_policy_at(i)); i++)
		print_params(out, "policy", policy->name, policy->params);
}

static void ranges_are_those_of_the_file(void **state)
{
	expect_listing(FILE_NAME, print_all);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_those_of_the_file),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		print_all(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
