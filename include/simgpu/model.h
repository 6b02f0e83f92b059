/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The interface of a slowdown model: counters in, class, NP and curve out. */
#ifndef SIMGPU_MODEL_H
#define SIMGPU_MODEL_H

#include <simgpu/snapshot.h>

/* Most bytes of state that a model or a policy can keep between calls. */
#define SIMGPU_STATE_BYTES_MAX		131072
/* Most bytes of a model's constants, with their header. */
#define SIMGPU_CONSTANTS_BYTES_MAX	61440

/* An NP is at most this, so that policies may multiply it by SMs in 64 bits. */
#define SIMGPU_NP_MOST_PPM		(1000 * SIMGPU_PPM)

/**
 * struct simgpu_prediction_tenant - a model's prediction for one tenant
 * @class: SIMGPU_CLASS_*; UNKNOWN if the epoch showed nothing about the tenant (the
 *	session then keeps the last prediction)
 * @reserved: zero
 * @np_ppm: predicted normalized progress; may be above 1, where company helps or
 *	the model errs. The session caps it at SIMGPU_NP_MOST_PPM
 * @sd_scal_ppm: slowdown because the tenant has fewer SMs than the device, SIMGPU_PPM and
 *	up (Themis, Eq. 4); 0: the model does not tell the two factors apart
 * @sd_inter_ppm: slowdown by other tenants' use of shared resources, SIMGPU_PPM and up;
 *	0 if @sd_scal_ppm is 0
 * @curve: NP at other SM counts; without knots the model predicts no curve
 */
struct simgpu_prediction_tenant {
	u32 class;
	u32 reserved;
	u64 np_ppm;
	u64 sd_scal_ppm;
	u64 sd_inter_ppm;
	struct simgpu_curve curve;
};

/* In @probe of a prediction. */
#define SIMGPU_PROBE_NONE	0
#define SIMGPU_PROBE_PRIORITY	1	/* the tenant's memory requests come first */
#define SIMGPU_PROBE_ALONE	2	/* all others are held */

/**
 * struct simgpu_prediction - a model's answer; zeroed before the call
 * @probe: SIMGPU_PROBE_*: how the device should run until @wake_cycle. A probe that the
 *	model asks for again while it lasts goes on. The session combines the probe with
 *	the policy's controls; if the policy changes the same controls, the policy has
 *	precedence and the probe ends
 * @probe_slot: tenant of the probe
 * @wake_cycle: device cycle at which a model that lists SIMGPU_ON_WAKE is asked
 *	again, at least SIMGPU_WAKE_CYCLES_MIN ahead; 0: at the epoch's end
 * @tenants: by slot; only active ones are read
 */
struct simgpu_prediction {
	u32 probe;
	u32 probe_slot;
	u64 wake_cycle;
	struct simgpu_prediction_tenant tenants[SIMGPU_SLOTS_MAX];
};

static_assert(sizeof(struct simgpu_prediction) == 7184, "no padding");

/* A wake is at least this many core cycles ahead. */
#define SIMGPU_WAKE_CYCLES_MIN	1000

/*
 * What a model may take for granted of a tenant in an epoch. Where that was not so its
 * prediction is shown as one that may be wrong.
 */
/* No SM on which it may have thread blocks is shared with another tenant. */
#define SIMGPU_ASSUMES_OWN_SMS		(1U << 0)
/* The policy never held all of its work. */
#define SIMGPU_ASSUMES_NOT_HELD		(1U << 1)
/*
 * A compute-bound tenant is held up by its SMs: its schedulers wait for memory, which others
 * use more than it does, in less than a fifth of their cycles. Without that wait it would be
 * up to a quarter faster.
 */
#define SIMGPU_ASSUMES_BUSY_SMS		(1U << 2)
#define SIMGPU_ASSUMES_COUNT		3

/**
 * struct simgpu_trained - first values of parameters on a GPU that a model was trained on
 * @config: name of the GPU's configuration; empty ends a table
 * @count: number of values
 * @values: values of the model's first parameters
 */
struct simgpu_trained {
	char config[SIMGPU_NAME_BYTES];
	u32 count;
	u64 values[4];
};

/**
 * struct simgpu_constants_built_in - constants that are compiled into a model
 * @config: name of the configuration that they were trained on; empty ends a table
 * @payload: the bytes that would follow the header in a file
 */
struct simgpu_constants_built_in {
	char config[SIMGPU_NAME_BYTES];
	const void *payload;
};

#define SIMGPU_CONSTANTS_MAGIC	0x43474953U	/* "SIGC", little-endian */

/**
 * struct simgpu_constants_header - the header of a model's constants
 * @magic: SIMGPU_CONSTANTS_MAGIC
 * @version: the model's constants_version
 * @length: bytes of header and payload
 * @checksum: zlib's crc32() of the payload
 * @model: name of the model that they are for
 * @config: name of the configuration that they were trained on
 *
 * Numbers are little-endian. The payload follows the header.
 */
struct simgpu_constants_header {
	u32 magic;
	u32 version;
	u32 length;
	u32 checksum;
	char model[SIMGPU_NAME_BYTES];
	char config[SIMGPU_NAME_BYTES];
};

/**
 * struct simgpu_model - a slowdown model
 * @name: as written to sysfs; unique among models
 * @latency_cycles: core cycles that a prediction takes for each tenant; a proposal at
 *	an epoch's end takes effect that much later (HSM 4.1: 181)
 * @events: when the model is asked beside the epoch's end: SIMGPU_ON_WAKE, and
 *	SIMGPU_ON_KERNEL_END for the end of any tenant's kernel. At that time the
 *	counters are those of the kernel that ended, and the next one has not begun
 * @needs: SIMGPU_NEEDS_*: what a session has to provide for it
 * @assumes: SIMGPU_ASSUMES_*: what has to be so for its predictions to be right
 * @state_bytes: bytes that it keeps between calls, at most SIMGPU_STATE_BYTES_MAX.
 *	The session allocates, zeroes and hashes them
 * @constants_bytes: size of its constants' payload; 0: it has none
 * @constants_version: version of the payload's layout
 * @source: SIMGPU_SOURCE_*; set by the code that registers or loads it
 * @checksum: zlib's crc32() of its source; 0: built in, or not known
 * @params: its parameters; an entry without a name ends the table; NULL: it has none
 * @trained: first values of its first parameters on GPUs that it was trained on; an
 *	entry without a name ends the table; NULL: the same on all GPUs
 * @constants_of: name of the model whose constants it uses; empty: its own
 * @built_in: constants to use where none were loaded; an entry without a name ends the
 *	table; NULL: there are none
 * @constants_are_good: whether the numbers of a payload are in their range; NULL:
 *	any number is
 * @predict: fills @prediction from @snapshot. @constants is the payload that
 *	was loaded, else the one that is built in for this GPU, else NULL; @state is
 *	its own. No other input, no side effects, no allocation, no sleeping;
 *	integers only. Returns 0 or a negative errno: then the last predictions stand
 */
struct simgpu_model {
	char name[SIMGPU_NAME_BYTES];
	u32 latency_cycles;
	u32 events;
	u32 needs;
	u32 assumes;
	u32 state_bytes;
	u32 constants_bytes;
	u32 constants_version;
	u32 source;
	u32 checksum;
	const struct simgpu_param *params;
	const struct simgpu_trained *trained;
	char constants_of[SIMGPU_NAME_BYTES];
	const struct simgpu_constants_built_in *built_in;
	bool (*constants_are_good)(const void *constants);
	int (*predict)(const struct simgpu_snapshot *snapshot,
		       const void *constants, void *state,
		       struct simgpu_prediction *prediction);
};

#endif /* SIMGPU_MODEL_H */
