/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of a session, one row each. Range checks, files in sysfs, netlink,
 * gangs, the journal's first line, the command's options and its JSON all go
 * through this table: a new setting is a member of struct session_options and a row.
 */
#ifndef SESSION_SETTINGS_H
#define SESSION_SETTINGS_H

#include "session.h"

struct simgpu_gang_create;

/* The index of the one row that code asks for by number */
#define SESSION_SETTING_EPOCH_CYCLES	1
/* Most rows of the table */
#define SESSION_SETTINGS_MAX	22

/**
 * enum session_setting_flags - properties of a setting
 * @SESSION_SETTING_OR_0: 0 stands for the initial value
 * @SESSION_SETTING_CHANGES: users can change it on a device, for later sessions at least
 * @SESSION_SETTING_JOURNAL: the journal has it
 * @SESSION_SETTING_UNSAID_0: it is left out where it is 0
 * @SESSION_SETTING_JSON: results have it
 * @SESSION_SETTING_SIGHT: it changes when a decision takes effect, or what the policy sees;
 *	a tenant's run alone does not depend on it
 * @SESSION_SETTING_PERCENT: it is a percentage; the command takes it with a % behind it, too
 */
enum session_setting_flags {
	SESSION_SETTING_OR_0 = 1,
	SESSION_SETTING_CHANGES = 2,
	SESSION_SETTING_JOURNAL = 4,
	SESSION_SETTING_UNSAID_0 = 8,
	SESSION_SETTING_JSON = 16,
	SESSION_SETTING_SIGHT = 32,
	SESSION_SETTING_PERCENT = 64
};

/**
 * struct session_setting - a row of the table of settings
 * @name: name in sysfs, journals and JSON
 * @offset: offset of the member in &struct session_options
 * @bytes: bytes of that member: 1, 4 or 8
 * @gang: offset of a member of the same size in &struct simgpu_gang_create; 0: a gang
 *	cannot set it
 * @netlink: SIMGPU_A_DEVICE_*; 0: it is not a setting of a device
 * @flags: &enum session_setting_flags
 * @unit: SIMGPU_UNIT_RATIO if sysfs has it as a decimal; netlink never does
 * @least: smallest value
 * @most: greatest value
 * @initial: value with which the driver and the command begin
 * @words: words for its values, from 0 to @most; NULL: it is a number
 * @set: changes it in a running session; NULL: it is fixed at the cold start
 * @prepare: takes, before anything is changed, the memory that @set would need, so that it
 *	does not fail; has to be followed by it. NULL: it needs none
 * @option: name of the command's option, without dashes; NULL: it is not an option of all
 *	experiments
 * @key: letter of the option, or 0
 * @argument: name of the option's argument
 * @help: help of the option
 */
struct session_setting {
	const char *name;
	u16 offset;
	u16 bytes;
	u16 gang;
	u16 netlink;
	u32 flags;
	u32 unit;
	u64 least;
	u64 most;
	u64 initial;
	const char *const *words;
	int (*set)(struct session *session, u64 value);
	int (*prepare)(struct session *session, u64 value);
	const char *option;
	char key;
	const char *argument;
	const char *help;
};

extern const struct session_setting session_settings[];
extern const u32 session_settings_count;

#define session_for_each_setting(setting)				\
	for (const struct session_setting *setting = session_settings;	\
	     setting < session_settings + session_settings_count; setting++)

/* Words of settings, by value */
extern const char *const session_kernel_ends[SESSION_KERNEL_ENDS];
extern const char *const session_preemptions[SESSION_PREEMPTIONS];

/* Names of the built-in memory policies, by place. Numbers last: a new one goes to the end */
enum session_memory_policy {
#define MEMORY_POLICY(name)	SESSION_MEMORY_POLICY_##name,
#include "../policy/memory/list.h"
	SESSION_MEMORY_POLICIES
};

extern const char *const session_memory_policies[SESSION_MEMORY_POLICIES];

/* The value in @options, or in another struct that the row is of */
u64 session_setting_get(const struct session_setting *setting,
			const void *options);
void session_setting_set(const struct session_setting *setting, void *options,
			 u64 value);
/* The same for a gang's struct. Without @gang the first returns 0, the second does nothing. */
u64 session_setting_of_gang(const struct session_setting *setting,
			    const struct simgpu_gang_create *gang);
void session_setting_to_gang(const struct session_setting *setting,
			     struct simgpu_gang_create *gang, u64 value);

/* Whether a session can have the value. */
bool session_setting_fits(const struct session_setting *setting, u64 value);
bool session_settings_fit(const struct session_options *options);
/* Replace 0 by the initial value where 0 stands for it. */
void session_settings_complete(struct session_options *options);
/* Write the initial values of @count rows into the struct that the rows are of. */
void session_settings_begin(const struct session_setting *settings, u32 count,
			    void *options);
void session_settings_copy(struct session_options *to,
			   const struct session_options *from);

#endif /* SESSION_SETTINGS_H */
