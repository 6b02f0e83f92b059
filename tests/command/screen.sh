# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# A terminal for tests of programs that fill a screen: a pane of tmux. Sourced,
# also by busybox's sh in a guest. Needs $folder.
# shellcheck disable=SC2154

# The terminal's type; the smallest description that there is.
screen_type=screen

terminal() {
	LC_ALL=C.UTF-8 tmux -S "$folder/tmux" -f /dev/null "$@"
}

# screen_start COLUMNS LINES: with a shell in it
screen_start() {
	terminal set -g status off ';' new-session -d -x "$1" -y "$2" \
		"env TERM=$screen_type PS1='\$ ' ENV= sh"
	screen_type_line "stty -g >$folder/stty-before"
	wait_for_file "$folder/stty-before"
}

# A server that is going down refuses those who come.
screen_end() {
	terminal kill-server
	while terminal has-session 2>/dev/null; do
		sleep 0.1
	done
	rm -f "$folder/tmux"
}

screen_size() {
	terminal resize-window -x "$1" -y "$2"
}

# Key names as tmux has them: Up, Tab, Enter, Escape, or characters.
screen_keys() {
	terminal send-keys "$@"
}

# A line for the shell in the terminal.
screen_type_line() {
	terminal send-keys -l "$1"
	terminal send-keys Enter
}

screen() {
	terminal capture-pane -p
}

# Whether the file has something in it within 20 seconds.
wait_for_file() {
	tries=0
	until [ -s "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || return 1
		sleep 0.1
	done
}

# shows PATTERN: whether the screen has it within 20 seconds
shows() {
	tries=0
	until screen | grep -E -- "$1" >/dev/null; do
		tries=$((tries + 1))
		if [ "$tries" -ge 200 ]; then
			echo "# not on the screen: $1"
			screen | sed 's/^/# |/'
			return 1
		fi
		sleep 0.1
	done
}

# Whether the shell is there again, and the terminal as it was.
is_restored() {
	rm -f "$folder/stty-after" "$folder/status"
	screen_type_line "echo \$? >$folder/status; stty -g >$folder/stty-after"
	wait_for_file "$folder/stty-after" || return 1
	cmp "$folder/stty-before" "$folder/stty-after" &&
		[ "$(terminal display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1' ]
}
