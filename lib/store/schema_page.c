/* schema_page.c - prints docs/reference/store-schema.md
 *
 *   schema_page           prints the page
 *   schema_page FILE      fails when FILE differs from the page
 *
 * Creates an empty store and an empty capture database and reads their tables, columns,
 * indexes and views. The descriptions are in `notes`; the program fails when a column
 * has none, or when a description has no column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"

/* A note with table "*" is for each column of that name that has no note of its own. */
static const struct note {
    const char *table, *column; /* NULL: the table itself */
    const char *text;
} notes[] = {
    {"*", "run_id", "names an attempt: `attempts.run_id`"},
    {"*", "job_id", "`jobs.job_id`"},
    {"*", "task_id", "`tasks.task_id`"},
    {"*", "point", "number of the point in its job, from 0"},
    {"*", "repeat", "number of the repetition of the point, from 0"},
    {"*", "rank", "number of the rank, from 0"},
    {"*", "host", "name of the host"},
    {"*", "card", "number of the card on its host"},
    {"*", "attempt", "number of the attempt of its task, from 1"},
    {"*", "reason", "why it is in this state, or empty"},
    {"*", "model", "chip of the card"},
    {"*", "serial", "serial number of the card"},
    {"*", "simulated", "1: a simulated card"},
    {"*", "kernel", "name of the kernel"},
    {"*", "device", "number of the card in its process"},
    {"*", "metric", "name of the figure"},
    {"*", "value", "NULL: not a number"},
    {"*", "unit", "unit of `value`, or empty"},
    {"*", "launch", "number of the launch in its rank"},
    {"*", "job", "`jobs.key`"},
    {"*", "point_text", "`points.text`"},
    {"*", "shard", "`rank << 16`, plus the number of the process of that rank"},

    {"about", NULL, "Facts about the store itself."},
    {"about", "key", "`store_id` is the only one"},
    {"about", "value", "32 hexadecimal digits, different for each store"},

    {"jobs", NULL, "Accepted jobs."},
    {"jobs", "job_id", "number of the job"},
    {"jobs", "key", "NAME-JOB_ID"},
    {"jobs", "name", "`name` of the job file"},
    {"jobs", "yaml", "text of the job file, without includes"},
    {"jobs", "file_name", "name of the job file, for error texts"},
    {"jobs", "folder", "folder of the job file; start of its relative paths"},
    {"jobs", "user", "submitter"},
    {"jobs", "state", "waiting, running, parsing, done, failed or cancelled"},
    {"jobs", "submitted_wall_ms", "time of the submit"},
    {"jobs", "started_wall_ms", "start of the first task"},
    {"jobs", "ended_wall_ms", "end of the job"},
    {"jobs", "points_total", "number of points"},
    {"jobs", "tasks_total", "number of tasks"},
    {"jobs", "cancelled", "1: no task of the job starts any more"},
    {"jobs", "once", "token of `muster submit --once`, unique for each user; or empty"},

    {"jobs", "compare_against", "`compare.against` of the job file, or empty"},
    {"jobs", "compare_metric", "`compare.metric` of the job file, or empty"},
    {"jobs", "compare_tolerance", "`compare.tolerance` of the job file, a share"},

    {"points", NULL, "Combinations of the sweep's values."},
    {"points", "text", "for people: `m=1024 dtype=fp16`"},
    {"points", "values_json",
     "for programs, sorted by name: `{\"dtype\":\"fp16\",\"m\":1024}`"},

    {"tasks", NULL, "One row for each point and repeat."},
    {"tasks", "task_id", "number of the task in the store"},
    {"tasks", "place", "place in the order of the job"},
    {"tasks", "card", "card that the task needs; NULL: any"},
    {"tasks", "state", "waiting, leased, parsing, done, failed or cancelled"},
    {"tasks", "attempts", "number of the newest attempt; 0: none"},
    {"tasks", "accepted_run_id", "attempt whose results count; NULL: none"},
    {"tasks", "retries_counted_from",
     "attempts up to this number do not count as retries"},

    {"attempts", NULL, "Executions of tasks."},
    {"attempts", "run_id", "number of the attempt, unique in the store"},
    {"attempts", "state",
     "leased, running, ending, parsing, done, failed, refused, lost or cancelled"},
    {"attempts", "host", "host of rank 0"},
    {"attempts", "card", "card of rank 0; NULL: unknown"},
    {"attempts", "leased_wall_ms", "time of the lease"},
    {"attempts", "started_wall_ms", "start of the program"},
    {"attempts", "ended_wall_ms", "end of the last rank"},
    {"attempts", "ranks", "number of ranks"},

    {"rank_cards", NULL, "The card of each rank, for attempts of several ranks."},
    {"seats", NULL, "The old name of rank_cards, until the next release."},

    {"ranks", NULL, "Results of ranks, as their workers reported them."},
    {"ranks", "card", "number of the card on its host; NULL: unknown"},
    {"ranks", "status",
     "done, failed, timeout, not-injected, nothing-profiled, too-few-launches, "
     "cancelled, not-started or lost"},
    {"ranks", "exit_code", "exit code of the program"},
    {"ranks", "signal", "signal that ended the program; 0: none"},
    {"ranks", "reason", "why it has this status, or empty"},
    {"ranks", "injected", "1: inject was loaded into the program"},
    {"ranks", "launches", "profiled launches"},
    {"ranks", "groups", "groups of the capture"},
    {"ranks", "blocks", "blocks of the capture"},
    {"ranks", "started_wall_ns", "start of the program"},
    {"ranks", "ended_wall_ns", "end of the program"},
    {"ranks", "parse_state", "none, waiting, running, done or failed"},
    {"ranks", "parse_error", "why parsing failed, or empty"},
    {"ranks", "figures_crc",
     "CRC-32C of the figures and launches of the rank; NULL: not parsed, or stored by "
     "version 12 or older"},
    {"ranks", "environment_id",
     "`environments.environment_id`; NULL: the rank is not parsed, or an old capture"},

    {"environments", NULL,
     "Everything besides the code that can change figures; empty texts are unknown."},
    {"environments", "environment_id", "equal prints have equal numbers"},
    {"environments", "chip", "name of the chip, as the runtime reports it"},
    {"environments", "hbm_maker", "maker of the memory, DCMI's code; 0: unknown"},
    {"environments", "cann", "version of the toolkit in the operator's process"},
    {"environments", "driver", "version of the card's driver"},
    {"environments", "firmware", "version of the card's firmware"},
    {"environments", "host_kernel", "release of the host's kernel"},
    {"environments", "measurement",
     "muster's versions of the replay and of the formulas: `1.1`"},

    {"metrics", NULL, "Figures that the parsers computed, of all attempts."},
    {"kernels", NULL, "Names of kernels."},
    {"kernels", "kernel_id", "number of the kernel"},
    {"kernels", "name", "name of the kernel"},
    {"metric_names", NULL, "Names and units of figures."},
    {"metric_names", "metric_id", "number of the metric"},
    {"metric_names", "name", "name of the figure"},
    {"metric_names", "unit", "unit of its values, or empty"},
    {"launches", NULL, "Launches that have figures."},
    {"launches", "launch_id", "number of the launch in the store"},
    {"launches", "kernel_id", "`kernels.kernel_id`"},
    {"launches", "code_hash",
     "hash of the kernel's binary, 16 hexadecimal digits; empty: unknown"},
    {"launches", "tick_ns", "step of the device clock; NULL: unknown"},
    {"launches", "group_found",
     "how the ranks of the launch were found: `AI CPU task`, `windows`, `shared "
     "memory`,"
     " `call` or `one card`; empty: unknown"},
    {"launches", "restored",
     "memory that was restored between passes: `all`, `nothing allocated`, `no room`,"
     " `not needed` or `off`; empty: unknown"},
    {"launches", "advice",
     "advice about the launch, a line for each, as in its visualize_data.bin; empty: "
     "none"},
    {"launches", "notes",
     "what a reader of the figures should consider, a line for each, such as a metric "
     "that the launch cannot have; empty: nothing"},
    {"figures", NULL, "Figures of launches; the view `metrics` adds the names."},
    {"figures", "launch_id", "`launches.launch_id`"},
    {"figures", "metric_id", "`metric_names.metric_id`"},

    {"outputs", NULL, "Files that the parsers wrote."},
    {"outputs", "path", "relative to the output folder of the job"},

    {"events", NULL, "State changes, only appended."},
    {"events", "seq", "grows, but may skip values"},
    {"events", "wall_ms", "time of the event"},
    {"events", "kind", "`task.leased`, `worker.lost` ..."},
    {"events", "job_id", "NULL: of no job"},
    {"events", "task_id", "NULL: of no task"},
    {"events", "run_id", "NULL: of no attempt"},
    {"events", "text", "for people"},

    {"baselines", NULL, "Jobs that later jobs are compared with."},
    {"baselines", "baseline_id", "number of the baseline in the store"},
    {"baselines", "name", "name that users give it"},
    {"baselines", "frozen", "1: later nights are not added"},
    {"baselines", "keep", "newest nights that a comparison uses; 0: all"},
    {"baselines", "user", "who set it"},
    {"baselines", "set_wall_ms", "when it was set"},

    {"baseline_jobs", NULL, "Nights of the baselines."},
    {"baseline_jobs", "baseline_id", "`baselines.baseline_id`"},
    {"baseline_jobs", "passed", "1: a comparison uses it; 0: only the trend does"},
    {"baseline_jobs", "reason", "why it did not pass, or empty"},
    {"baseline_jobs", "user", "who added it; empty: a gate"},
    {"baseline_jobs", "added_wall_ms", "when it was added"},
    {"baseline_jobs", "gated", "1: a gate compared the job with the baseline"},
    {"baseline_jobs", "equal_cells", "cells with the code and environment of the base"},
    {"baseline_jobs", "false_alarms",
     "of them, those that regressed without a cause or were not reproduced"},

    {"gate_findings", NULL, "What gates found about points, for the nights after."},
    {"gate_findings", "baseline_id", "`baselines.baseline_id`"},
    {"gate_findings", "finding",
     "improved; not-reproduced by fresh runs; noisy: its nights differ by more than "
     "the "
     "tolerance"},
    {"gate_findings", "point", "the point, without its card"},

    {"baseline_splits", NULL,
     "Known changes: older nights do not count for these points."},
    {"baseline_splits", "baseline_id", "`baselines.baseline_id`"},
    {"baseline_splits", "job_id", "first job after the change; it may be deleted"},
    {"baseline_splits", "points", "pattern of the points that changed"},
    {"baseline_splits", "reason", "text of `muster baseline split`"},
    {"baseline_splits", "user", "who added it"},
    {"baseline_splits", "added_wall_ms", "when it was added"},

    {"quarantines", NULL, "Points that are shown and fail nothing for some nights."},
    {"quarantines", "baseline_id", "`baselines.baseline_id`"},
    {"quarantines", "points", "pattern of the points"},
    {"quarantines", "reason", "text of `muster baseline quarantine`"},
    {"quarantines", "user", "who added it"},
    {"quarantines", "after_job_id", "nights of later jobs count"},
    {"quarantines", "nights", "number of nights that it lasts"},
    {"quarantines", "added_wall_ms", "when it was added"},

    {"confirmations", NULL,
     "Jobs that run the programs of a job and of its base in turn, to find a cause."},
    {"confirmations", "job_id", "the confirmation itself, a job as any other"},
    {"confirmations", "confirms_job_id", "job with the suspects: program B"},
    {"confirmations", "base_job_id", "job that it was compared with: program A"},
    {"confirmations", "tolerance", "smallest change that counts, a share"},
    {"confirmations", "until_wall_ms", "what has not run by then is undecided"},
    {"confirmations", "judged", "1: the suspects have their causes"},

    {"suspects", NULL, "Figures that a confirmation measures again, with the cause."},
    {"suspects", "job_id", "`confirmations.job_id`"},
    {"suspects", "number", "from 1, the value of `suspect` in the points of the job"},
    {"suspects", "point", "values of the point, without its card"},
    {"suspects", "kernel", "name of the kernel"},
    {"suspects", "metric", "name of the metric"},
    {"suspects", "rank", "rank whose figure it is"},
    {"suspects", "card", "serial number or HOST:CARD"},
    {"suspects", "place", "HOST:CARD of each rank, with the suspect card"},
    {"suspects", "neighbour_place", "likewise with another card of the host, or ''"},
    {"suspects", "other_place", "likewise on another host, or ''"},
    {"suspects", "night_h", "a quiet night differs by less in 99 %, as a logarithm"},
    {"suspects", "night_w", "likewise in 95 %"},
    {"suspects", "nights", "nights that show this noise; 0: unknown"},
    {"suspects", "same_program", "1: both jobs name the same program and arguments"},
    {"suspects", "cause",
     "code, code-here, card, link, host, environment, not-reproduced, contradictory, "
     "base-gone, "
     "unknown or ''"},
    {"suspects", "also",
     "second cause: a card, link, host or environment beside the code"},
    {"suspects", "reason", "of an unknown cause"},
    {"suspects", "code", "answer: is B slower than A now?"},
    {"suspects", "code_shift", "natural logarithm of B / A, positive is worse"},
    {"suspects", "neighbour_code",
     "as code, on the neighbour; without one, of the ranks rotated over their cards"},
    {"suspects", "neighbour_code_shift", "as code_shift, on the neighbour"},
    {"suspects", "other_code", "as code, on the other host"},
    {"suspects", "other_code_shift", "as code_shift, on the other host"},
    {"suspects", "drift", "answer: is A slower now than in the base?"},
    {"suspects", "drift_shift", "natural logarithm of A now / A then"},
    {"suspects", "neighbour_drift", "as drift, on the neighbour"},
    {"suspects", "neighbour_drift_shift", "as drift_shift, on the neighbour"},
    {"suspects", "other_drift", "as drift, on the other host"},
    {"suspects", "other_drift_shift", "as drift_shift, on the other host"},
    {"suspects", "slow_card",
     "card that is slow with each rank, of ranks rotated over their cards, or ''"},
    {"suspects", "slow_peer", "other card of a slow link, or ''"},

    {"pruned", NULL, "Jobs whose files `muster prune` removes or has removed."},
    {"pruned", "key", "`jobs.key`, also when the job is removed"},
    {"pruned", "keep_figures", "1: the job and its figures stay"},
    {"pruned", "files_removed", "1: its capture and files are removed"},
    {"pruned", "wall_ms", "time of the removal"},

    {"drains", NULL, "Cards that are out of service."},
    {"drains", "card", "-1: all cards of the host"},
    {"drains", "reason", "text of `muster drain`"},
    {"drains", "since_wall_ms", "begin of the drain"},

    {"alloc_queues", NULL, "Queues that request allocations while tasks wait."},
    {"alloc_queues", "queue_id", "number of the queue"},
    {"alloc_queues", "name", "name of the queue"},
    {"alloc_queues", "resource", "the cluster's name for a card"},
    {"alloc_queues", "nodes", "nodes of one allocation"},
    {"alloc_queues", "cards_per_node", "cards of each node"},
    {"alloc_queues", "time_limit_ms", "of an allocation; 0: the cluster's default"},
    {"alloc_queues", "idle_ms", "a worker without a lease ends after this time"},
    {"alloc_queues", "backlog", "allocations that may wait in the cluster"},
    {"alloc_queues", "most", "allocations that may wait or run"},
    {"alloc_queues", "here", "1: use the allocation in which the coordinator runs"},
    {"alloc_queues", "paused", "1: request no more allocations"},
    {"alloc_queues", "words", "further options of the cluster's command, one per line"},
    {"alloc_queues", "reason", "why the queue is paused, or empty"},

    {"allocations", NULL, "Allocations that the queues requested."},
    {"allocations", "allocation_id", "number of the allocation in the store"},
    {"allocations", "queue_id", "`alloc_queues.queue_id`"},
    {"allocations", "name", "name of the allocation in the cluster"},
    {"allocations", "number", "number in the cluster; 0: unknown yet"},
    {"allocations", "state", "submitting, queued, running or ended"},
    {"allocations", "public_key", "key of its workers; empty: they may not connect"},
    {"allocations", "asked_wall_ms", "time of the request"},
    {"allocations", "ended_wall_ms", "end of the allocation"},

    {"replays", NULL,
     "Replays of launches. Times are nanoseconds of the monotonic clock of rank 0's "
     "host, or of the own host when the ranks did not compare their clocks; NULL: "
     "unknown."},
    {"replays", "launch_id", "`launches.launch_id`"},
    {"replays", "replay", "number of the execution after the first, from 0"},
    {"replays", "pass",
     "number of the counter pass; 255: without counters; 0: another execution"},
    {"replays", "started_ns", "start, by the clock of the card"},
    {"replays", "duration_ns", "duration, by the clock of the card"},
    {"replays", "arrived_ns", "arrival of the rank at the barrier of the ranks"},
    {"replays", "released_ns", "release of the rank from this barrier"},
    {"replays", "uncertainty_ns", "of the comparison of the hosts' clocks"},
    {"v_replays", NULL, "The replays of launches of accepted attempts."},
    {"v_replays", "*", "as in `replays`"},
    {"v_ranks", NULL, "The ranks with their jobs, points and attempts."},
    {"v_ranks", "attempt_state", "`attempts.state`"},
    {"v_ranks", "accepted", "1: the results of this attempt count"},
    {"v_ranks", "wall_ms", "running time of the program"},
    {"v_ranks", "chip", "`environments.chip`; NULL: unknown, as in the next columns"},
    {"v_ranks", "hbm_maker", "`environments.hbm_maker`"},
    {"v_ranks", "cann", "`environments.cann`"},
    {"v_ranks", "driver", "`environments.driver`"},
    {"v_ranks", "firmware", "`environments.firmware`"},
    {"v_ranks", "host_kernel", "`environments.host_kernel`"},
    {"v_ranks", "measurement", "`environments.measurement`"},
    {"v_ranks", "*", "as in `ranks`"},

    {"v_launches", NULL, "The launches of accepted attempts."},
    {"v_launches", "code_hash", "`launches.code_hash`"},
    {"v_launches", "tick_ns", "`launches.tick_ns`"},
    {"v_launches", "group_found", "`launches.group_found`"},
    {"v_launches", "restored", "`launches.restored`"},
    {"v_launches", "advice", "`launches.advice`"},
    {"v_launches", "notes", "`launches.notes`"},

    {"v_results", NULL, "The figures of accepted attempts."},
    {"v_results", "axes", "`points.values_json`; the value of an axis: `axes->>'n'`"},

    {"v_axes", NULL, "The values of the points, one row for each axis."},
    {"v_axes", "axis", "name of the axis"},
    {"v_axes", "value", "value of the axis at this point"},

    {"v_skew", NULL, "Time between the first and the last rank of an attempt."},
    {"v_skew", "ranks", "number of ranks"},
    {"v_skew", "start_skew_ms", "between the starts of the programs"},
    {"v_skew", "end_skew_ms", "between the ends of the programs"},

    {"groups", NULL, "Groups, as the workers sent them."},
    {"groups", "number", "number of the group in its shard, from 0"},
    {"groups", "raw_bytes", "size before compression"},
    {"groups", "zstd", "1: `bytes` is compressed with zstd"},
    {"groups", "received_wall_ms", "time of arrival"},
    {"groups", "bytes", "string table and blocks"},

    {"blocks", NULL,
     "Index of the blocks; `muster fsck --repair` builds it again from `groups`."},
    {"blocks", "block", "number of the block in its shard"},
    {"blocks", "table", "`groups.number`"},
    {"blocks", "offset", "of the block in its decompressed group"},
    {"blocks", "length", "of the block in bytes, with its head"},
    {"blocks", "type", "kind of the records"},
    {"blocks", "records", "number of records"},
    {"blocks", "first_ns", "time of the first record"},
    {"blocks", "last_ns", "time of the last record"},
    {"blocks", "dropped", "records that were dropped"},
    {"blocks", "crc_ok", "1: the checksum was correct at arrival"},
};

static bool is_used[COUNT(notes)];

static const char head[] =
    "# Schema of the store\n"
    "\n"
    "<!-- Written by `make reference` from the databases that lib/store creates;"
    " do not edit. -->\n"
    "\n"
    "A store is a folder with two kinds of SQLite databases: `muster.db`, and"
    " `captures/JOB_ID.db` for each job. The coordinator writes both; every program may"
    " read them at the same time. Columns that end in `_wall_ms` and `_wall_ns` are"
    " milliseconds and nanoseconds since 1970 in UTC, 0 for \"not yet\".\n"
    "\n"
    "The views join the tables for queries of your own. A newer muster brings an older"
    " schema forward when a coordinator opens the store; there is no way back.\n";

static _Noreturn void give_up(const char *what, const char *which)
{
    fprintf(stderr, "schema_page: %s: %s\n", what, which);
    exit(1);
}

static const char *find_note(const char *table, const char *column)
{
    const char *const tables[] = {table, "*", table};
    const char *const columns[] = {column, column, "*"};

    for (size_t way = 0; way < (column ? COUNT(tables) : 1); way++)
        for (size_t i = 0; i < COUNT(notes); i++)
            if (!strcmp(notes[i].table, tables[way]) &&
                (column ? notes[i].column && !strcmp(notes[i].column, columns[way])
                        : !notes[i].column)) {
                is_used[i] = true;
                return notes[i].text;
            }
    give_up(column ? "no note for this column of the table in schema_page.c"
                   : "no note for this table in schema_page.c",
            column ? column : table);
}

static sqlite3_stmt *query(sqlite3 *db, const char *sql, const char *name)
{
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
        give_up("reading the schema", sqlite3_errmsg(db));
    return stmt;
}

static const char *text_of(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return text ? text : "";
}

static void add_columns(struct text *page, sqlite3 *db, const char *table, bool is_view)
{
    sqlite3_stmt *stmt = query(
        db, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)", table);

    text_add(page, is_view
                       ? "| column | meaning |\n| --- | --- |\n"
                       : "| column | type | | meaning |\n| --- | --- | --- | --- |\n");
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = text_of(stmt, 0);
        const char *key = sqlite3_column_int(stmt, 3)   ? "key"
                          : sqlite3_column_int(stmt, 2) ? ""
                                                        : "may be NULL";

        if (is_view)
            text_printf(page, "| `%s` | %s |\n", name, find_note(table, name));
        else
            text_printf(page, "| `%s` | %s | %s | %s |\n", name, text_of(stmt, 1), key,
                        find_note(table, name));
    }
    sqlite3_finalize(stmt);
}

static void add_indexes(struct text *page, sqlite3 *db, const char *table)
{
    sqlite3_stmt *stmt =
        query(db,
              "SELECT l.name, l.\"unique\", group_concat(i.name, ', '), l.origin"
              " FROM pragma_index_list(?) l, pragma_index_info(l.name) i"
              " WHERE l.origin <> 'pk' GROUP BY l.name ORDER BY l.name",
              table);
    const char *before = "\nIndexes: ";

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        text_printf(page, "%s(%s)%s", before, text_of(stmt, 2),
                    sqlite3_column_int(stmt, 1) ? " unique" : "");
        before = ", ";
    }
    if (*before == ',')
        text_add(page, ".\n");
    sqlite3_finalize(stmt);
}

static void
add_objects(struct text *page, sqlite3 *db, const char *type, const char *title)
{
    sqlite3_stmt *stmt = query(db,
                               "SELECT name FROM sqlite_schema WHERE type = ?"
                               " AND name NOT LIKE 'sqlite_%' ORDER BY name",
                               type);

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = text_of(stmt, 0);

        text_printf(page, "\n### %s %s\n\n%s\n\n", title, name, find_note(name, NULL));
        add_columns(page, db, name, !strcmp(type, "view"));
        add_indexes(page, db, name);
    }
    sqlite3_finalize(stmt);
}

static void add_database(struct text *page, const char *path, const char *title)
{
    sqlite3 *db;
    sqlite3_stmt *version;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        give_up(path, sqlite3_errmsg(db));
    version =
        query(db, "SELECT user_version FROM pragma_user_version WHERE ?1 <> ''", "any");
    if (sqlite3_step(version) != SQLITE_ROW)
        give_up(path, "it has no version");
    text_printf(page, "\n## %s\n\nVersion %s of the schema (`PRAGMA user_version`).\n",
                title, text_of(version, 0));
    sqlite3_finalize(version);
    add_objects(page, db, "view", "View");
    add_objects(page, db, "table", "Table");
    sqlite3_close(db);
}

static void make_page(struct text *page, const char *folder)
{
    struct store *store;
    struct captures *captures;
    char path[128], captures_at[128];
    struct err err;

    snprintf(path, sizeof(path), "%s/muster.db", folder);
    captures_path(captures_at, sizeof(captures_at), folder, 1);
    if (store_open(&store, folder, STORE_WRITE, &err) < 0 ||
        captures_open(&captures, captures_at, STORE_WRITE, &err) < 0)
        give_up("creating an empty store", err.text);
    text_add(page, head);
    add_database(page, path, "muster.db");
    add_database(page, captures_at, "captures/JOB_ID.db");
    for (size_t i = 0; i < COUNT(notes); i++)
        if (!is_used[i])
            give_up("this note in schema_page.c has no column", notes[i].text);
    captures_close(captures);
    store_close(store);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/muster-schema-XXXXXX";
    struct text page = {0};
    struct err err;
    char *committed = NULL;
    size_t size;
    int result = 0;

    if (!mkdtemp(folder))
        give_up("mkdtemp", folder);
    make_page(&page, folder);
    if (argc < 2) {
        fputs(page.bytes, stdout);
    } else if (file_read(&committed, &size, argv[1], 1 << 20, &err) < 0 ||
               strcmp(committed, page.bytes) != 0) {
        fprintf(stderr, "%s is out of date; run make reference\n", argv[1]);
        result = 1;
    }
    free(committed);
    text_clear(&page);
    return folder_remove(folder, &err) < 0 ? 1 : result;
}
