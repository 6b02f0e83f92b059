/* SPDX-License-Identifier: GPL-2.0 */
/* Integers in structs by where they stand and how wide they are: for tables of members. */
#ifndef SIMGPU_MEMBER_H
#define SIMGPU_MEMBER_H

#include <simgpu/port.h>

/* The unsigned integer, or the bool, of @bytes (1, 2, 4 or 8) at @offset of @base. */
static inline u64 member_get(const void *base, size_t offset, size_t bytes)
{
	const u8 *at = (const u8 *)base + offset;

	return bytes == sizeof(u64) ? *(const u64 *)at :
	       bytes == sizeof(u32) ? *(const u32 *)at :
	       bytes == sizeof(u16) ? *(const u16 *)at : *at;
}

/* It is set to the lowest bytes of @value. */
static inline void member_set(void *base, size_t offset, size_t bytes, u64 value)
{
	u8 *at = (u8 *)base + offset;

	if (bytes == sizeof(u64))
		*(u64 *)at = value;
	else if (bytes == sizeof(u32))
		*(u32 *)at = (u32)value;
	else if (bytes == sizeof(u16))
		*(u16 *)at = (u16)value;
	else
		*at = (u8)value;
}

#endif /* SIMGPU_MEMBER_H */
