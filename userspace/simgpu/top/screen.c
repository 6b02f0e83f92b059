// SPDX-License-Identifier: GPL-2.0
/* Taking over the terminal and giving it back; see screen.h. */
/* For ppoll. */
#define _GNU_SOURCE
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "../output.h"
#include "screen.h"
/* Included last, since it defines macros named by common words. */
#include <term.h>

/* Most colour pairs; pair 0 is the terminal's own. */
#define PAIRS_MAX	64

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* Signals of a crash, after which no library can be called. */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static SCREEN *screen;
static bool taken;
static volatile sig_atomic_t ending;
static sigset_t waiting_mask;
static struct termios before;
/* The text that ends the full screen, for a signal's handler. */
static char leave[128];
static size_t leave_count;

/* --- signals --- */

static void on_ending(int number)
{
	ending = number;
}

/* Calls only what a signal handler may call. */
static void on_crash(int number)
{
	if (taken) {
		ssize_t ignored = write(STDOUT_FILENO, leave, leave_count);

		(void)ignored;
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	}
	raise(number);
}

static int collect(int byte)
{
	if (leave_count < sizeof(leave))
		leave[leave_count++] = (char)byte;
	return byte;
}

static void collect_leaving(void)
{
	const char *const names[] = { "sgr0", "cnorm", "rmcup" };
	size_t i;

	leave_count = 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *text = tigetstr(names[i]);

		if (text && text != (char *)-1)
			tputs(text, 1, collect);
	}
}

/* Signals that end the command are blocked except while it waits, so none is missed. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_ending };
	sigset_t held;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		sigaction(endings[i], &action, NULL);
		sigaddset(&held, endings[i]);
	}
	sigprocmask(SIG_BLOCK, &held, &waiting_mask);
	for (i = 0; i < ARRAY_SIZE(endings); i++)
		sigdelset(&waiting_mask, endings[i]);
	action.sa_handler = on_crash;
	action.sa_flags = SA_RESETHAND | SA_NODEFER;
	for (i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int screen_signal(void)
{
	return ending;
}

int screen_wait(struct pollfd *fds, u32 count, int timeout_ms)
{
	struct timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};

	return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout,
		     &waiting_mask);
}

/* --- the terminal --- */

static void set_up(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	curs_set(0);
	set_escdelay(25);
	if (has_colors()) {
		start_color();
		use_default_colors();
	}
}

int screen_begin(void)
{
	const char *type = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &before))
		return fail("it needs a terminal; for scripts there is simgpu stat");
	setlocale(LC_ALL, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return fail("a terminal of the type \"%s\" (TERM) is not known or cannot do this",
			    type ? type : "");
	collect_leaving();
	taken = true;
	atexit(screen_end);
	before_message = screen_end;
	catch_signals();
	set_up();
	return STATUS_OK;
}

void screen_end(void)
{
	if (!taken)
		return;
	taken = false;
	endwin();
	delscreen(screen);
	/* endwin() restores the state that it found, if the terminal still answers. */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

bool screen_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* --- colours --- */

/* The nearest of a channel's six levels in the cube of 256 colours. */
static short level(u32 value)
{
	return value < 48 ? 0 : value < 115 ? 1 : (short)((value - 35) / 40);
}

static short nearest(u32 rgb)
{
	u32 red = rgb >> 16, green = rgb >> 8 & 0xff, blue = rgb & 0xff;

	if (COLORS >= 256)
		return (short)(16 + 36 * level(red) + 6 * level(green) +
			       level(blue));
	return (short)((red > 127) | (green > 100) << 1 | (blue > 127) << 2);
}

short screen_pair(u32 rgb)
{
	static u32 made[PAIRS_MAX];
	static short count;
	short i;

	if (!has_colors())
		return 0;
	for (i = 0; i < count; i++)
		if (made[i] == rgb)
			return (short)(i + 1);
	if (count == PAIRS_MAX || count + 1 >= COLOR_PAIRS)
		return 0;
	made[count++] = rgb;
	init_pair(count, nearest(rgb), -1);
	return count;
}
