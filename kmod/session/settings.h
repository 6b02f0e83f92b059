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

/* Where the one row stands that code asks for. */
#define SESSION_SETTING_EPOCH_CYCLES	1
/* Rows that the table may have. */
#define SESSION_SETTINGS_MAX	15

/**
 * enum session_setting_flags - what holds for a setting, beside its range
 * @SESSION_SETTING_OR_0: 0 stands for its initial value
 * @SESSION_SETTING_CHANGES: a device's can be changed, for later sessions at least
 * @SESSION_SETTING_JOURNAL: the journal tells it
 * @SESSION_SETTING_UNSAID_0: but not where it is 0
 * @SESSION_SETTING_JSON: results tell it
 * @SESSION_SETTING_SIGHT: when the policy's word takes effect, or what it sees: a
 *	tenant alone does not depend on that
 */
enum session_setting_flags {
	SESSION_SETTING_OR_0 = 1,
	SESSION_SETTING_CHANGES = 2,
	SESSION_SETTING_JOURNAL = 4,
	SESSION_SETTING_UNSAID_0 = 8,
	SESSION_SETTING_JSON = 16,
	SESSION_SETTING_SIGHT = 32
};

/**
 * struct session_setting - a row
 * @name: in sysfs, journals and JSON
 * @offset: of its member in &struct session_options
 * @bytes: of that member: 1, 4 or 8
 * @gang: offset of its member, of as many bytes, in &struct simgpu_gang_create; 0: a
 *	gang has none
 * @netlink: SIMGPU_A_DEVICE_*; 0: it is no setting of a device
 * @flags: &enum session_setting_flags
 * @unit: SIMGPU_UNIT_RATIO where sysfs has a decimal; netlink never has
 * @least: smallest value
 * @most: greatest one
 * @initial: what the driver and the command begin with
 * @words: its values as words, from 0 to @most; NULL: it is a number
 * @set: changes it in a session that runs; NULL: a cold start fixes it
 * @option: of the command, without the dashes; NULL: none of all experiments
 * @key: the option's letter, or 0
 * @argument: what the option takes
 * @help: of the option
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

/* The words of two of them, by their numbers. */
extern const char *const session_kernel_ends[SESSION_KERNEL_ENDS];
extern const char *const session_preemptions[SESSION_PREEMPTIONS];

/* The value in @options, or in whatever struct the row is of. */
u64 session_setting_get(const struct session_setting *setting,
			const void *options);
void session_setting_set(const struct session_setting *setting, void *options,
			 u64 value);
/* The same for a gang's struct: 0 and nothing for a row without @gang. */
u64 session_setting_of_gang(const struct session_setting *setting,
			    const struct simgpu_gang_create *gang);
void session_setting_to_gang(const struct session_setting *setting,
			     struct simgpu_gang_create *gang, u64 value);

/* Whether a session can have the value. */
bool session_setting_fits(const struct session_setting *setting, u64 value);
bool session_settings_fit(const struct session_options *options);
/* Put the initial value where 0 stands for it. */
void session_settings_complete(struct session_options *options);
/* Write the initial values of @count rows into the struct that they are of. */
void session_settings_begin(const struct session_setting *settings, u32 count,
			    void *options);
void session_settings_copy(struct session_options *to,
			   const struct session_options *from);

#endif /* SESSION_SETTINGS_H */
