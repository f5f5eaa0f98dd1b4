/* bench_captures.c - speed of storing groups in a capture database
 *
 * The store verifies and indexes each group. The floor is SQLite alone with the same
 * blobs, page size and number of commits. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "lib/store/captures.h"
#include "tests/bench/ratio.h"

enum { GROUPS = 48, PER_COMMIT = 4, RUN = 9, SHARD = 0 };

struct input {
    struct captures_group groups[GROUPS];
    char folder[64];
    unsigned round;
};

static void stop(const char *reason)
{
    fprintf(stderr, "bench_captures: %s\n", reason);
    exit(1);
}

static void make_groups(struct input *input)
{
    static uint8_t buffer[CAPTURE_GROUP_MAX];
    static uint8_t piece[sizeof(struct record_channel_bytes) + RECORD_PIECE_MAX];
    struct capture_writer writer;
    uint32_t made = 0, noise = 1;

    store_u32(piece, sizeof(piece));
    capture_writer_init(&writer, buffer, sizeof(buffer), RUN, SHARD, 0, 0);
    while (made < GROUPS) {
        struct captures_group *group = &input->groups[made];
        const void *bytes;

        for (size_t i = 4; i + 4 <= sizeof(piece); i += 4)
            store_u32(piece + i, noise = noise * 1664525 + 1013904223);
        if (capture_put(&writer, RECORD_CHANNEL_BYTES, piece, sizeof(piece), 1) ==
            CAPTURE_PUT_DONE)
            continue;
        capture_writer_finish(&writer, &bytes, &group->size);
        group->bytes = xmemdup(bytes, group->size);
        group->raw_bytes = (uint32_t)group->size;
        group->run_id = RUN;
        group->shard = SHARD;
        group->number = made++;
    }
}

static double ours(void *arg)
{
    struct input *input = arg;
    struct captures *captures;
    struct err err;
    char path[128];
    uint64_t start, took;

    snprintf(path, sizeof(path), "%s/ours-%u.db", input->folder, input->round++);
    if (captures_open(&captures, path, STORE_WRITE, &err) < 0)
        stop(err.text);
    start = clock_mono_ns();
    for (int i = 0; i < GROUPS; i++) {
        bool already;

        if (captures_put(captures, &input->groups[i], &already, &err) < 0 ||
            (i % PER_COMMIT == PER_COMMIT - 1 && captures_commit(captures, &err) < 0))
            stop(err.text);
    }
    took = clock_mono_ns() - start;
    captures_close(captures);
    captures_delete(path, &err);
    return (double)took;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
}

static double bare(void *arg)
{
    struct input *input = arg;
    sqlite3 *db;
    sqlite3_stmt *stmt;
    struct err err;
    char path[128];
    uint64_t start, took;

    snprintf(path, sizeof(path), "%s/bare-%u.db", input->folder, input->round++);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        stop("sqlite3_open");
    run_sql(db,
            "PRAGMA page_size=65536; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE t(number INTEGER PRIMARY KEY, bytes BLOB)");
    sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?)", -1, &stmt, NULL);
    start = clock_mono_ns();
    for (int i = 0; i < GROUPS; i++) {
        const struct captures_group *group = &input->groups[i];

        if (i % PER_COMMIT == 0)
            run_sql(db, "BEGIN IMMEDIATE");
        sqlite3_bind_int(stmt, 1, i);
        sqlite3_bind_blob(stmt, 2, group->bytes, (int)group->size, SQLITE_STATIC);
        if (sqlite3_step(stmt) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        sqlite3_reset(stmt);
        if (i % PER_COMMIT == PER_COMMIT - 1)
            run_sql(db, "COMMIT");
    }
    took = clock_mono_ns() - start;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    captures_delete(path, &err);
    return (double)took;
}

int main(void)
{
    static struct input input = {.folder = "/tmp/muster-gather-XXXXXX"};
    struct err err;
    double ratio;

    if (!mkdtemp(input.folder))
        stop("mkdtemp");
    make_groups(&input);
    ours(&input); /* warm-up of the caches and the file system */
    ratio = ratio_median(bare, ours, &input);
    ratio_print("captures, checked and indexed", ratio, "bare SQLite, same blobs",
                ">= 0.7", ratio >= 0.7);
    folder_remove(input.folder, &err);
    return 0;
}
