// SPDX-License-Identifier: GPL-2.0
/* Policies that fail, each in its own way, and a model, for plugin.c's tests. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <simgpu/register.h>

static int decide_error(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	return -EIO;
}

static int decide_impossible(const struct simgpu_snapshot *snapshot, void *state,
			      struct simgpu_proposal *proposal)
{
	proposal->sms[SIMGPU_SLOTS_MAX - 1] = snapshot->sms + 1;
	return 0;
}

/* By the clock: mdelay() may be short in a guest that was busy at its start. */
static void take_ms(u64 ms)
{
	u64 end_ns = ktime_get_ns() + ms * NSEC_PER_MSEC;

	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

static int decide_slowly(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	take_ms(1100);
	return 0;
}

/* Long enough that somebody else's wait for the device can be looked at. */
static int decide_for_seconds(const struct simgpu_snapshot *snapshot, void *state,
			      struct simgpu_proposal *proposal)
{
	take_ms(6000);
	return 0;
}

static int predict_half(const struct simgpu_snapshot *snapshot,
			const void *constants, void *state,
			struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		prediction->tenants[slot].class = SIMGPU_CLASS_COMPUTE;
		prediction->tenants[slot].np_ppm = 500000;
	}
	return 0;
}

static const struct simgpu_policy policies[] = {
	{ .name = "test-error", .decide = decide_error },
	{ .name = "test-impossible", .decide = decide_impossible },
	{ .name = "test-slow", .decide = decide_slowly },
	{ .name = "test-seconds", .decide = decide_for_seconds },
};

static const struct simgpu_policy clash = {
	.name = "even", .decide = decide_error,
};

static const struct simgpu_policy unnamed = { .decide = decide_error };
static const struct simgpu_policy empty = { .name = "test-empty" };
static const struct simgpu_policy eager = {
	.name = "test-eager", .events = SIMGPU_ON_KNOWN + 1,
	.decide = decide_error,
};

static const struct simgpu_policy needy = {
	.name = "test-needy", .needs = SIMGPU_NEEDS_KNOWN + 1,
	.decide = decide_error,
};

static const struct simgpu_policy large = {
	.name = "test-large", .state_bytes = SIMGPU_STATE_BYTES_MAX + 1,
	.decide = decide_error,
};

static const struct simgpu_policy *const bad[] = {
	&unnamed, &empty, &eager, &needy, &large,
};

static const struct simgpu_model half = {
	.name = "test-half", .latency_cycles = 1, .predict = predict_half,
};

static void unregister_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		simgpu_unregister_policy(&policies[i]);
	simgpu_unregister_model(&half);
}

static bool some_bad_one_is_taken(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (simgpu_register_policy(bad[i], THIS_MODULE) != -EINVAL)
			return true;
	return false;
}

/* Fails if something is registered that should not be. */
static int __init test_policies_init(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(policies) && !ret; i++)
		ret = simgpu_register_policy(&policies[i], THIS_MODULE);
	if (!ret)
		ret = simgpu_register_model(&half, THIS_MODULE);
	if (!ret && (simgpu_register_policy(&clash, THIS_MODULE) != -EEXIST ||
		     simgpu_register_policy(&policies[0], THIS_MODULE) != -EEXIST ||
		     simgpu_register_model(&half, THIS_MODULE) != -EEXIST ||
		     some_bad_one_is_taken()))
		ret = -EBADE;
	if (ret)
		unregister_all();
	return ret;
}
module_init(test_policies_init);

static void __exit test_policies_exit(void)
{
	unregister_all();
}
module_exit(test_policies_exit);

MODULE_DESCRIPTION("Policies for simgpu's tests");
MODULE_LICENSE("GPL");
