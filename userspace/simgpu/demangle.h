/* SPDX-License-Identifier: GPL-2.0 */
/* Names of kernels as their C++ source has them. */
#ifndef SIMGPU_DEMANGLE_H
#define SIMGPU_DEMANGLE_H

#include <json-c/json.h>

/* "vectorAdd(float const*, int)", which the caller frees; NULL if it is no mangled name. */
char *demangle(const char *name);
/* "vectorAdd", or the name itself, for tables and pictures; the caller frees it. */
char *demangle_short(const char *name);
/* Adds demangle() to a JSON object as "demangled"; null if it is no mangled name. */
void json_set_demangled(struct json_object *object, const char *name);

#endif /* SIMGPU_DEMANGLE_H */
