// SPDX-License-Identifier: GPL-2.0
/* The table of a session's settings; see settings.h. */
#include <linux/simgpu.h>
#include <linux/simgpu_netlink.h>

#include "managed.h"
#include "settings.h"

#include <simgpu/member.h>

const char *const session_kernel_ends[SESSION_KERNEL_ENDS] = {
	[SESSION_KERNEL_END_EVEN] = "even",
	[SESSION_KERNEL_END_CARRY] = "carry",
	[SESSION_KERNEL_END_CHANGED] = "changed",
};

const char *const session_preemptions[SESSION_PREEMPTIONS] = {
	[SESSION_PREEMPTION_DRAIN] = "drain",
	[SESSION_PREEMPTION_SWITCH] = "switch",
	[SESSION_PREEMPTION_ADAPTIVE] = "adaptive",
};

const char *const session_memory_policies[SESSION_MEMORY_POLICIES] = {
#define MEMORY_POLICY(name)	#name,
#include "../policy/memory/list.h"
};

static const char *const no_yes[] = { "0", "1" };

#define OPTION(_field)							\
	.name = #_field,						\
	.offset = offsetof(struct session_options, _field),		\
	.bytes = sizeof(((struct session_options *)NULL)->_field)
/* Settings of when a decision takes effect, and of what the policy sees */
#define SIGHT	(SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |	\
		 SESSION_SETTING_UNSAID_0 | SESSION_SETTING_JSON |	\
		 SESSION_SETTING_SIGHT)
/* Settings of what is done about failures */
#define FAILING	(SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |	\
		 SESSION_SETTING_UNSAID_0 | SESSION_SETTING_JSON)
/* Settings of clock and power */
#define POWER	(SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |	\
		 SESSION_SETTING_UNSAID_0 | SESSION_SETTING_JSON)
#define GANG(_field)	.gang = offsetof(struct simgpu_gang_create, _field)

/* In the order of the journal's first line */
const struct session_setting session_settings[] = {
	{
		OPTION(seed), GANG(seed), .netlink = SIMGPU_A_DEVICE_SEED,
		.flags = SESSION_SETTING_JOURNAL | SESSION_SETTING_JSON,
		.most = U64_MAX, .initial = 1,
		.option = "seed", .key = 's', .argument = "N",
		.help = "Of everything random (default 1)",
	},
	[SESSION_SETTING_EPOCH_CYCLES] = {
		OPTION(epoch_cycles), GANG(epoch_cycles),
		.netlink = SIMGPU_A_DEVICE_EPOCH_CYCLES,
		.flags = SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |
			 SESSION_SETTING_JSON,
		.least = SESSION_EPOCH_CYCLES_MIN, .most = SESSION_EPOCH_CYCLES_MAX,
		.initial = SESSION_EPOCH_CYCLES_DEFAULT,
		.set = session_set_epoch_cycles,
		.option = "epoch", .key = 'e', .argument = "N",
		.help = "Core cycles of an epoch (default 500000)",
	},
	{
		OPTION(stop_cycle), GANG(stop_cycle),
		.flags = SESSION_SETTING_JOURNAL, .most = U64_MAX,
		.option = "cycles", .key = 'c', .argument = "N",
		.help = "Stop exactly there; traces that end are launched again (default 5000000); 0: each runs once",
	},
	{
		OPTION(relaunch),
		.flags = SESSION_SETTING_JOURNAL, .most = true, .words = no_yes,
	},
	{
		OPTION(kernel_end), GANG(kernel_end),
		.flags = SESSION_SETTING_JOURNAL | SESSION_SETTING_JSON,
		.most = SESSION_KERNEL_ENDS - 1, .words = session_kernel_ends,
		.option = "kernel-end", .argument = "carry|changed|even",
		.help = "What a finished kernel does: nothing (carry, the default), begin an even split where another one follows (changed), or end the epoch and begin an even split (even)",
	},
	{
		OPTION(preemption), GANG(preemption),
		.flags = SESSION_SETTING_JOURNAL | SESSION_SETTING_JSON,
		.most = SESSION_PREEMPTIONS - 1, .words = session_preemptions,
		.option = "preemption", .argument = "drain|switch|adaptive",
		.help = "How thread blocks leave an SM that changes hands: by their end (default), by a context switch, or as the last epoch suggests",
	},
	{
		OPTION(hold_cycles), GANG(hold_cycles),
		.netlink = SIMGPU_A_DEVICE_HOLD_CYCLES,
		.flags = SESSION_SETTING_OR_0 | SESSION_SETTING_CHANGES |
			 SESSION_SETTING_JOURNAL,
		.least = SESSION_HOLD_CYCLES_MIN, .most = SESSION_HOLD_CYCLES_MAX,
		.initial = SESSION_HOLD_CYCLES_DEFAULT,
	},
	{
		OPTION(gang_size),
		.flags = SESSION_SETTING_JOURNAL, .most = SESSION_SLOTS_MAX,
	},
	{
		OPTION(sms_most), .most = U32_MAX,
	},
	{
		OPTION(decision_cycles), GANG(decision_cycles),
		.netlink = SIMGPU_A_DEVICE_DECISION_CYCLES,
		.flags = SIGHT, .most = SESSION_DECISION_LATENCY_MAX,
		.option = "decision-cycles", .argument = "N",
		.help = "What the policy says takes effect N core cycles later; it is not asked again before that (default 0)",
	},
	{
		OPTION(counter_noise), GANG(counter_noise),
		.netlink = SIMGPU_A_DEVICE_COUNTER_NOISE,
		.flags = SIGHT | SESSION_SETTING_PERCENT, .most = SESSION_COUNTER_NOISE_MAX,
		.option = "counter-noise", .argument = "N",
		.help = "Each counter that model and policy see is wrong by up to N percent, by chance (default 0)",
	},
	{
		OPTION(counter_delay), GANG(counter_delay),
		.netlink = SIMGPU_A_DEVICE_COUNTER_DELAY,
		.flags = SIGHT, .most = SESSION_COUNTER_DELAY_MAX,
		.option = "counter-delay", .argument = "N",
		.help = "Model and policy see the counters of N epochs ago (default 0)",
	},
	{
		OPTION(sampled), GANG(sampled), .netlink = SIMGPU_A_DEVICE_SAMPLED,
		.flags = SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |
			 SESSION_SETTING_UNSAID_0 | SESSION_SETTING_JSON |
			 SESSION_SETTING_PERCENT,
		.most = SESSION_SAMPLED_MAX,
		.set = session_set_sampled, .prepare = session_prepare_sampled,
		.option = "sampled", .argument = "N",
		.help = "Sampled time: do not simulate what goes on as before, as far as the standard error of what each tenant does stays within N percent (default 0: simulate all)",
	},
	{
		OPTION(managed_mib), GANG(managed_mib),
		.netlink = SIMGPU_A_DEVICE_MANAGED_MIB,
		.flags = SESSION_SETTING_CHANGES | SESSION_SETTING_JOURNAL |
			 SESSION_SETTING_UNSAID_0,
		.most = SESSION_MANAGED_MIB_MAX,
		.set = session_set_managed_mib, .prepare = session_prepare_managed_mib,
	},
	{
		.name = "memory_policy",
		.offset = offsetof(struct session_options, memory_policy_index),
		.bytes = sizeof(u8), GANG(memory_policy),
		.flags = SESSION_SETTING_JOURNAL | SESSION_SETTING_UNSAID_0,
		.most = SESSION_MEMORY_POLICIES - 1, .words = session_memory_policies,
	},
	{
		OPTION(timeout_cycles), GANG(timeout_cycles),
		.netlink = SIMGPU_A_DEVICE_TIMEOUT_CYCLES,
		.flags = FAILING, .most = SIMGPU_TIMEOUT_CYCLES_MAX,
		.option = "timeout-cycles", .argument = "N",
		.help = "A kernel or copy that takes longer than N core cycles has timed out, and its launch is killed (default 0: never)",
	},
	{
		OPTION(kill_cycles), GANG(kill_cycles),
		.netlink = SIMGPU_A_DEVICE_KILL_CYCLES,
		.flags = FAILING, .most = SIMGPU_TIMEOUT_CYCLES_MAX,
		.option = "kill-cycles", .argument = "N",
		.help = "Core cycles that it takes to kill a launch (default 20000)",
	},
	{
		OPTION(reset_sm_cycles), GANG(reset_sm_cycles),
		.netlink = SIMGPU_A_DEVICE_RESET_SM_CYCLES,
		.flags = FAILING, .most = SIMGPU_TIMEOUT_CYCLES_MAX,
		.option = "reset-sm-cycles", .argument = "N",
		.help = "Core cycles for which SMs that are reset do nothing (default 100000)",
	},
	{
		OPTION(reset_device_cycles), GANG(reset_device_cycles),
		.netlink = SIMGPU_A_DEVICE_RESET_DEVICE_CYCLES,
		.flags = FAILING, .most = SIMGPU_TIMEOUT_CYCLES_MAX,
		.option = "reset-cycles", .argument = "N",
		.help = "Core cycles until a device that is reset, or was lost, is back (default 1000000)",
	},
	{
		OPTION(clock_limit), GANG(clock_limit), .netlink = SIMGPU_A_DEVICE_CLOCK_LIMIT,
		.flags = POWER, .most = SESSION_CLOCK_MAX,
		.set = session_set_clock, .prepare = session_prepare_clock,
		.option = "clock", .argument = "MHZ",
		.help = "The SMs have the greatest of the GPU's clocks that is not above MHZ (default 0: the highest)",
	},
	{
		OPTION(power_cap), GANG(power_cap), .netlink = SIMGPU_A_DEVICE_POWER_CAP,
		.flags = POWER, .most = SESSION_POWER_CAP_MAX,
		.set = session_set_power_cap, .prepare = session_prepare_clock,
		.option = "power-cap", .argument = "WATTS",
		.help = "Lower the clock of the SMs while the GPU takes more than that in the mean of a window (default 0: any)",
	},
	{
		OPTION(power_window), GANG(power_window),
		.netlink = SIMGPU_A_DEVICE_POWER_WINDOW,
		.flags = POWER, .most = SESSION_POWER_WINDOW_MAX,
		.set = session_set_power_window,
		.option = "power-window", .argument = "N",
		.help = "Core cycles of that window, 10000 at least (default 500000)",
	},
};

const u32 session_settings_count = ARRAY_SIZE(session_settings);

static_assert(ARRAY_SIZE(session_settings) <= SESSION_SETTINGS_MAX);

u64 session_setting_get(const struct session_setting *setting,
			const void *options)
{
	return member_get(options, setting->offset, setting->bytes);
}

void session_setting_set(const struct session_setting *setting, void *options,
			 u64 value)
{
	member_set(options, setting->offset, setting->bytes, value);
}

u64 session_setting_of_gang(const struct session_setting *setting,
			    const struct simgpu_gang_create *gang)
{
	return setting->gang ? member_get(gang, setting->gang, setting->bytes) : 0;
}

void session_setting_to_gang(const struct session_setting *setting,
			     struct simgpu_gang_create *gang, u64 value)
{
	if (setting->gang)
		member_set(gang, setting->gang, setting->bytes, value);
}

bool session_setting_fits(const struct session_setting *setting, u64 value)
{
	return (value >= setting->least && value <= setting->most) ||
	       (!value && setting->flags & SESSION_SETTING_OR_0);
}

bool session_settings_fit(const struct session_options *options)
{
	session_for_each_setting(setting)
		if (!session_setting_fits(setting, session_setting_get(setting, options)))
			return false;
	return true;
}

void session_settings_complete(struct session_options *options)
{
	session_for_each_setting(setting)
		if (setting->flags & SESSION_SETTING_OR_0 &&
		    !session_setting_get(setting, options))
			session_setting_set(setting, options, setting->initial);
}

void session_settings_begin(const struct session_setting *settings, u32 count,
			    void *options)
{
	u32 i;

	for (i = 0; i < count; i++)
		session_setting_set(&settings[i], options, settings[i].initial);
}

void session_settings_copy(struct session_options *to,
			   const struct session_options *from)
{
	session_for_each_setting(setting)
		session_setting_set(setting, to,
				    session_setting_get(setting, from));
}
