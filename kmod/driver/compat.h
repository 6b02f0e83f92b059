/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that simgpu builds for, told apart by what
 * a header declares, not by its version. No other file of the driver knows of
 * more than one kernel.
 */
#ifndef SIMGPU_COMPAT_H
#define SIMGPU_COMPAT_H

#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/eventfd.h>
#include <linux/mm.h>

/*
 * Newer kernels hand some callbacks a pointer to const. The callback is
 * written in both forms, name_const() and name_plain(), marked __maybe_unused.
 * This macro picks the form for which @type's @member is declared.
 */
#define compat_pick(type, member, name)					\
	__builtin_choose_expr(						\
		__builtin_types_compatible_p(typeof_member(type, member), \
					     typeof(name##_plain) *),	\
		name##_plain, name##_const)

/*
 * Older kernels take a number that is added to an eventfd, newer ones add 1.
 * Both calls are written; the one that does not fit calls a stand-in
 * that is never reached.
 */
#define compat_is_eventfd_signal(type) \
	__builtin_types_compatible_p(typeof(eventfd_signal), type)

static inline void compat_no_signal(struct eventfd_ctx *ctx, __u64 count)
{
}

static inline void compat_signal_count(struct eventfd_ctx *ctx)
{
	__builtin_choose_expr(compat_is_eventfd_signal(__u64(struct eventfd_ctx *,
							     __u64)),
			      eventfd_signal, compat_no_signal)(ctx, 1);
}

static inline void compat_eventfd_signal(struct eventfd_ctx *ctx)
{
	__builtin_choose_expr(compat_is_eventfd_signal(void(struct eventfd_ctx *)),
			      eventfd_signal, compat_signal_count)(ctx);
}

/*
 * In newer kernels mappings have locks of their own, and their flags change through
 * functions that take these. In older ones flags are a field, const in some headers.
 */
static inline void compat_vm_flags(struct vm_area_struct *vma, vm_flags_t set,
				   vm_flags_t clear)
{
#ifdef CONFIG_PER_VMA_LOCK
	vm_flags_mod(vma, set, clear);
#else
	*(vm_flags_t *)&vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif /* SIMGPU_COMPAT_H */
