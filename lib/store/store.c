#include "lib/store/store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/lock_file.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/store/schema.h"
#include "lib/store/store_internal.h"

static int read_id(struct store *store, struct err *err)
{
    sqlite3_stmt *stmt =
        db_prepare(&store->db, "SELECT value FROM about WHERE key = 'store_id'", err);
    int got;

    if (!stmt || (got = db_step(&store->db, stmt, err)) < 0)
        return -1;
    if (!got)
        return err_set(err, ERR_STORE, "the table `about` has no store_id");
    snprintf(store->id, sizeof(store->id), "%s", col_text(stmt, 0));
    sqlite3_reset(stmt);
    return 0;
}

static int remember_place(struct store *store, const char *path, struct err *err)
{
    struct stat status;

    snprintf(store->path, sizeof(store->path), "%s", path);
    if (stat(path, &status) < 0)
        return err_errno(err, "%s", path);
    store->device = status.st_dev;
    store->inode = status.st_ino;
    return 0;
}

int store_check_place(const struct store *store, struct err *err)
{
    struct stat status;

    if (stat(store->path, &status) == 0 && status.st_dev == store->device &&
        status.st_ino == store->inode)
        return 0;
    return err_set(err, ERR_STORE,
                   "%.140s was removed or replaced while it was open; put the store "
                   "back and start again",
                   store->path);
}

int store_version(struct store *store, uint64_t *version, struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(&store->db, "PRAGMA data_version", err);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got > 0)
        *version = col_u64(stmt, 0);
    if (stmt)
        sqlite3_reset(stmt);
    return got < 0 ? -1 : 0;
}

int store_open(struct store **out,
               const char *folder,
               enum store_mode mode,
               struct err *err)
{
    struct store *store = NULL;
    char path[PATH_MAX];

    if (mode == STORE_WRITE && folder_lock(folder, err) < 0)
        goto fail;
    snprintf(path, sizeof(path), "%s/muster.db", folder);
    store = xcalloc(1, sizeof(*store));
    if (db_open(&store->db, path, mode, 0, store_migrations, store_migration_count,
                err) < 0) {
        free(store);
        store = NULL;
        goto fail;
    }
    if (remember_place(store, path, err) < 0 || read_id(store, err) < 0)
        goto fail;
    store_forget_names(store);
    *out = store;
    return 0;

fail:
    store_close(store);
    return err_wrap(err, "store %s", folder);
}

bool store_has_writer(const char *folder)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/muster.db.lock", folder);
    return lock_file_is_held(path);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    db_close(&store->db);
    map_destroy(store->kernel_ids);
    map_destroy(store->metric_ids);
    free(store);
}

int store_commit(struct store *store, struct err *err)
{
    if (db_commit(&store->db, err) == 0)
        return 0;
    store_forget_names(store);
    return -1;
}

void store_rollback(struct store *store)
{
    db_rollback(&store->db);
    store_forget_names(store);
}

bool store_has_changes(const struct store *store)
{
    return store->db.in_transaction;
}

const char *store_id(const struct store *store)
{
    return store->id;
}

int store_check(struct store *store, struct err *err)
{
    sqlite3_stmt *stmt;
    int got;

    if (db_quick_check(&store->db, err) < 0)
        return -1;
    stmt = db_prepare(&store->db, "PRAGMA foreign_key_check", err);
    if (!stmt || (got = db_step(&store->db, stmt, err)) < 0)
        return -1;
    if (got) {
        err_set(err, ERR_STORE,
                "row %llu of table %s refers to a missing row of %s; restore a backup",
                (unsigned long long)col_u64(stmt, 1), col_text(stmt, 0),
                col_text(stmt, 2));
        sqlite3_reset(stmt);
        return -1;
    }
    return 0;
}

sqlite3_stmt *store_snapshot(struct store *store, struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(&store->db, "SELECT 1 FROM about LIMIT 1", err);

    return stmt && db_step(&store->db, stmt, err) >= 0 ? stmt : NULL;
}
