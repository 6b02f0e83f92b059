// SPDX-License-Identifier: GPL-2.0
/* The colours of tenants in pictures and on the screen; see output.h. */
#include <math.h>

#include "colour.h"
#include "output.h"

/* These can be told apart also with red-green colour blindness (Okabe and Ito). */
static const u32 first_colours[] = {
	0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
	0xe69f00, 0x56b4e9, 0x7a5230, 0xb8a800,
};

/* Hues a golden angle apart are far from all earlier ones. */
#define GOLDEN_TURN	0.618034
#define SATURATION	0.65
#define BRIGHTNESS	0.80

static u32 channel(double hue, double offset)
{
	double turn = fmod(hue + offset, 1) * 6;
	double part = fabs(turn - 3) - 1;

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return (u32)(255 * BRIGHTNESS * (1 - SATURATION * (1 - part)));
}

u32 tenant_colour(u32 index)
{
	double hue = index * GOLDEN_TURN;

	if (index < ARRAY_SIZE(first_colours))
		return first_colours[index];
	return channel(hue, 0) << 16 | channel(hue, 2.0 / 3) << 8 |
	       channel(hue, 1.0 / 3);
}
