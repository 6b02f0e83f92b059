// SPDX-License-Identifier: GPL-2.0
/* Pictures by gnuplot; see gnuplot.h. */
/* For memfd_create. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "gnuplot.h"

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), end = strlen(ending);

	return length > end && !strcmp(path + length - end, ending);
}

int gnuplot_is_picture(const char *path)
{
	if (ends_in(path, ".svg") || ends_in(path, ".png") || ends_in(path, ".pdf"))
		return STATUS_OK;
	return fail("%s: a picture's name ends in .svg or .png, or in .pdf", path);
}

/* Pixels of the other pictures in an inch of PDF. */
#define PIXELS_AN_INCH	96.0

static void write_terminal(FILE *gnuplot, const char *path, unsigned int width,
			   unsigned int height)
{
	if (ends_in(path, ".pdf"))
		fprintf(gnuplot, "set terminal pdfcairo size %.3fin,%.3fin font 'sans,8'\n",
			width / PIXELS_AN_INCH, height / PIXELS_AN_INCH);
	else
		fprintf(gnuplot, "set terminal %s size %u,%u font 'sans,10' background 'white'\n",
			ends_in(path, ".png") ? "pngcairo" : "svg", width, height);
}

/*
 * Where gnuplot draws: memory. It does not look whether what it writes arrives, as on a
 * full disk, so the picture is written to its file here.
 */
static int canvas = -1;

FILE *gnuplot_open(const char *path, unsigned int width, unsigned int height)
{
	FILE *gnuplot;

	if (gnuplot_is_picture(path))
		return NULL;
	canvas = memfd_create("picture", 0);
	/* gnuplot may be missing or end early; write errors then tell. */
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	gnuplot = canvas < 0 ? NULL : popen("gnuplot", "w");
	if (!gnuplot) {
		fail("gnuplot: %s", strerror(errno));
		return NULL;
	}
	write_terminal(gnuplot, path, width, height);
	fprintf(gnuplot, "set output '/dev/fd/%d'\n", canvas);
	return gnuplot;
}

void gnuplot_quote(FILE *gnuplot, const char *text)
{
	putc('\'', gnuplot);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', gnuplot);
		putc(*text, gnuplot);
	}
	putc('\'', gnuplot);
}

static int copy_picture(const char *path)
{
	FILE *file = fopen(path, "w");
	char bytes[4096];
	ssize_t got;

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	lseek(canvas, 0, SEEK_SET);
	while ((got = read(canvas, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)got, file);
	return close_file(file, path);
}

int gnuplot_close(FILE *gnuplot, const char *path)
{
	int ret = pclose(gnuplot);

	if (ret || lseek(canvas, 0, SEEK_END) <= 0)
		ret = fail("gnuplot did not draw %s; is it installed?", path);
	else
		ret = copy_picture(path);
	close(canvas);
	return ret;
}
