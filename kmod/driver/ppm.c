// SPDX-License-Identifier: GPL-2.0
/* Ratios as text: a decimal with up to six digits behind the point. */
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "driver.h"
#include "ppm.h"

#define PPM_DIGITS	6

/**
 * simgpu_emit_ppm() - print a ratio as a decimal
 * @buf: buffer of a file in sysfs
 * @value_ppm: the ratio
 *
 * Return: the text's length.
 */
ssize_t simgpu_emit_ppm(char *buf, u64 value_ppm)
{
	return sysfs_emit(buf, "%llu.%06llu\n", value_ppm / SIMGPU_PPM,
			  value_ppm % SIMGPU_PPM);
}

static bool simgpu_is_digits(const char *text, size_t length)
{
	return length && strspn(text, "0123456789") == length;
}

/**
 * simgpu_parse_ppm() - parse a decimal as a ratio
 * @buf: "0.9", "1", "0.874000": up to six decimals, and nothing else
 * @value_ppm: set to it
 *
 * Return: 0 or -EINVAL.
 */
int simgpu_parse_ppm(const char *buf, u64 *value_ppm)
{
	char text[40], *fraction;
	u64 whole, parts = 0;
	size_t length, i;

	if (strscpy(text, buf, sizeof(text)) < 0)
		return -EINVAL;
	length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[--length] = '\0';
	fraction = strchr(text, '.');
	if (fraction) {
		*fraction++ = '\0';
		length = strlen(fraction);
		if (!simgpu_is_digits(fraction, length) ||
		    length > PPM_DIGITS || kstrtou64(fraction, 10, &parts))
			return -EINVAL;
		for (i = length; i < PPM_DIGITS; i++)
			parts *= 10;
	}
	if (!simgpu_is_digits(text, strlen(text)) ||
	    kstrtou64(text, 10, &whole) || whole > U32_MAX)
		return -EINVAL;
	*value_ppm = whole * SIMGPU_PPM + parts;
	return 0;
}
