// SPDX-License-Identifier: GPL-2.0
/* Pictures by gnuplot; see gnuplot.h. */
#include <signal.h>
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
	if (ends_in(path, ".svg") || ends_in(path, ".png"))
		return STATUS_OK;
	return fail("%s: a picture's name ends in .svg or .png", path);
}

/* Checks that the file can be written: gnuplot's own message has three lines and its prompt. */
static int can_write(const char *path)
{
	bool is_new = access(path, F_OK);
	FILE *file = fopen(path, "a");

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	fclose(file);
	if (is_new)
		unlink(path);
	return STATUS_OK;
}

FILE *gnuplot_open(const char *path, unsigned int width, unsigned int height)
{
	FILE *gnuplot;

	if (gnuplot_is_picture(path) || can_write(path))
		return NULL;
	/* gnuplot may be missing or end early; write errors then tell. */
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	gnuplot = popen("gnuplot", "w");
	if (!gnuplot) {
		fail("gnuplot: %s", strerror(errno));
		return NULL;
	}
	fprintf(gnuplot, "set terminal %s size %u,%u font 'sans,10' background 'white'\nset output ",
		ends_in(path, ".png") ? "pngcairo" : "svg", width, height);
	gnuplot_quote(gnuplot, path);
	putc('\n', gnuplot);
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

int gnuplot_close(FILE *gnuplot, const char *path)
{
	if (pclose(gnuplot))
		return fail("gnuplot did not draw %s; is it installed?", path);
	return STATUS_OK;
}
