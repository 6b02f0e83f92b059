// SPDX-License-Identifier: GPL-2.0
/*
 * Exports of Nsight Systems. The tables are CUPTI's records, an activity a row; names are in
 * StringIds (docs.nvidia.com/nsight-systems, SQLite Schema Reference).
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "nsys.h"

/* copyKind of CUPTI */
enum {
	COPY_HTOD = 1,
	COPY_DTOH = 2,
	COPY_HTOH = 9,
};

/* syncType of CUPTI */
enum {
	SYNC_EVENT = 1,
	SYNC_STREAM_WAIT = 2,
	SYNC_STREAM = 3,
	SYNC_CONTEXT = 4,
};

/* Columns of every query; those behind them are the query's own. */
enum {
	START,
	END,
	STREAM,
	CORRELATION,
	OWN,
};

/**
 * struct query - a table, and how its rows become activities
 * @table: the table; if there is none, nothing is read
 * @sql: columns START to CORRELATION, then those of the reader
 * @add: adds the activity of a row
 */
struct query {
	const char *table;
	const char *sql;
	int (*add)(struct activities *activities, sqlite3_stmt *row, struct activity *activity);
};

static const char *text_at(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "";
}

static uint64_t size_at(sqlite3_stmt *row, int column)
{
	int64_t size = sqlite3_column_int64(row, column);

	return size > 0 ? (uint64_t)size : 0;
}

/* Three sizes; all are 0 if one is none. */
static void read_sizes(sqlite3_stmt *row, int column, uint32_t sizes[3])
{
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t size = size_at(row, column + i);

		if (!size || size > INT32_MAX) {
			memset(sizes, 0, 3 * sizeof(*sizes));
			return;
		}
		sizes[i] = (uint32_t)size;
	}
}

static int add_kernel(struct activities *activities, sqlite3_stmt *row, struct activity *activity)
{
	uint64_t registers = size_at(row, OWN + 7), shared = size_at(row, OWN + 8);

	activity->kind = ACTIVITY_KERNEL;
	activity->name = text_at(row, OWN);
	read_sizes(row, OWN + 1, activity->grid);
	read_sizes(row, OWN + 4, activity->block);
	if (!activity->block[0])
		activity->grid[0] = 0;
	activity->registers = registers > 255 ? 255 : (uint32_t)registers;
	activity->shared_bytes = shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
	return activities_add(activities, activity);
}

static int add_copy(struct activities *activities, sqlite3_stmt *row, struct activity *activity)
{
	int kind = sqlite3_column_int(row, OWN + 1);

	if (kind == COPY_HTOH)
		return activities_unknown(activities, "copy from host to host");
	activity->kind = ACTIVITY_COPY;
	activity->bytes = size_at(row, OWN);
	activity->direction = kind == COPY_HTOD ? ACTIVITY_TO_DEVICE :
			      kind == COPY_DTOH ? ACTIVITY_TO_HOST : ACTIVITY_ON_DEVICE;
	return activities_add(activities, activity);
}

static int add_set(struct activities *activities, sqlite3_stmt *row, struct activity *activity)
{
	activity->kind = ACTIVITY_SET;
	activity->bytes = size_at(row, OWN);
	return activities_add(activities, activity);
}

static int add_call(struct activities *activities, sqlite3_stmt *row, struct activity *activity)
{
	activity->kind = ACTIVITY_CALL;
	activity->name = text_at(row, OWN);
	return activity_call_matters(activity->name) ? activities_add(activities, activity) : 0;
}

static int add_sync(struct activities *activities, sqlite3_stmt *row, struct activity *activity)
{
	int type = sqlite3_column_int(row, OWN);

	if (type == SYNC_EVENT || type == SYNC_STREAM_WAIT) {
		activity->kind = type == SYNC_EVENT ? ACTIVITY_SYNC : ACTIVITY_WAIT;
		/* Recorded before the profile began, or events were not traced */
		if (sqlite3_column_type(row, OWN + 1) == SQLITE_NULL) {
			activities->silent_waits += type == SYNC_STREAM_WAIT;
			return 0;
		}
		activity->record = sqlite3_column_int64(row, OWN + 1);
		activity->record_stream = sqlite3_column_int64(row, OWN + 2);
	} else if (type == SYNC_STREAM || type == SYNC_CONTEXT) {
		activity->kind = ACTIVITY_SYNC;
		if (type == SYNC_CONTEXT)
			activity->stream = ACTIVITY_NONE;
	} else {
		return activities_unknown(activities, "synchronization of an unknown type");
	}
	return activities_add(activities, activity);
}

static const struct query queries[] = {
	{ "CUPTI_ACTIVITY_KIND_KERNEL",
	  "SELECT start, end, streamId, correlationId, value, gridX, gridY, gridZ, blockX, blockY, "
	  "blockZ, registersPerThread, staticSharedMemory + dynamicSharedMemory "
	  "FROM CUPTI_ACTIVITY_KIND_KERNEL LEFT JOIN StringIds ON demangledName = id "
	  "ORDER BY start, correlationId", add_kernel },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY",
	  "SELECT start, end, streamId, correlationId, bytes, copyKind "
	  "FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start, correlationId", add_copy },
	{ "CUPTI_ACTIVITY_KIND_MEMSET",
	  "SELECT start, end, streamId, correlationId, bytes "
	  "FROM CUPTI_ACTIVITY_KIND_MEMSET ORDER BY start, correlationId", add_set },
	{ "CUPTI_ACTIVITY_KIND_RUNTIME",
	  "SELECT start, end, NULL, correlationId, value FROM CUPTI_ACTIVITY_KIND_RUNTIME "
	  "LEFT JOIN StringIds ON nameId = id ORDER BY start, correlationId", add_call },
};

#define SYNCS	"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
#define RECORDS	"CUPTI_ACTIVITY_KIND_CUDA_EVENT"

/* What streams and the host wait for, each event with its last record before the wait */
static const struct query syncs_of_records = {
	SYNCS, "SELECT start, end, streamId, correlationId, syncType, "
	"(SELECT MAX(e.correlationId) FROM " RECORDS " e "
	"WHERE e.eventId = s.eventId AND e.correlationId < s.correlationId), "
	"(SELECT e.streamId FROM " RECORDS " e "
	"WHERE e.eventId = s.eventId AND e.correlationId < s.correlationId "
	"ORDER BY e.correlationId DESC LIMIT 1) "
	"FROM " SYNCS " s ORDER BY start, correlationId", add_sync,
};

/* The same of a profile that has no records of events */
static const struct query syncs_alone = {
	SYNCS, "SELECT start, end, streamId, correlationId, syncType, NULL, NULL "
	"FROM " SYNCS " ORDER BY start, correlationId", add_sync,
};

static int refuse(sqlite3 *base, char reason[IMPORT_REASON_BYTES])
{
	if (sqlite3_errcode(base) == SQLITE_NOMEM)
		return -ENOMEM;
	snprintf(reason, IMPORT_REASON_BYTES, "no export of Nsight Systems, or a damaged one: %s",
		 sqlite3_errmsg(base));
	return -EINVAL;
}

/* 1 if there is a table, 0 if not, or a negative errno. */
static int has_table(sqlite3 *base, const char *table, char reason[IMPORT_REASON_BYTES])
{
	sqlite3_stmt *row;
	int ret;

	if (sqlite3_prepare_v2(base, "SELECT 1 FROM sqlite_master WHERE name = ?", -1, &row, NULL))
		return refuse(base, reason);
	sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
	ret = sqlite3_step(row);
	ret = ret == SQLITE_ROW ? 1 : ret == SQLITE_DONE ? 0 : refuse(base, reason);
	sqlite3_finalize(row);
	return ret;
}

static int add_row(struct activities *activities, const struct query *query, sqlite3_stmt *row,
		   char reason[IMPORT_REASON_BYTES])
{
	struct activity activity = {
		.start_ns = sqlite3_column_int64(row, START),
		.stream = sqlite3_column_int64(row, STREAM),
		.correlation = sqlite3_column_type(row, CORRELATION) == SQLITE_NULL ?
			ACTIVITY_NONE : sqlite3_column_int64(row, CORRELATION),
		.record = ACTIVITY_NONE,
	};
	int64_t end = sqlite3_column_int64(row, END), most = INT64_MAX / 4;

	if (activity.start_ns < 0 || end < activity.start_ns || end > most) {
		snprintf(reason, IMPORT_REASON_BYTES, "a row of %s has no valid start and end",
			 query->table);
		return -EINVAL;
	}
	activity.duration_ns = end - activity.start_ns;
	return query->add(activities, row, &activity);
}

static int read_table(sqlite3 *base, const struct query *query, struct activities *activities,
		      char reason[IMPORT_REASON_BYTES])
{
	int ret = has_table(base, query->table, reason), step = SQLITE_DONE;
	sqlite3_stmt *row;

	if (ret <= 0)
		return ret;
	if (sqlite3_prepare_v2(base, query->sql, -1, &row, NULL))
		return refuse(base, reason);
	ret = 0;
	while (!ret && (step = sqlite3_step(row)) == SQLITE_ROW)
		ret = add_row(activities, query, row, reason);
	if (!ret && step != SQLITE_DONE)
		ret = refuse(base, reason);
	sqlite3_finalize(row);
	return ret;
}

static int read_device(sqlite3 *base, struct activities *activities,
		       char reason[IMPORT_REASON_BYTES])
{
	int ret = has_table(base, "TARGET_INFO_GPU", reason);
	sqlite3_stmt *row;

	if (ret <= 0)
		return ret;
	if (sqlite3_prepare_v2(base, "SELECT name, totalMemory FROM TARGET_INFO_GPU LIMIT 1", -1,
			       &row, NULL))
		return refuse(base, reason);
	ret = 0;
	if (sqlite3_step(row) == SQLITE_ROW) {
		activities->device = activities_text(activities, text_at(row, 0));
		activities->device_bytes = size_at(row, 1);
		ret = activities->device ? 0 : -ENOMEM;
	}
	sqlite3_finalize(row);
	return ret;
}

static int read_base(sqlite3 *base, struct activities *activities,
		     char reason[IMPORT_REASON_BYTES])
{
	int ret = read_device(base, activities, reason);
	size_t i;

	for (i = 0; !ret && i < sizeof(queries) / sizeof(*queries); i++)
		ret = read_table(base, &queries[i], activities, reason);
	if (ret)
		return ret;
	ret = has_table(base, RECORDS, reason);
	if (ret < 0)
		return ret;
	return read_table(base, ret ? &syncs_of_records : &syncs_alone, activities, reason);
}

int nsys_read(const char *path, struct activities *activities, char reason[IMPORT_REASON_BYTES])
{
	sqlite3 *base = NULL;
	int ret;

	snprintf(reason, IMPORT_REASON_BYTES, "out of memory");
	if (sqlite3_open_v2(path, &base, SQLITE_OPEN_READONLY, NULL))
		ret = base ? refuse(base, reason) : -ENOMEM;
	else
		ret = read_base(base, activities, reason);
	sqlite3_close(base);
	return ret;
}
