/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of the SMs, what power the GPU takes, and a cap on that. docs/power.md says by
 * which rules.
 */
#ifndef SESSION_POWER_H
#define SESSION_POWER_H

#include <simgpu/port.h>

struct session;
struct session_options;
struct simgpu_snapshot;

/* Limits of settings: a clock in MHz, watts of a cap, and cycles of its window. */
#define SESSION_CLOCK_MAX		10000
#define SESSION_POWER_CAP_MAX		100000
#define SESSION_POWER_WINDOW_MIN	10000ULL
#define SESSION_POWER_WINDOW_MAX	1000000000ULL
#define SESSION_POWER_WINDOW_DEFAULT	500000ULL

/**
 * struct power_settings - what is set about clock and power
 * @clock_limit: what the clock of the SMs may be at most; 0: any
 * @cap: what the GPU may take in the mean of a window, in watts; 0: any
 * @window: core cycles of a window, fewer than SESSION_POWER_WINDOW_MIN count as so many; 0:
 *	SESSION_POWER_WINDOW_DEFAULT
 */
struct power_settings {
	u64 clock_limit;
	u64 cap;
	u64 window;
};

/**
 * struct session_power - clock and power of a session's GPU
 * @known: whether its energies are known; else power and energy are 0
 * @used: whether a clock or a cap was set, or the clock has changed: only then is something
 *	different from a GPU without clocks to choose from
 * @clock_mhz: clock of the SMs
 * @changes: how often it has changed
 * @mean_mhz: its mean since the cold start, by time
 * @epoch_uw: mean power of the last epoch that has ended, in microwatts; of the present one
 *	before any has
 * @mean_uw: and since the cold start; 0 if session_power() tells
 * @static_saved_pj: static energy that was saved since then, in picojoules: less than at the
 *	highest clock
 */
struct session_power {
	bool known;
	bool used;
	u64 clock_mhz;
	u64 changes;
	u64 mean_mhz;
	u64 epoch_uw;
	u64 mean_uw;
	u64 static_saved_pj;
};

void session_power(const struct session *session, struct session_power *out);
/* The same with @mean_uw, for which all tenants' counters are read */
void session_power_so_far(const struct session *session, struct session_power *out);

/**
 * session_power_fits() - whether a GPU can do what options say about clock and power
 * @options: options of a session
 *
 * Return: false if they set a clock or a cap, and the GPU has no clocks to choose from. A session
 * takes them all the same, without any effect.
 */
bool session_power_fits(const struct session_options *options);

/*
 * Change all settings, or one, from now on. Return: 0; or -EINVAL if a value is out of its
 * range.
 */
int session_set_power(struct session *session, const struct power_settings *settings);
int session_set_clock(struct session *session, u64 mhz);
int session_set_power_cap(struct session *session, u64 watts);
int session_set_power_window(struct session *session, u64 cycles);

/* Whether the first two can have an effect: 0, or -EINVAL on a GPU without clocks. */
int session_prepare_clock(struct session *session, u64 value);

/* Used only in kmod/session */
void power_apply(struct session *session);
void power_begin(struct session *session);
void power_join(struct session *session, u32 slot);
void power_leave(struct session *session, u32 slot);
void power_epoch(struct session *session);
void power_due(struct session *session);
bool power_has_clock(const struct session *session, u64 mhz);
void power_clocks(const struct session *session, struct simgpu_snapshot *snapshot);
void power_fill(const struct session *session, struct simgpu_snapshot *snapshot);
u64 power_next(const struct session *session);
u64 power_slot_pj(const struct session *session, u32 slot);
u64 power_epoch_uw(const struct session *session);
u32 power_clock_mhz(const struct session *session);
bool power_is_used(const struct session *session);
u64 power_hash(const struct session *session, u64 hash);

#endif /* SESSION_POWER_H */
