/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures by gnuplot, which runs as a process and reads commands from us. */
#ifndef SIMGPU_GNUPLOT_H
#define SIMGPU_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * gnuplot_is_picture() - check the name of a picture
 * @path: must end in .svg, .png or .pdf
 *
 * Return: an exit status; a message has been printed on failure.
 */
int gnuplot_is_picture(const char *path);

/**
 * gnuplot_open() - begin a picture
 * @path: name of the picture, which is SVG, PNG or PDF by its ending
 * @width: width of the picture in pixels
 * @height: height of the picture in pixels
 *
 * Return: where to write gnuplot's commands; NULL: a message has been printed.
 */
FILE *gnuplot_open(const char *path, unsigned int width, unsigned int height);

/* Writes a text in gnuplot's single quotes, in which only a quote is special. */
void gnuplot_quote(FILE *gnuplot, const char *text);

/**
 * gnuplot_close() - finish the picture
 * @path: as given to gnuplot_open()
 *
 * Return: an exit status; a message has been printed on failure.
 */
int gnuplot_close(FILE *gnuplot, const char *path);

#endif /* SIMGPU_GNUPLOT_H */
