// SPDX-License-Identifier: GPL-2.0
/*
 * L1s with few sets of many ways, as GPGPU-Sim's SM7_QV100 has them: 4 sets of 256 ways.
 * They differ from other L1s in two things. A line's lowest bits alone choose its set, so
 * that a column of a matrix lies in one set. And a miss takes a way at once (GPGPU-Sim:
 * allocate on miss): the line that lay there is gone, and a way is no victim while its line
 * is being fetched. So no more lines of a set can be on their way than it has ways.
 *
 * A set is a list of the lines that could be victims, in the order of use; lines that are
 * being fetched are in no list. Lines are found by a hash table.
 */
#include "sim.h"

/*
 * struct big_line - a line of such an L1, or the head of a set's list
 * @tag: the line that lies there, or NO_LINE
 * @newer: the next line of its list that was used later; of a head the one that was used
 *	first
 * @older: the next that was used earlier; of a head the one that was used last
 * @next: the next line of its bucket, or NO_PLACE
 * @valid: sectors that can be read
 * @coming: sectors that are being fetched
 * @stored: what stores have written, see stored_bytes()
 */
struct big_line {
	u32 tag;
	u32 stored;
	u16 newer;
	u16 older;
	u16 next;
	u8 valid;
	u8 coming;
};

#define NO_PLACE	0xffffU

static_assert(L1_BIG_SETS_MAX * (L1_WAYS_MAX + 1) < NO_PLACE,
	      "places of lines need more bits");

/* Lines, and after them the heads of the sets' lists. */
static u32 lines_of(const struct l1 *l1)
{
	return l1->big_sets * l1->ways;
}

static struct big_line *places_of(const struct l1 *l1, u32 sm)
{
	return (struct big_line *)&l1->words[sm * l1->set_words];
}

static u16 *buckets_of(const struct l1 *l1, u32 sm)
{
	return (u16 *)(places_of(l1, sm) + lines_of(l1) + l1->big_sets);
}

/* l1_big_words() - words that an SM needs for so many sets and ways */
u32 l1_big_words(u32 sets, u32 ways)
{
	u32 bytes = (sets * ways + sets) * sizeof(struct big_line) +
		    sets * ways * sizeof(u16);

	return (bytes / sizeof(u32) + 7) & ~7U;
}

static u16 *bucket_of_line(const struct l1 *l1, u32 sm, u32 line)
{
	return &buckets_of(l1, sm)[(line * 0x9e3779b1U) >> 16 &
				   (lines_of(l1) - 1)];
}

static u32 find(const struct l1 *l1, u32 sm, u32 line)
{
	const struct big_line *places = places_of(l1, sm);
	u32 place = *bucket_of_line(l1, sm, line);

	while (place != NO_PLACE && places[place].tag != line)
		place = places[place].next;
	return place;
}

/* The head of the list of the set in which a line lies. */
static u32 head_of(const struct l1 *l1, u32 line)
{
	return lines_of(l1) + (line & (l1->big_sets - 1));
}

static void unlink_place(struct big_line *places, u32 place)
{
	places[places[place].newer].older = places[place].older;
	places[places[place].older].newer = places[place].newer;
}

/* Put a line into a list, as the one that was used right after @before. */
static void link_place(struct big_line *places, u32 before, u32 place)
{
	places[place].older = (u16)before;
	places[place].newer = places[before].newer;
	places[places[before].newer].older = (u16)place;
	places[before].newer = (u16)place;
}

static void link_newest(const struct l1 *l1, struct big_line *places, u32 head,
			u32 place)
{
	link_place(places, places[head].older, place);
}

/* A line goes out of the table, and its place can be used again. */
static void forget_tag(const struct l1 *l1, u32 sm, u32 place)
{
	struct big_line *places = places_of(l1, sm);
	u16 *link = bucket_of_line(l1, sm, places[place].tag);

	if (places[place].tag == NO_LINE)
		return;
	while (*link != place)
		link = &places[*link].next;
	*link = places[place].next;
	places[place].tag = NO_LINE;
	places[place].valid = 0;
	places[place].stored = 0;
}

static void set_tag(const struct l1 *l1, u32 sm, u32 place, u32 line)
{
	u16 *bucket = bucket_of_line(l1, sm, line);

	forget_tag(l1, sm, place);
	places_of(l1, sm)[place].tag = line;
	places_of(l1, sm)[place].next = *bucket;
	*bucket = (u16)place;
}

/* l1_big_flush() - empty an SM's L1; what is being fetched into it has no place any more */
void l1_big_flush(const struct l1 *l1, u32 sm)
{
	struct big_line *places = places_of(l1, sm);
	u32 lines = lines_of(l1), i;

	memset(places, 0, l1->set_words * sizeof(u32));
	memset(buckets_of(l1, sm), 0xff, lines * sizeof(u16));
	for (i = lines; i < lines + l1->big_sets; i++)
		places[i] = (struct big_line) {
			.tag = NO_LINE, .newer = (u16)i, .older = (u16)i,
			.next = NO_PLACE,
		};
	for (i = 0; i < lines; i++) {
		places[i].tag = NO_LINE;
		places[i].next = NO_PLACE;
		link_newest(l1, places, lines + (i & (l1->big_sets - 1)), i);
	}
}

/* l1_big_lookup() - as l1_lookup() */
bool l1_big_lookup(const struct l1 *l1, u32 sm, u32 line, u32 sectors)
{
	struct big_line *places = places_of(l1, sm);
	u32 place = find(l1, sm, line);

	if (place == NO_PLACE || sectors & ~places[place].valid)
		return false;
	if (!places[place].coming) {
		unlink_place(places, place);
		link_newest(l1, places, head_of(l1, line), place);
	}
	return true;
}

/* l1_big_has_room() - whether a line may be fetched: it has a way, or there is a victim */
bool l1_big_has_room(const struct l1 *l1, u32 sm, u32 line)
{
	u32 head = head_of(l1, line);

	return places_of(l1, sm)[head].newer != head ||
	       find(l1, sm, line) != NO_PLACE;
}

/* The place of a line, which may be that of the set's oldest line; NO_PLACE: all are in use. */
static u32 take_place(const struct l1 *l1, u32 sm, u32 line)
{
	u32 place = find(l1, sm, line), head = head_of(l1, line);

	if (place != NO_PLACE)
		return place;
	place = places_of(l1, sm)[head].newer;
	if (place == head)
		return NO_PLACE;
	set_tag(l1, sm, place, line);
	return place;
}

/*
 * l1_big_reserve() - a miss takes a way for sectors that are being fetched
 *
 * Return: what l1_big_release() wants; 0 if there is no way.
 */
u16 l1_big_reserve(const struct l1 *l1, u32 sm, u32 line, u32 sectors)
{
	struct big_line *places = places_of(l1, sm);
	u32 place = take_place(l1, sm, line);

	if (place == NO_PLACE)
		return 0;
	if (!places[place].coming)
		unlink_place(places, place);
	places[place].coming |= sectors;
	return (u16)(place + 1);
}

/* l1_big_release() - sectors have come, or nobody waits for them any more */
void l1_big_release(const struct l1 *l1, u32 sm, u16 reserved, u32 sectors)
{
	struct big_line *places = places_of(l1, sm);
	u32 place = reserved - 1U;

	places[place].coming &= ~sectors;
	if (!places[place].coming)
		link_newest(l1, places, lines_of(l1) +
					(place & (l1->big_sets - 1)), place);
}

/* l1_big_write() - bytes are stored; sectors can be read when all of theirs have been */
void l1_big_write(const struct l1 *l1, u32 sm, u32 line, u32 stored)
{
	struct big_line *places = places_of(l1, sm);
	u32 place = take_place(l1, sm, line);

	if (place == NO_PLACE)
		return;
	places[place].stored = stored_together(places[place].stored, stored);
	l1_big_fill(l1, sm, line, stored_sectors(places[place].stored));
}

/* l1_big_fill() - sectors can be read that have come, or have been written as a whole */
void l1_big_fill(const struct l1 *l1, u32 sm, u32 line, u32 sectors)
{
	struct big_line *places = places_of(l1, sm);
	u32 place = take_place(l1, sm, line);

	if (place == NO_PLACE)
		return;
	places[place].valid |= sectors;
	if (places[place].coming)
		return;
	unlink_place(places, place);
	link_newest(l1, places, head_of(l1, line), place);
}

/* l1_big_drop() - forget @count lines from @first on */
void l1_big_drop(const struct l1 *l1, u32 sm, u32 first, u32 count)
{
	struct big_line *places = places_of(l1, sm);
	u32 i;

	for (i = 0; i < lines_of(l1); i++)
		if (places[i].tag != NO_LINE && places[i].tag - first < count)
			forget_tag(l1, sm, i);
}
