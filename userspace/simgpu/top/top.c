// SPDX-License-Identifier: GPL-2.0
/* simgpu top: its options, its keys, and the loop around feed and screen. */
#include <curses.h>
#include <signal.h>
#include <unistd.h>

#include "../options.h"
#include "screen.h"
#include "top.h"
#include "top_draw.h"
#include "top_live.h"
#include "top_replay.h"
#include "top_state.h"

#define KEY_ESCAPE	27
#define KEY_CTRL_L	('L' & 0x1f)
#define INTERVAL_MS_MAX	60000

static const char about[] =
	"Watch devices and their tenants live: class, SMs, predicted NP and its "
	"history, IPC, row buffer hit rate and bandwidth, new with each epoch "
	"that ends.\v"
	"Keys: q quits, Tab shows the next device, Up and Down choose a tenant; p "
	"changes the device's policy, w the tenant's weight, t its target; v shows "
	"other columns: launches and their latency, or shared SMs, quotas, goals and "
	"energy; Enter shows the queues of a tenant; h explains the columns.\n"
	"With --replay: Space pauses and goes on; Left and Right step by an epoch, "
	"Home and End go to the first and the last one, g goes to an epoch by its "
	"number, c to the one in which a cycle lies (250000, 1.5M); all of these "
	"pause, too. What is read is held in memory: files of 256 MiB at most.\n"
	"The epochs come by netlink, which needs CAP_NET_ADMIN unless the module "
	"was loaded with counters_public=1. The screen needs 80 columns.\n"
	"\n"
	"Examples:\n"
	"  sudo simgpu top\n"
	"  simgpu run --offline --policy hsm-fair --epoch 50000 --json LBM DXTC \\\n"
	"    >run.json\n"
	"  simgpu top --replay run.json\n"
	"\n"
	"Exit status: 0; 1 if it failed or the module was unloaded; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	unsigned int device;
	const char *replay;
	int interval_ms;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "device", 'd', "N", "Show this device first (default 0)",
	  TO_U32(device, 0, SIMGPU_DEVICES_MAX) },
	{ "replay", 'r', "RUN",
	  "Show a run that simgpu run --json or --csv has printed; needs no device",
	  TO_TEXT(replay) },
	{ "interval", 'i', "MS",
	  "With --replay: milliseconds that an epoch is shown (default 200)",
	  TO_U32(interval_ms, 1, INTERVAL_MS_MAX) },
	{ .name = NULL }
};

static const struct command_line command_line = {
	.options = options,
	.about = about,
};

/* --- keys --- */

#define SAY(state, ...) \
	snprintf((state)->message, sizeof((state)->message), __VA_ARGS__)

static const char *refusal(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return "that is for root (CAP_NET_ADMIN)";
	case -EINVAL:
		return "the device refuses that value";
	case -ENOENT:
		return "the tenant has gone";
	default:
		return device_error(error);
	}
}

static void say_outcome(struct top_state *state, int error, const char *what,
			const char *value)
{
	if (error)
		SAY(state, "%s %s: %s", what, value, refusal(error));
	else
		SAY(state, "%s is now %s.", what, value);
}

static bool can_change(const struct top_feed *feed, struct top_state *state)
{
	if (feed->set_policy && top_shown(state))
		return true;
	SAY(state, feed->set_policy ? "There is no device." :
	    "A run that is over cannot be changed.");
	return false;
}

static void begin_choice(struct top_feed *feed, struct top_state *state)
{
	int ret;

	if (!can_change(feed, state))
		return;
	ret = feed->policies(feed, state);
	if (ret) {
		SAY(state, "Its policies: %s", refusal(ret));
		return;
	}
	state->mode = TOP_CHOOSE;
	state->title = "policy";
	for (state->chosen = state->name_count; state->chosen-- > 0;)
		if (!strcmp(state->names[state->chosen],
			    top_shown(state)->policy))
			return;
	state->chosen = 0;
}

static void begin_entry(struct top_feed *feed, struct top_state *state,
			const char *title)
{
	if (!can_change(feed, state))
		return;
	if (!top_find_tenant(top_shown(state), state->tenant)) {
		SAY(state, "There is no tenant.");
		return;
	}
	state->mode = TOP_ENTER;
	state->title = title;
	*state->entry = '\0';
}

static const char weight_title[] = "weight, 1 to 1000";
static const char target_title[] = "target of a QoS tenant, an NP up to 1";

static void end_entry(struct top_feed *feed, struct top_state *state)
{
	struct top_device *device = top_shown(state);
	u64 value;

	state->mode = TOP_WATCH;
	if (!device)
		return;
	if (state->title == weight_title) {
		if (!parse_number(state->entry, 1, 1000, &value))
			SAY(state, "A weight is a number from 1 to 1000, not \"%s\".",
			    state->entry);
		else
			say_outcome(state, feed->set_weight(feed, device,
				    state->tenant, (u32)value), "The weight",
				    state->entry);
		return;
	}
	if (!parse_ppm(state->entry, &value) || !value || value > SIMGPU_PPM)
		SAY(state, "A target is a number above 0 up to 1, not \"%s\".",
		    state->entry);
	else
		say_outcome(state, feed->set_target(feed, device, state->tenant,
			    value), "The target", state->entry);
}

/* --- epochs of a recorded run --- */

static const char epoch_title[] = "epoch to show";
static const char cycle_title[] = "cycle whose epoch is shown";

static void end_seek(struct top_feed *feed, struct top_state *state)
{
	bool epoch = state->title == epoch_title;
	u64 value;

	state->mode = TOP_WATCH;
	*state->message = '\0';
	if (parse_number(state->entry, 0, U64_MAX, &value))
		feed->go(feed, state, epoch ? TOP_EPOCH : TOP_CYCLE, value);
	else
		SAY(state, "%s is a number, not \"%s\".",
		    epoch ? "An epoch" : "A cycle", state->entry);
}

static void begin_seek(struct top_state *state, const char *title)
{
	state->mode = TOP_ENTER;
	state->title = title;
	*state->entry = '\0';
	SAY(state, "Epochs are 0 to %llu.", state->epochs - 1);
}

/* Handles a key that moves in a recorded run; returns whether the key is one. */
static bool move_key(struct top_feed *feed, struct top_state *state, int key)
{
	static const struct {
		int key;
		enum top_move to;
	} moves[] = {
		{ ' ', TOP_PAUSE }, { KEY_LEFT, TOP_BACK },
		{ KEY_RIGHT, TOP_AHEAD }, { KEY_HOME, TOP_EPOCH },
		{ KEY_END, TOP_LAST },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(moves) && moves[i].key != key; i++)
		;
	if (i == ARRAY_SIZE(moves) && key != 'g' && key != 'c')
		return false;
	if (!feed->go)
		SAY(state, "That is for recorded runs (--replay).");
	else if (i < ARRAY_SIZE(moves))
		feed->go(feed, state, moves[i].to, 0);
	else
		begin_seek(state, key == 'g' ? epoch_title : cycle_title);
	return true;
}

static void choice_key(struct top_feed *feed, struct top_state *state, int key)
{
	const char *name = state->names[state->chosen];

	switch (key) {
	case KEY_UP:
		state->chosen -= state->chosen > 0;
		break;
	case KEY_DOWN:
		state->chosen += state->chosen + 1 < state->name_count;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		state->mode = TOP_WATCH;
		if (top_shown(state) && state->name_count)
			say_outcome(state, feed->set_policy(feed,
				    top_shown(state), name), "The policy", name);
		break;
	case KEY_ESCAPE:
	case 'q':
		state->mode = TOP_WATCH;
		break;
	}
}

static void entry_key(struct top_feed *feed, struct top_state *state, int key)
{
	size_t length = strlen(state->entry);

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		if (state->title == epoch_title || state->title == cycle_title)
			end_seek(feed, state);
		else
			end_entry(feed, state);
		break;
	case KEY_ESCAPE:
		state->mode = TOP_WATCH;
		*state->message = '\0';
		break;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		if (length)
			state->entry[length - 1] = '\0';
		break;
	default:
		if (key > ' ' && key < 127 && strchr("0123456789.KMG", key) &&
		    length + 1 < sizeof(state->entry)) {
			state->entry[length] = (char)key;
			state->entry[length + 1] = '\0';
		}
	}
}

static void move_tenant(struct top_state *state, int by)
{
	struct top_device *device = top_shown(state);
	struct top_tenant *tenant = device ?
		top_find_tenant(device, state->tenant) : NULL;
	long at;

	if (!tenant)
		return;
	at = tenant - device->tenants + by;
	if (at >= 0 && at < (long)device->tenant_count)
		state->tenant = device->tenants[at].id;
}

static void unfold(struct top_state *state)
{
	struct top_device *device = top_shown(state);
	struct top_tenant *tenant = device ?
		top_find_tenant(device, state->tenant) : NULL;

	if (tenant)
		tenant->unfolded = !tenant->unfolded;
}

/* Handles a key; returns whether to go on. */
static bool watch_key(struct top_feed *feed, struct top_state *state, int key)
{
	*state->message = '\0';
	if (move_key(feed, state, key))
		return true;
	switch (key) {
	case 'q':
		return false;
	case '\t':
		if (state->device_count)
			state->device = (state->device + 1) %
					state->device_count;
		break;
	case KEY_UP:
	case KEY_DOWN:
		move_tenant(state, key == KEY_UP ? -1 : 1);
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		unfold(state);
		break;
	case 'v':
		state->view = (state->view + 1) % TOP_VIEWS;
		break;
	case 'p':
		begin_choice(feed, state);
		break;
	case 'w':
		begin_entry(feed, state, weight_title);
		break;
	case 't':
		begin_entry(feed, state, target_title);
		break;
	case 'h':
	case '?':
		state->mode = TOP_HELP;
		break;
	}
	return true;
}

static bool take_key(struct top_feed *feed, struct top_state *state, int key)
{
	if (key == KEY_CTRL_L) {
		clearok(curscr, true);
		return true;
	}
	/* The screen has another size: it is just drawn again. */
	if (key == KEY_RESIZE)
		return true;
	switch (state->mode) {
	case TOP_CHOOSE:
		choice_key(feed, state, key);
		return true;
	case TOP_ENTER:
		entry_key(feed, state, key);
		return true;
	case TOP_HELP:
		state->mode = TOP_WATCH;
		return true;
	default:
		return watch_key(feed, state, key);
	}
}

/* --- the loop --- */

/* Waits for news; returns whether the keyboard is still there. */
static bool wait_for_news(const struct top_feed *feed)
{
	struct pollfd fds[1 + TOP_FDS_MAX] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	u32 i;

	for (i = 0; i < feed->fd_count; i++)
		fds[1 + i] = (struct pollfd) {
			.fd = feed->fds[i], .events = POLLIN,
		};
	screen_wait(fds, 1 + feed->fd_count, feed->interval_ms);
	return !(fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

static int watch(struct top_feed *feed, struct top_state *state)
{
	bool on = true;
	int key;

	while (on && !screen_signal()) {
		if (feed->update(feed, state))
			return STATUS_FAILED;
		top_draw(state);
		on = wait_for_news(feed);
		while (on && (key = getch()) != ERR)
			on = take_key(feed, state, key);
	}
	return STATUS_OK;
}

/* If a signal asked the command to end, its exit status shows that. */
static void end_as_asked(void)
{
	int number = screen_signal();
	sigset_t held;

	if (!number)
		return;
	signal(number, SIG_DFL);
	sigemptyset(&held);
	sigaddset(&held, number);
	sigprocmask(SIG_UNBLOCK, &held, NULL);
	raise(number);
}

int top_command(int argc, char **argv)
{
	struct arguments arguments = { .interval_ms = 200 };
	struct top_state state = { .device_count = 0 };
	struct top_device *device;
	struct top_feed feed;
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = arguments.replay ?
	      top_replay_open(&feed, arguments.replay, arguments.interval_ms) :
	      top_live_open(&feed);
	if (ret)
		return ret;
	ret = feed.update(&feed, &state);
	device = top_find_device(&state, arguments.device);
	if (!ret && !device)
		ret = fail("simgpu%u: %s", arguments.device,
			   device_error(-ENOENT));
	if (!ret) {
		state.device = (u32)(device - state.devices);
		ret = screen_begin();
	}
	if (!ret)
		ret = watch(&feed, &state);
	screen_end();
	feed.close(&feed);
	top_free(&state);
	end_as_asked();
	return ret;
}
