/* SPDX-License-Identifier: GPL-2.0 */
/* Chunks of device memory, of which the pager takes some away for others. */
#ifndef SESSION_PAGER_CHUNKS_H
#define SESSION_PAGER_CHUNKS_H

#include "pager_parts.h"

u64 pager_copy_cycles(const struct pager *pager, u32 pages, u32 mb_per_s);
void pager_send(struct pager *pager, enum gpu_copy_way way, u32 slot, u32 page,
		u32 pages, u64 at);
u32 pager_block_pages(const struct pager *pager, u32 slot, u32 block);
void pager_note_uses(struct pager *pager, u64 cycle);
u32 pager_free_chunk(struct pager *pager);
u32 pager_victim(const struct pager *pager, u64 now, u32 slot);
void pager_unmap(struct pager *pager, u32 victim);
void pager_copy_out(struct pager *pager, u32 victim);
void pager_release(struct pager *pager, u32 index);

#endif /* SESSION_PAGER_CHUNKS_H */
