/* SPDX-License-Identifier: GPL-2.0 */
/* What tenants say of their managed memory. */
#ifndef SESSION_ADVICE_H
#define SESSION_ADVICE_H

#include "session.h"

/* Beside &enum simgpu_memory_advice, which is kept: what is in pages is of no use any more. */
#define SESSION_ADVICE_FREE	SIMGPU_MEMORY_ADVICES

/**
 * session_advise() - take a tenant's advice on a range of its managed memory
 * @session: the session
 * @slot: the tenant
 * @advice: &enum simgpu_memory_advice, kept for all blocks of 2 MiB with a byte of the range,
 *	until other advice comes; or SESSION_ADVICE_FREE, for the pages that lie in it as a
 *	whole: nothing is copied to the host when they leave, and a chunk without other pages
 *	goes first
 * @offset: first byte of the range
 * @bytes: from there on, at least 1, all in its managed memory
 *
 * Advice is followed where the memory policy answers a fault with SIMGPU_MEMORY_MIGRATE. What is
 * on the device stays until it is taken away. Pages that stayed on the host by advice that is
 * taken back fault at their next access.
 *
 * Return: 0; -ENXIO if none of its memory is managed; -EINVAL for other bytes or another advice;
 * -ECANCELED if the session has stopped.
 */
int session_advise(struct session *session, u32 slot, u32 advice, u64 offset, u64 bytes);

#endif /* SESSION_ADVICE_H */
