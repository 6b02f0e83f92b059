/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copy engines: ports of the crossbar behind the SMs, by which copies over the link write and
 * read lines of device memory.
 */
#ifndef SIM_COPY_H
#define SIM_COPY_H

#include "pages.h"
#include "sm.h"

PORT_NO_HOLES_BEGIN

/*
 * struct copy_job - a copy that an engine was told of
 * @at: as in struct gpu_copy
 * @answered: cycle of the latest answer
 * @line: its first line, of the device
 * @count: lines
 * @sent: lines of which the request was sent
 * @waiting: of these, those without an answer
 */
struct copy_job {
	u64 at;
	u64 answered;
	u32 line;
	u32 count;
	u32 sent;
	u32 waiting;
};

/*
 * struct copy_queue - the copies of an engine in a way: a ring of @jobs, from @head on
 * @sending: how many of them have sent all of their lines, counted from the first
 */
struct copy_queue {
	u32 head;
	u32 jobs;
	u32 sending;
	u32 unused;
	struct copy_job job[GPU_COPIES_MAX];
};

/*
 * struct copy_engine - a copy engine. Its port and the entries of its requests are a struct
 *	sm behind the SMs, of which it uses nothing else
 * @queue: by &enum gpu_copy_way
 */
struct copy_engine {
	struct copy_queue queue[GPU_COPY_WAYS];
	u8 unused[32];
} __aligned(64);

/*
 * struct copy_commands - copies of commands of traces, for the first engine
 * @queue: by &enum gpu_copy_way
 */
struct copy_commands {
	struct copy_queue queue[GPU_COPY_WAYS];
	u8 unused[32];
} __aligned(64);

PORT_NO_HOLES_END

/* copy.c */
void copy_run(struct gpu *gpu, u32 engine, u64 until);
void copy_forget(struct gpu *gpu, u32 slot);
bool copies_busy(const struct gpu *gpu);

#endif /* SIM_COPY_H */
