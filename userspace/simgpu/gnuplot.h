/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures by gnuplot, which is run as a process and told what to draw. */
#ifndef SIMGPU_GNUPLOT_H
#define SIMGPU_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * gnuplot_is_picture() - whether a picture can have this name
 * @path: must end in .svg or .png
 *
 * Return: an exit status; what was wrong has been said.
 */
int gnuplot_is_picture(const char *path);

/**
 * gnuplot_open() - begin a picture
 * @path: of the picture, which is SVG or PNG by its ending
 * @width: of the picture, in pixels
 * @height: likewise
 *
 * Return: where gnuplot reads what to draw; NULL: what was wrong has been said.
 */
FILE *gnuplot_open(const char *path, unsigned int width, unsigned int height);

/* Text in gnuplot's single quotes, in which nothing but a quote is special. */
void gnuplot_quote(FILE *gnuplot, const char *text);

/**
 * gnuplot_close() - let it draw the picture
 * @path: as given to gnuplot_open()
 *
 * Return: an exit status; what was wrong has been said.
 */
int gnuplot_close(FILE *gnuplot, const char *path);

#endif /* SIMGPU_GNUPLOT_H */
