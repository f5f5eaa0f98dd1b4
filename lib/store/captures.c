#include "lib/store/captures.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/captures_internal.h"

/* Pages of 64 KiB store blobs of 1 MiB three times as fast as pages of 4 KiB. */
enum { PAGE_BYTES = 65536 };

static const char version_1[] =
    "CREATE TABLE groups("
    " run_id INTEGER NOT NULL, shard INTEGER NOT NULL, number INTEGER NOT NULL,"
    " raw_bytes INTEGER NOT NULL, zstd INTEGER NOT NULL,"
    " received_wall_ms INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " UNIQUE(run_id, shard, number));"
    "CREATE TABLE blocks("
    " run_id INTEGER NOT NULL, shard INTEGER NOT NULL, block INTEGER NOT NULL,"
    " \"table\" INTEGER NOT NULL, \"offset\" INTEGER NOT NULL,"
    " length INTEGER NOT NULL, type TEXT NOT NULL, records INTEGER NOT NULL,"
    " first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, dropped INTEGER NOT NULL,"
    " crc_ok INTEGER NOT NULL, PRIMARY KEY(run_id, shard, block)) WITHOUT ROWID;";

static const struct migration migrations[] = {{version_1}};

void captures_path(char *out, size_t size, const char *folder, uint64_t job_id)
{
    snprintf(out, size, "%s/captures/%" PRIu64 ".db", folder, job_id);
}

static int create_folder(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    char *folder;
    int result;

    if (!slash || slash == path)
        return 0;
    folder = xstrndup(path, (size_t)(slash - path));
    result = folder_create(folder, err);
    free(folder);
    return result;
}

int captures_open(struct captures **out,
                  const char *path,
                  enum store_mode mode,
                  struct err *err)
{
    struct captures *captures;

    if (mode == STORE_WRITE && create_folder(path, err) < 0)
        return -1;
    captures = xcalloc(1, sizeof(*captures));
    if (db_open(&captures->db, path, mode, PAGE_BYTES, migrations, COUNT(migrations),
                err) < 0) {
        free(captures);
        return err_wrap(err, "capture database");
    }
    captures->zstd = ZSTD_createDCtx();
    captures->raw = xmalloc(CAPTURE_GROUP_MAX);
    captures->other = xmalloc(CAPTURE_GROUP_MAX);
    *out = captures;
    return 0;
}

void captures_close(struct captures *captures)
{
    if (!captures)
        return;
    db_close(&captures->db);
    ZSTD_freeDCtx(captures->zstd);
    free(captures->raw);
    free(captures->other);
    free(captures);
}

int captures_commit(struct captures *captures, struct err *err)
{
    return db_commit(&captures->db, err);
}

void captures_rollback(struct captures *captures)
{
    db_rollback(&captures->db);
}

bool captures_has_changes(const struct captures *captures)
{
    return captures->db.in_transaction;
}

int captures_delete(const char *path, struct err *err)
{
    static const char *const behind[] = {"-wal", "-shm", ".lock", ""};
    char name[PATH_MAX];

    for (size_t i = 0; i < COUNT(behind); i++) {
        snprintf(name, sizeof(name), "%s%s", path, behind[i]);
        if (unlink(name) < 0 && file_exists(name))
            return err_errno(err, "deleting %s", name);
    }
    return 0;
}

static int wrap_group(const struct captures_group *group, struct err *err)
{
    return err_wrap(err, "group %" PRIu32 " of shard %08" PRIx32, group->number,
                    group->shard);
}

static int unpack(ZSTD_DCtx *zstd,
                  const struct captures_group *group,
                  uint8_t *raw,
                  const uint8_t **bytes,
                  struct err *err)
{
    size_t got;

    if (group->raw_bytes > CAPTURE_GROUP_MAX)
        err_set(err, ERR_LIMIT, "%" PRIu32 " bytes, a group has at most %d",
                group->raw_bytes, CAPTURE_GROUP_MAX);
    else if (group->run_id == 0 || group->run_id > INT64_MAX)
        err_set(err, ERR_INPUT, "run_id %" PRIu64 " is not from 1 to 2^63 - 1",
                group->run_id);
    else if (!group->zstd && group->size != group->raw_bytes)
        err_set(err, ERR_INPUT,
                "%zu bytes, its header announces %" PRIu32
                "; the sender must send it again",
                group->size, group->raw_bytes);
    else if (!group->zstd) {
        *bytes = group->bytes;
        return 0;
    } else {
        got =
            ZSTD_decompressDCtx(zstd, raw, group->raw_bytes, group->bytes, group->size);
        if (!ZSTD_isError(got) && got == group->raw_bytes) {
            *bytes = raw;
            return 0;
        }
        err_set(err, ERR_INPUT, "decompressing: %s",
                ZSTD_isError(got) ? ZSTD_getErrorName(got)
                                  : "the size differs from the announced one");
    }
    return wrap_group(group, err);
}

int captures_unpack(struct captures *captures,
                    const struct captures_group *group,
                    uint8_t *raw,
                    const uint8_t **bytes,
                    struct err *err)
{
    return unpack(captures->zstd, group, raw, bytes, err);
}

int captures_check_group(const struct captures_group *group, struct err *err)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    uint8_t *raw = xmalloc(CAPTURE_GROUP_MAX);
    const uint8_t *bytes = NULL;
    int result = unpack(zstd, group, raw, &bytes, err);

    if (result == 0)
        result = capture_group_check(bytes, group->raw_bytes, group->run_id,
                                     group->shard, group->number, err);
    ZSTD_freeDCtx(zstd);
    free(raw);
    return result;
}

int captures_index(struct captures *captures,
                   const struct captures_group *group,
                   const uint8_t *bytes,
                   struct err *err)
{
    struct capture_strings strings;
    struct capture_block_head head;
    uint64_t table = load_u64(bytes + 8), at, length;

    capture_strings_init(&strings, bytes + CAPTURE_CHUNK_HEAD, table);
    at = capture_padded(CAPTURE_CHUNK_HEAD + table);
    for (; at < group->raw_bytes; at += capture_padded(length)) {
        capture_block_decode(&head, bytes + at);
        length = CAPTURE_BLOCK_HEAD + head.payload_bytes;
        if (db_change(&captures->db, err,
                      "INSERT INTO blocks(run_id, shard, block, \"table\", \"offset\","
                      " length, type, records, first_ns, last_ns, dropped, crc_ok)"
                      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
                      "IIIIIITIIII", head.run_id, (uint64_t)head.shard,
                      (uint64_t)head.number, (uint64_t)head.table, at, length,
                      capture_strings_get(&strings, head.type_text),
                      (uint64_t)head.records, head.first_ns, head.last_ns,
                      (uint64_t)head.dropped) < 0)
            return err->code == ERR_CONFLICT
                       ? err_set(err, ERR_CONFLICT,
                                 "block %" PRIu32 " is already stored in another group",
                                 head.number)
                       : -1;
    }
    return 0;
}

/* Returns 1 when the group is stored with the same bytes, 0 when it is not stored. */
static int find_same(struct captures *captures,
                     const struct captures_group *group,
                     const uint8_t *bytes,
                     struct err *err)
{
    struct db *db = &captures->db;
    struct captures_group stored = *group;
    const uint8_t *other;
    sqlite3_stmt *stmt =
        db_bind(db, err,
                "SELECT raw_bytes, zstd, bytes FROM groups"
                " WHERE run_id = ? AND shard = ? AND number = ?",
                "III", group->run_id, (uint64_t)group->shard, (uint64_t)group->number);
    int got;

    if (!stmt || (got = db_step(db, stmt, err)) <= 0)
        return stmt ? got : -1;
    stored.raw_bytes = col_u32(stmt, 0);
    stored.zstd = col_i32(stmt, 1) != 0;
    stored.bytes = sqlite3_column_blob(stmt, 2);
    stored.size = (size_t)sqlite3_column_bytes(stmt, 2);
    got = captures_unpack(captures, &stored, captures->other, &other, err);
    if (got == 0 && (stored.raw_bytes != group->raw_bytes ||
                     memcmp(other, bytes, stored.raw_bytes) != 0)) {
        err_set(err, ERR_CONFLICT, "the group is already stored with other bytes");
        got = -1;
    }
    sqlite3_reset(stmt);
    return got < 0 ? -1 : 1;
}

static int insert_group(struct captures *captures,
                        const struct captures_group *group,
                        struct err *err)
{
    struct db *db = &captures->db;
    sqlite3_stmt *stmt = db_bind(
        db, err,
        "INSERT INTO groups(run_id, shard, number, raw_bytes, zstd,"
        " received_wall_ms, bytes) VALUES(?, ?, ?, ?, ?, ?, ?)",
        "IIIIiI", group->run_id, (uint64_t)group->shard, (uint64_t)group->number,
        (uint64_t)group->raw_bytes, (int)group->zstd, group->received_wall_ms);

    if (!stmt || sqlite3_bind_blob(stmt, 7, group->bytes, (int)group->size,
                                   SQLITE_STATIC) != SQLITE_OK)
        return -1;
    return db_step(db, stmt, err);
}

int captures_put(struct captures *captures,
                 const struct captures_group *group,
                 bool *already,
                 struct err *err)
{
    struct db *db = &captures->db;
    const uint8_t *bytes;
    struct err ignored;
    int same;

    if (captures_unpack(captures, group, captures->raw, &bytes, err) < 0 ||
        capture_group_check(bytes, group->raw_bytes, group->run_id, group->shard,
                            group->number, err) < 0)
        return -1;
    if ((same = find_same(captures, group, bytes, err)) < 0)
        return wrap_group(group, err);
    *already = same == 1;
    if (same)
        return 0;
    /* a conflict in the third block must also undo the first two */
    if (db_begin(db, err) < 0 || db_run(db, "SAVEPOINT one_group", err) < 0)
        return -1;
    if (insert_group(captures, group, err) < 0 ||
        captures_index(captures, group, bytes, err) < 0) {
        db_run(db, "ROLLBACK TO one_group", &ignored);
        db_run(db, "RELEASE one_group", &ignored);
        return wrap_group(group, err);
    }
    return db_run(db, "RELEASE one_group", err);
}

#define SELECT_NUMBERS "SELECT run_id, shard, number FROM groups"
#define ORDER_GROUPS   " ORDER BY run_id, shard, number"
#define SELECT_GROUPS                                                                  \
    "SELECT run_id, shard, number, raw_bytes, zstd, received_wall_ms, bytes FROM "     \
    "groups"

int captures_each_number(struct captures *captures,
                         uint64_t run_id,
                         captures_number_fn *fn,
                         void *arg,
                         struct err *err)
{
    struct db *db = &captures->db;
    sqlite3_stmt *stmt =
        run_id ? db_bind(db, err, SELECT_NUMBERS " WHERE run_id = ?" ORDER_GROUPS, "I",
                         run_id)
               : db_bind(db, err, SELECT_NUMBERS ORDER_GROUPS, "");
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(db, stmt, err)) > 0)
        if (fn(col_u64(stmt, 0), col_u32(stmt, 1), col_u32(stmt, 2), arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    return got;
}

static int pass_group(struct captures *captures,
                      sqlite3_stmt *stmt,
                      captures_group_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct captures_group group = {
        .run_id = col_u64(stmt, 0),
        .shard = col_u32(stmt, 1),
        .number = col_u32(stmt, 2),
        .raw_bytes = col_u32(stmt, 3),
        .zstd = col_i32(stmt, 4) != 0,
        .received_wall_ms = col_u64(stmt, 5),
        .bytes = sqlite3_column_blob(stmt, 6),
        .size = (size_t)sqlite3_column_bytes(stmt, 6),
    };
    const uint8_t *bytes;

    if (captures_unpack(captures, &group, captures->raw, &bytes, err) < 0 ||
        capture_group_check(bytes, group.raw_bytes, group.run_id, group.shard,
                            group.number, err) < 0)
        return -1;
    group.bytes = bytes;
    group.size = group.raw_bytes;
    group.zstd = false;
    return fn(&group, arg, err);
}

/* Calls fn for each row of the statement; NULL: preparing it failed. */
static int pass_groups(struct captures *captures,
                       sqlite3_stmt *stmt,
                       captures_group_fn *fn,
                       void *arg,
                       struct err *err)
{
    struct db *db = &captures->db;
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(db, stmt, err)) > 0)
        if (pass_group(captures, stmt, fn, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    return got;
}

int captures_each_group(struct captures *captures,
                        uint64_t run_id,
                        int32_t rank,
                        captures_group_fn *fn,
                        void *arg,
                        struct err *err)
{
    uint64_t first = rank < 0 ? 0 : (uint64_t)rank << 16;
    uint64_t last = rank < 0 ? UINT32_MAX : first + 0xffff;
    struct db *db = &captures->db;

    return pass_groups(
        captures,
        run_id ? db_bind(db, err,
                         SELECT_GROUPS
                         " WHERE run_id = ? AND shard BETWEEN ? AND ?" ORDER_GROUPS,
                         "III", run_id, first, last)
               : db_bind(db, err,
                         SELECT_GROUPS " WHERE shard BETWEEN ? AND ?" ORDER_GROUPS,
                         "II", first, last),
        fn, arg, err);
}

int captures_each_group_between(struct captures *captures,
                                uint64_t run_id,
                                uint32_t shard,
                                uint32_t first,
                                uint32_t last,
                                captures_group_fn *fn,
                                void *arg,
                                struct err *err)
{
    return pass_groups(
        captures,
        db_bind(&captures->db, err,
                SELECT_GROUPS " WHERE run_id = ?1 AND shard = ?2"
                              " AND number BETWEEN ?3 AND ?4" ORDER_GROUPS,
                "IIII", run_id, (uint64_t)shard, (uint64_t)first, (uint64_t)last),
        fn, arg, err);
}

struct each_block {
    captures_block_fn *fn;
    void *arg;
};

static int pass_blocks(const struct captures_group *group, void *arg, struct err *err)
{
    struct each_block *each = arg;
    struct capture_reader *reader = capture_reader_create(group->bytes, group->size);
    struct capture_block block;
    int result = 0;

    while (result == 0 && capture_reader_next(reader, &block))
        result = each->fn(&block, each->arg, err);
    capture_reader_destroy(reader);
    return result < 0 ? -1 : 0;
}

int captures_each_block(struct captures *captures,
                        uint64_t run_id,
                        int32_t rank,
                        captures_block_fn *fn,
                        void *arg,
                        struct err *err)
{
    struct each_block each = {fn, arg};

    return captures_each_group(captures, run_id, rank, pass_blocks, &each, err);
}

int captures_count(struct captures *captures,
                   uint64_t run_id,
                   struct captures_totals *totals,
                   struct err *err)
{
    struct db *db = &captures->db;
    sqlite3_stmt *stmt =
        db_bind(db, err,
                "SELECT count(*), ifnull(sum(raw_bytes), 0), ifnull(sum(length(bytes)),"
                " 0), (SELECT count(*) FROM blocks WHERE ?1 = 0 OR run_id = ?1),"
                " (SELECT ifnull(sum(records), 0) FROM blocks WHERE ?1 = 0 OR"
                " run_id = ?1) FROM groups WHERE ?1 = 0 OR run_id = ?1",
                "I", run_id);
    int got;

    if (!stmt || (got = db_step(db, stmt, err)) < 0)
        return -1;
    *totals = (struct captures_totals){.groups = col_u64(stmt, 0),
                                       .raw_bytes = col_u64(stmt, 1),
                                       .stored_bytes = col_u64(stmt, 2),
                                       .blocks = col_u64(stmt, 3),
                                       .records = col_u64(stmt, 4)};
    sqlite3_reset(stmt);
    return 0;
}

int captures_count_rank(struct captures *captures,
                        uint64_t run_id,
                        uint32_t rank,
                        struct captures_rank_totals *totals,
                        struct err *err)
{
    struct db *db = &captures->db;
    uint64_t first = (uint64_t)rank << 16;
    sqlite3_stmt *stmt = db_bind(
        db, err,
        "SELECT (SELECT count(*) FROM groups WHERE run_id = ?1 AND shard >= ?2 AND"
        " shard < ?3), count(*), ifnull(sum(records) FILTER (WHERE type ="
        " 'launch.end'), 0) FROM blocks WHERE run_id = ?1 AND shard >= ?2 AND"
        " shard < ?3",
        "III", run_id, first, first + 0x10000);
    int got;

    if (!stmt || (got = db_step(db, stmt, err)) < 0)
        return -1;
    *totals = (struct captures_rank_totals){.groups = col_u64(stmt, 0),
                                            .blocks = col_u64(stmt, 1),
                                            .launches = col_u64(stmt, 2)};
    sqlite3_reset(stmt);
    return 0;
}
