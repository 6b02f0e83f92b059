// SPDX-License-Identifier: GPL-2.0
/*
 * For the tests of parameters, constants, holding and sharing: a policy with a parameter of
 * each unit, one that holds the tenant in slot 1, one that shares all SMs, and a
 * model with a parameter of the same name and 10,000 bytes of constants.
 */
#include <linux/module.h>
#include <simgpu/register.h>

#define CONSTANTS_BYTES	10000

static const struct simgpu_param policy_params[] = {
	{ "part", SIMGPU_UNIT_RATIO, 100000, 900000, 500000, "a ratio" },
	{ "count", SIMGPU_UNIT_NUMBER, 1, 18446744073709551615ULL, 7, "a number" },
	{ "wait", SIMGPU_UNIT_CYCLES, 1000, 100000, 2000, "a time" },
	{ .name = NULL }
};

static const struct simgpu_param model_params[] = {
	{ "part", SIMGPU_UNIT_RATIO, 0, 1000000, 250000, "another ratio" },
	{ .name = NULL }
};

static int decide_nothing(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	return 0;
}

static int decide_hold(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	proposal->flags |= SIMGPU_SAYS_HOLD;
	proposal->hold = 1U << 1;
	proposal->sms[1] = 0;
	return 0;
}

static int decide_share(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	u64 tenants = 0;
	u32 i;

	for (i = 0; i < SIMGPU_SLOTS_MAX; i++)
		tenants |= (u64)snapshot->tenants[i].active << i;
	if (!tenants)
		return 0;
	proposal->flags |= SIMGPU_SAYS_OWNERS;
	for (i = 0; i < snapshot->sms; i++) {
		proposal->owner[i] = SIMGPU_SHARED;
		proposal->sharers[i] = tenants;
	}
	return 0;
}

/* The first number of the constants is the NP; without them a parameter is. */
static int predict(const struct simgpu_snapshot *snapshot, const void *constants,
		   void *state, struct simgpu_prediction *prediction)
{
	u64 np_ppm = snapshot->model_params[0];
	u32 slot;

	if (constants)
		np_ppm = *(const u32 *)constants;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		prediction->tenants[slot].class = SIMGPU_CLASS_COMPUTE;
		prediction->tenants[slot].np_ppm = np_ppm;
	}
	return 0;
}

static const struct simgpu_policy policies[] = {
	{ .name = "test-params", .params = policy_params,
	  .decide = decide_nothing },
	{ .name = "test-hold", .events = SIMGPU_ON_KERNEL_READY,
	  .decide = decide_hold },
	{ .name = "test-share",
	  .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	  .decide = decide_share },
};

static const struct simgpu_model model = {
	.name = "test-constants",
	.constants_bytes = CONSTANTS_BYTES,
	.constants_version = 3,
	.params = model_params,
	.predict = predict,
};

static void unregister_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		simgpu_unregister_policy(&policies[i]);
	simgpu_unregister_model(&model);
}

static int __init test_params_init(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(policies) && !ret; i++)
		ret = simgpu_register_policy(&policies[i], THIS_MODULE);
	if (!ret)
		ret = simgpu_register_model(&model, THIS_MODULE);
	if (ret)
		unregister_all();
	return ret;
}
module_init(test_params_init);

static void __exit test_params_exit(void)
{
	unregister_all();
}
module_exit(test_params_exit);

MODULE_DESCRIPTION("Policies and a model with parameters for simgpu's tests");
MODULE_LICENSE("GPL");
