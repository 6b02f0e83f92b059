/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that simgpu builds for, told apart by what
 * a header declares, not by its version. Nothing else of the driver knows of
 * more than one kernel.
 */
#ifndef SIMGPU_COMPAT_H
#define SIMGPU_COMPAT_H

#include <linux/compiler.h>
#include <linux/container_of.h>

/*
 * Newer kernels hand some callbacks a pointer to const. The callback is
 * written in both forms, name_const() and name_plain(), marked __maybe_unused,
 * and this picks the one that the @type's @member is declared for.
 */
#define compat_pick(type, member, name)					\
	__builtin_choose_expr(						\
		__builtin_types_compatible_p(typeof_member(type, member), \
					     typeof(name##_plain) *),	\
		name##_plain, name##_const)

#endif /* SIMGPU_COMPAT_H */
