/* SPDX-License-Identifier: GPL-2.0 */
/* The shipped configurations, and the fields of a configuration by name. */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include "gpu.h"

/* specs.c, which is generated */
extern const struct gpu_config gpu_configs[];
extern const unsigned int gpu_config_count;

/* config.c */
#define CONFIG_FIELDS_MAX	112

/*
 * struct config_field - a field of struct gpu_config
 * @name: as users write it, such as "sms" or "dram.trc"
 * @offset: offset in the struct
 * @bytes: size of the field, 2 or 4
 * @least: least value
 * @greatest: greatest value
 * @words: names of the values from 0 on, for users; NULL: users write a number
 */
struct config_field {
	const char *name;
	size_t offset;
	size_t bytes;
	u32 least;
	u32 greatest;
	const char *const *words;
};

/* Whether a field is about managed memory. */
static inline bool config_field_is_managed(const struct config_field *field)
{
	return field->offset >= offsetof(struct gpu_config, managed_mb) &&
	       field->offset <= offsetof(struct gpu_config, link_setup_ns);
}

/* Whether a field is about what preemption costs and where it is possible. */
static inline bool config_field_is_of_preemption(const struct config_field *field)
{
	return field->offset >= offsetof(struct gpu_config, preempt_level) &&
	       field->offset <= offsetof(struct gpu_config, context_bytes_per_cycle);
}

/* Whether preemption costs more than the traffic of contexts, or is not possible everywhere. */
static inline bool preemption_is_costed(const struct gpu_config *config)
{
	return config->preempt_level | config->yield_ns | config->save_setup_ns |
	       config->restore_setup_ns | config->context_bytes_per_cycle;
}

/*
 * Whether a text may leave a field out: then it is as in the shipped configuration that has
 * the text's name, or else as in the first one.
 */
static inline bool config_field_may_lack(const struct config_field *field)
{
	return config_field_is_managed(field) || config_field_is_of_preemption(field);
}

/* Whether a field only counts where banks are refreshed in turn, which dram.trfc_bank says. */
static inline bool config_field_is_of_bank_refresh(const struct config_field *field)
{
	return field->offset == offsetof(struct gpu_config, dram.trfc_bank) ||
	       field->offset == offsetof(struct gpu_config, dram.trrefd);
}

/* All fields but the name, by index; NULL past the last. */
const struct config_field *config_field_at(u32 index);
u32 config_get(const struct gpu_config *config, const struct config_field *field);
void config_set(struct gpu_config *config, const struct config_field *field,
		u32 value);
/* gpu_config_check() with a reason, which reads on from the field's name. */
int config_check(const struct gpu_config *config, const char **field,
		 const char **reason);

#endif /* SIM_CONFIG_H */
