// SPDX-License-Identifier: GPL-2.0
/* Replaces bpf_object.c if the build has found no libbpf. */
#include "bpf_object.h"
#include "../command.h"

#define WHY	"this simgpu was built without libbpf 1.5; run tools/build-libbpf and make"

int bpf_object_load(const char *path, const char *folder, bool replace)
{
	return fail("%s: " WHY, path);
}

int bpf_object_unload(const char *pin)
{
	return fail("%s: " WHY, pin);
}

bool bpf_object_map_about(const char *pin, struct bpf_object_map *about)
{
	return false;
}
