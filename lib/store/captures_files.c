/* captures_files.c - export and import of capture files; check of the index */
#include <inttypes.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/store/captures_internal.h"

static int write_group(const struct captures_group *group, void *arg, struct err *err)
{
    if (fd_write_all(*(int *)arg, group->bytes, group->size) < 0)
        return err_errno(err, "writing");
    return 0;
}

int captures_export(struct captures *captures, const char *file, struct err *err)
{
    struct file_new *new_file;
    int fd;

    if (file_new_create(&new_file, file, err) < 0)
        return -1;
    fd = file_new_fd(new_file);
    if (captures_each_group(captures, 0, CAPTURES_ANY_RANK, write_group, &fd, err) <
        0) {
        file_new_abandon(&new_file);
        return err_wrap(err, "exporting to %s", file);
    }
    return file_new_commit(&new_file, err);
}

static int import_all(struct captures *captures,
                      const struct capture_reader *reader,
                      uint64_t *stored,
                      uint64_t *already,
                      struct err *err)
{
    struct capture_group group;
    size_t cursor = 0;

    while (capture_reader_next_group(reader, &cursor, &group)) {
        struct captures_group put = {.run_id = group.run_id,
                                     .shard = group.shard,
                                     .number = group.number,
                                     .raw_bytes = (uint32_t)group.size,
                                     .bytes = group.bytes,
                                     .size = group.size,
                                     .received_wall_ms = clock_wall_ns() / 1000000};
        bool was_stored;

        if (captures_put(captures, &put, &was_stored, err) < 0)
            return -1;
        ++*(was_stored ? already : stored);
    }
    return 0;
}

int captures_import(struct captures *captures,
                    const char *file,
                    uint64_t *stored,
                    uint64_t *already,
                    struct err *err)
{
    struct capture_reader *reader;
    const struct capture_problem *problem;
    int result = -1;

    if (capture_reader_open(&reader, file, err) < 0)
        return -1;
    *stored = *already = 0;
    for (size_t i = 0; (problem = capture_reader_problem(reader, i)); i++)
        /* a gap between complete groups does not prevent the import of the others */
        if (problem->kind != CAPTURE_GAP) {
            err_set(err, ERR_INPUT,
                    "at %" PRIu64 ": block %" PRIu32 " of shard %08" PRIx32
                    ": %s; run muster capture salvage first",
                    problem->offset, problem->block, problem->shard, problem->text);
            goto done;
        }
    if (import_all(captures, reader, stored, already, err) < 0) {
        captures_rollback(captures);
        goto done;
    }
    result = captures_commit(captures, err);

done:
    capture_reader_destroy(reader);
    return result < 0 ? err_wrap(err, "importing %s", file) : 0;
}

static int index_group(const struct captures_group *group, void *arg, struct err *err)
{
    return captures_index(arg, group, group->bytes, err);
}

int captures_reindex(struct captures *captures, struct err *err)
{
    if (db_change(&captures->db, err, "DELETE FROM blocks", "") < 0 ||
        captures_each_group(captures, 0, CAPTURES_ANY_RANK, index_group, captures,
                            err) < 0) {
        captures_rollback(captures);
        return err_wrap(err, "building the index again");
    }
    return captures_commit(captures, err);
}

struct check {
    struct captures *captures;
    uint64_t blocks;
};

static int check_indexed(const struct captures_group *group, void *arg, struct err *err)
{
    struct check *check = arg;
    struct db *db = &check->captures->db;
    struct capture_reader *reader = capture_reader_create(group->bytes, group->size);
    struct capture_block block;
    int found = 1;

    while (found > 0 && capture_reader_next(reader, &block)) {
        const struct capture_block_head *head = &block.head;
        sqlite3_stmt *stmt =
            db_bind(db, err,
                    "SELECT 1 FROM blocks WHERE run_id = ? AND shard = ? AND block = ?"
                    " AND \"table\" = ? AND \"offset\" = ? AND length = ? AND type = ?"
                    " AND records = ? AND first_ns = ? AND last_ns = ?"
                    " AND dropped = ? AND crc_ok = 1",
                    "IIIIIITIIII", head->run_id, (uint64_t)head->shard,
                    (uint64_t)head->number, (uint64_t)head->table, block.offset,
                    CAPTURE_BLOCK_HEAD + head->payload_bytes, block.type,
                    (uint64_t)head->records, head->first_ns, head->last_ns,
                    (uint64_t)head->dropped);

        found = stmt ? db_step(db, stmt, err) : -1;
        if (found > 0)
            sqlite3_reset(stmt);
        if (found == 0)
            err_set(err, ERR_STORE,
                    "block %" PRIu32 " of shard %08" PRIx32
                    " differs from its row in the index; run muster fsck --repair",
                    head->number, head->shard);
        check->blocks++;
    }
    capture_reader_destroy(reader);
    return found > 0 ? 0 : -1;
}

int captures_check(struct captures *captures, struct err *err)
{
    struct check check = {.captures = captures};
    struct captures_totals totals;

    if (db_quick_check(&captures->db, err) < 0 ||
        captures_each_group(captures, 0, CAPTURES_ANY_RANK, check_indexed, &check,
                            err) < 0 ||
        captures_count(captures, 0, &totals, err) < 0)
        return err_wrap(err, "checking %s", captures->db.path);
    if (totals.blocks != check.blocks)
        return err_set(err, ERR_STORE,
                       "%s: the index has %" PRIu64 " blocks, the groups have %" PRIu64
                       "; run muster fsck --repair",
                       captures->db.path, totals.blocks, check.blocks);
    return 0;
}
