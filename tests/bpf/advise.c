// SPDX-License-Identifier: GPL-2.0
/*
 * The process that advises docs/examples/bpf/advice.c: writes weights into its map.
 * usage: advise FILE WEIGHT..., by slot; FILE is where the map is pinned.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 64

int main(int argc, char **argv)
{
	union bpf_attr find = { .pathname = 0 }, update = { .map_fd = 0 };
	uint64_t weights[SLOTS] = { 0 };
	uint32_t first = 0;
	long map;
	int i;

	if (argc < 2 || argc > SLOTS + 2)
		return 2;
	for (i = 2; i < argc; i++)
		weights[i - 2] = strtoull(argv[i], NULL, 10);
	find.pathname = (uintptr_t)argv[1];
	map = syscall(SYS_bpf, BPF_OBJ_GET, &find, sizeof(find));
	if (map < 0) {
		perror(argv[1]);
		return 1;
	}
	update.map_fd = (uint32_t)map;
	update.key = (uintptr_t)&first;
	update.value = (uintptr_t)weights;
	if (syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &update, sizeof(update))) {
		perror("BPF_MAP_UPDATE_ELEM");
		return 1;
	}
	return 0;
}
