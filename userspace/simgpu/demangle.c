// SPDX-License-Identifier: GPL-2.0
/*
 * Names of kernels as in their C++ source, demangled by the C++ runtime. A trace has
 * room for 31 letters of a name. The end of a longer name is missing; that only costs its
 * parameters if the part before them is short enough.
 */
#include <linux/simgpu_trace.h>

#include "demangle.h"
#include "json.h"
#include "output.h"

/* Part of the Itanium C++ ABI; there is no C header for it. */
char *__cxa_demangle(const char *mangled, char *room, size_t *bytes, int *status);

/* NULL if it is no mangled name. */
static char *demangle_whole(const char *mangled)
{
	static const char nowhere[] = "(anonymous namespace)::";
	char *text = __cxa_demangle(mangled, NULL, NULL, NULL), *found;

	/* These words tell a user nothing, and have the letters at which a name ends. */
	while (text && (found = strstr(text, nowhere)))
		memmove(found, found + strlen(nowhere),
			strlen(found + strlen(nowhere)) + 1);
	return text;
}

/* Where the parameters begin; parentheses within angle brackets belong to a template. */
static size_t name_length(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] && (depth || text[i] != '('); i++)
		depth += (text[i] == '<') - (text[i] == '>');
	return i;
}

/* Demangle the longest part of a cut name that has a function's name in it. */
static char *demangle_cut(const char *name)
{
	/* Ends that complete a name: no parameters, and the same within a namespace. */
	static const char *const ends[] = { "v", "Ev" };
	char part[SIMGPU_TRACE_NAME_BYTES + 2], *whole, *shown;
	size_t tries = 2 * (strlen(name) - 2), i;

	for (i = 0; i < tries; i++) {
		snprintf(part, sizeof(part), "%.*s%s",
			 (int)(strlen(name) - i / 2), name, ends[i % 2]);
		whole = demangle_whole(part);
		if (!whole)
			continue;
		shown = grow(NULL, strlen(whole) + sizeof("(...)"), 1);
		sprintf(shown, "%.*s(...)", (int)name_length(whole), whole);
		free(whole);
		return shown;
	}
	return NULL;
}

char *demangle(const char *name)
{
	if (strncmp(name, "_Z", 2))
		return NULL;
	if (strlen(name) == SIMGPU_TRACE_NAME_BYTES - 1)
		return demangle_cut(name);
	return demangle_whole(name);
}

char *demangle_short(const char *name)
{
	char *whole = demangle(name);
	size_t length, first, i;
	int depth = 0;

	if (!whole)
		return strcpy(grow(NULL, strlen(name) + 1, 1), name);
	length = name_length(whole);
	/* A template's name follows its return type. */
	for (first = i = 0; i < length; i++) {
		depth += (whole[i] == '<') - (whole[i] == '>');
		if (!depth && whole[i] == ' ')
			first = i + 1;
	}
	memmove(whole, whole + first, length - first);
	whole[length - first] = '\0';
	return whole;
}

void json_set_demangled(struct json_object *object, const char *name)
{
	char *whole = demangle(name);

	json_set(object, "demangled",
		 whole ? json_object_new_string(whole) : NULL);
	free(whole);
}
