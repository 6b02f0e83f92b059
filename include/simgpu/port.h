/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The only seam between the kernel, userspace and BPF: fixed-width types, memory,
 * checksums and assertions for the portable rooms (kmod/sim, kmod/policy,
 * kmod/session). Everything else in these rooms is plain C on integers. BPF only has the
 * types: policies and models need no more.
 */
#ifndef SIMGPU_PORT_H
#define SIMGPU_PORT_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/ctype.h>
#include <linux/build_bug.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

/*
 * For memory that is charged to the caller's memory cgroup. If that group is full, the
 * allocation fails silently: without __GFP_RETRY_MAYFAIL the kernel would kill a process
 * of the group to make room.
 */
#define PORT_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/*
 * Zeroed memory of any size. This is not kvzalloc(): with these flags it would try hard to
 * find contiguous pages.
 */
static inline void *port_alloc(size_t bytes)
{
	const gfp_t gfp = PORT_GFP | __GFP_ZERO;

	return bytes > PAGE_SIZE ? vmalloc_huge(bytes, gfp) :
				   kmalloc(bytes, gfp);
}

static inline void port_free(const void *memory)
{
	kvfree(memory);
}

/*
 * For loops whose length a process chooses: every few thousand turns, let other
 * processes run. Returns whether to give up, because the caller was killed.
 */
static inline bool port_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/* How many bytes are handled before other processes may run. */
#define PORT_PIECE_BYTES	65536

/* memcpy() of any size. */
static inline void port_copy(void *to, const void *from, size_t count)
{
	size_t done, piece;

	for (done = 0; done < count; done += piece) {
		piece = min_t(size_t, count - done, PORT_PIECE_BYTES);
		memcpy((char *)to + done, (const char *)from + done, piece);
		if (piece == PORT_PIECE_BYTES)
			cond_resched();
	}
}

/* zlib's crc32(): start with @crc 0 and chain. */
static inline u32 port_crc32(u32 crc, const void *bytes, size_t count)
{
	for (; count > PORT_PIECE_BYTES; count -= PORT_PIECE_BYTES) {
		crc = crc32_le(crc ^ ~0U, bytes, PORT_PIECE_BYTES) ^ ~0U;
		bytes = (const char *)bytes + PORT_PIECE_BYTES;
		cond_resched();
	}
	return crc32_le(crc ^ ~0U, bytes, count) ^ ~0U;
}

/* Without AddressSanitizer no red zone would catch an access past a part. */
#define PORT_RED_ZONE	0

static inline void port_forbid(const void *memory, size_t bytes)
{
}

static inline void port_allow(const void *memory, size_t bytes)
{
}

/* A broken invariant: the kernel warns once and goes on, userspace stops. */
#define port_assert(condition)	WARN_ON_ONCE(!(condition))

#elif defined(__bpf__)

#include <stddef.h>

/* bpftool's vmlinux.h defines these types, too. */
#ifndef __VMLINUX_H__
#include <stdbool.h>

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
#endif

/* Numbers of the kernel's include/uapi/asm-generic/errno-base.h. */
#define ENOENT		2
#define ENOMEM		12
#define EBUSY		16
#define EINVAL		22
#define ERANGE		34

#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif

#define static_assert	_Static_assert

#else /* userspace */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <zlib.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
/* As in the kernel, so that %llu fits both there and in userspace. */
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		((u64)~0ULL)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* A group of fields that can be named as a whole, as in the kernel's <linux/stddef.h>. */
#ifndef struct_group
#define struct_group(name, members...) \
	union { struct { members }; struct { members } name; }
#endif

#ifndef __aligned
#define __aligned(bytes)	__attribute__((__aligned__(bytes)))
#endif

#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif

#ifndef __printf
#define __printf(text, first)	__attribute__((__format__(printf, text, first)))
#endif

#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif

static inline unsigned int hweight64(u64 word)
{
	return (unsigned int)__builtin_popcountll(word);
}

/* Above this size, ask the host for huge pages: a device touches thousands of pages. */
#define PORT_HUGE_BYTES	(4UL << 20)
#define PORT_PAGE_BYTES	4096UL

static inline void *port_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes);
	uintptr_t start = ((uintptr_t)memory + PORT_PAGE_BYTES - 1) &
			  ~(PORT_PAGE_BYTES - 1);

	/* Without huge pages a run takes 3% longer. The host decides whether there are any. */
	if (memory && bytes >= PORT_HUGE_BYTES)
		(void)madvise((void *)start, bytes - PORT_PAGE_BYTES,
			      MADV_HUGEPAGE);
	return memory;
}

static inline void port_free(const void *memory)
{
	free((void *)memory);
}

static inline bool port_pause(void)
{
	return false;
}

static inline void port_copy(void *to, const void *from, size_t count)
{
	memcpy(to, from, count);
}

static inline u32 port_crc32(u32 crc, const void *bytes, size_t count)
{
	return (u32)crc32_z(crc, bytes, count);
}

/*
 * Bytes between the parts of a block of memory that no code may touch, so that
 * AddressSanitizer catches an access from one part into the next.
 */
#ifdef __has_feature	/* clang's */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define PORT_RED_ZONE	64
/* Declared in <sanitizer/asan_interface.h>, which not every host has. */
void __asan_poison_memory_region(const void *memory, size_t bytes);
void __asan_unpoison_memory_region(const void *memory, size_t bytes);
#else
#define PORT_RED_ZONE	0
#define __asan_poison_memory_region(memory, bytes)	\
	((void)(memory), (void)(bytes))
#define __asan_unpoison_memory_region(memory, bytes)	\
	((void)(memory), (void)(bytes))
#endif

/* From now on AddressSanitizer stops accesses, until the memory is allowed or reallocated. */
static inline void port_forbid(const void *memory, size_t bytes)
{
	__asan_poison_memory_region(memory, bytes);
}

static inline void port_allow(const void *memory, size_t bytes)
{
	__asan_unpoison_memory_region(memory, bytes);
}

#define port_assert(condition)	assert(condition)

#endif /* __KERNEL__ */

#ifndef __KERNEL__

/* As in the kernel's linux/minmax.h: one type, and each argument is computed once. */
#define min(a, b) ({						\
	__typeof__(a) min_a_ = (a);				\
	__typeof__(b) min_b_ = (b);				\
	(void)(&min_a_ == &min_b_);				\
	min_a_ < min_b_ ? min_a_ : min_b_; })
#define max(a, b) ({						\
	__typeof__(a) max_a_ = (a);				\
	__typeof__(b) max_b_ = (b);				\
	(void)(&max_a_ == &max_b_);				\
	max_a_ > max_b_ ? max_a_ : max_b_; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#endif

/*
 * Between these two no struct may have a hole: the state hash takes the bytes of a struct
 * as they are, and the bytes of a hole are undefined.
 */
#define PORT_NO_HOLES_BEGIN				\
	_Pragma("GCC diagnostic push")			\
	_Pragma("GCC diagnostic error \"-Wpadded\"")
#define PORT_NO_HOLES_END	_Pragma("GCC diagnostic pop")

#endif /* SIMGPU_PORT_H */
