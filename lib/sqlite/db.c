#include "lib/sqlite/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/lock_file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

int db_set_error(struct db *db, struct err *err, const char *doing)
{
    return err_set(err, ERR_STORE, "%s: %s", doing, sqlite3_errmsg(db->handle));
}

static int take_lock(struct db *db, struct err *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s.lock", db->path);
    db->lock = lock_file(path, err);
    return db->lock < 0 ? -1 : 0;
}

/* SQLite would create the file with the mode of the umask. It gives -wal and -shm the
 * mode of the file. */
static int create_file(const char *path, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);

    if (fd < 0)
        return err_errno(err, "%s", path);
    if (fchmod(fd, FILE_MODE) < 0) {
        err_errno(err, "%s", path);
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

int db_run(struct db *db, const char *sql, struct err *err)
{
    if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_set_error(db, err, "executing SQL");
    return 0;
}

static int get_version(struct db *db, int *version, struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(db, "PRAGMA user_version", err);
    int got;

    if (!stmt || (got = db_step(db, stmt, err)) < 0)
        return -1;
    *version = got ? sqlite3_column_int(stmt, 0) : 0;
    sqlite3_reset(stmt);
    return 0;
}

static int migrate(struct db *db,
                   const struct migration *migrations,
                   int count,
                   int from,
                   struct err *err)
{
    char number[48];

    for (int version = from; version < count; version++) {
        snprintf(number, sizeof(number), "PRAGMA user_version=%d", version + 1);
        if (db_begin(db, err) < 0 || db_run(db, migrations[version].sql, err) < 0 ||
            db_run(db, number, err) < 0 || db_commit(db, err) < 0) {
            db_rollback(db);
            return err_wrap(err, "updating to schema version %d", version + 1);
        }
    }
    return 0;
}

static int check_version(struct db *db,
                         enum store_mode mode,
                         const struct migration *migrations,
                         int count,
                         struct err *err)
{
    int version;

    if (get_version(db, &version, err) < 0)
        return -1;
    if (version < 0)
        return err_set(err, ERR_STORE,
                       "the schema has version %d; the file is damaged or belongs to "
                       "another program",
                       version);
    if (version > count)
        return err_set(err, ERR_STORE,
                       "the schema has version %d, this program supports up to %d; "
                       "use a newer muster",
                       version, count);
    if (mode == STORE_WRITE)
        return migrate(db, migrations, count, version, err);
    if (version < count)
        return err_set(err, ERR_STORE,
                       "the schema has version %d, this program reads %d; start a "
                       "coordinator of this version, which updates it",
                       version, count);
    return 0;
}

/* Readers of a WAL database register in the -shm file, which they cannot create on a
 * read-only disk. There the database can be opened as immutable, when no -wal file with
 * content is left. */
static bool is_immutable(const char *path)
{
    char log[PATH_MAX];
    struct statvfs disk;
    struct stat left;

    if (snprintf(log, sizeof(log), "%s-wal", path) >= (int)sizeof(log) ||
        statvfs(path, &disk) < 0 || !(disk.f_flag & ST_RDONLY))
        return false;
    return stat(log, &left) < 0 ? errno == ENOENT : left.st_size == 0;
}

/* The caller frees the result. */
static char *immutable_uri(const char *path)
{
    struct text uri = {0};

    text_add(&uri, "file:");
    for (; *path; path++)
        if (strchr("?#%", *path))
            text_printf(&uri, "%%%02x", (unsigned char)*path);
        else
            text_printf(&uri, "%c", *path);
    text_add(&uri, "?immutable=1");
    return text_take(&uri);
}

static int open_file(struct db *db, enum store_mode mode)
{
    int flags = SQLITE_OPEN_NOMUTEX, result;
    char *uri;

    if (mode == STORE_WRITE || !is_immutable(db->path))
        return sqlite3_open_v2(db->path, &db->handle,
                               flags | (mode == STORE_WRITE
                                            ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                            : SQLITE_OPEN_READONLY),
                               NULL);
    uri = immutable_uri(db->path);
    result = sqlite3_open_v2(uri, &db->handle,
                             flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(uri);
    return result;
}

static int open_handle(struct db *db, enum store_mode mode, struct err *err)
{
    if (mode == STORE_READ && access(db->path, R_OK) < 0) {
        bool missing = errno == ENOENT;

        err_errno(err, "%s", db->path);
        if (missing)
            err->code = ERR_NOT_FOUND;
        return -1;
    }
    if (open_file(db, mode) != SQLITE_OK)
        return db_set_error(db, err, "opening");
    sqlite3_busy_timeout(db->handle, DB_BUSY_MS);
    sqlite3_extended_result_codes(db->handle, 1);
    return 0;
}

/* The memory statistics are not used, and each allocation would take a lock for them.
 */
static void configure(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int db_open(struct db *db,
            const char *path,
            enum store_mode mode,
            int page_bytes,
            const struct migration *migrations,
            int count,
            struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct stat status;
    char pragma[48];

    pthread_once(&once, configure);
    *db = (struct db){.path = xstrdup(path), .lock = -1};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* a fifo would block */
        err_set(err, ERR_STORE, "not a regular file");
        goto fail;
    }
    if (mode == STORE_WRITE && (take_lock(db, err) < 0 || create_file(path, err) < 0))
        goto fail;
    if (open_handle(db, mode, err) < 0)
        goto fail;
    if (page_bytes && mode == STORE_WRITE) {
        snprintf(pragma, sizeof(pragma), "PRAGMA page_size=%d", page_bytes);
        if (db_run(db, pragma, err) < 0)
            goto fail;
    }
    if (mode == STORE_WRITE &&
        (db_run(db, "PRAGMA journal_mode=WAL", err) < 0 ||
         db_run(db, "PRAGMA synchronous=FULL", err) < 0 || db_quick_check(db, err) < 0))
        goto fail;
    if (db_run(db, "PRAGMA foreign_keys=ON", err) < 0 ||
        check_version(db, mode, migrations, count, err) < 0)
        goto fail;
    return 0;

fail:
    db_close(db);
    return err_wrap(err, "opening %s", path);
}

void db_close(struct db *db)
{
    db_rollback(db);
    for (int i = 0; i < db->statement_count; i++)
        sqlite3_finalize(db->statements[i].stmt);
    sqlite3_close(db->handle);
    if (db->lock >= 0)
        close(db->lock);
    free(db->path);
    *db = (struct db){.lock = -1};
}

int db_begin(struct db *db, struct err *err)
{
    if (db->in_transaction)
        return 0;
    if (db_run(db, "BEGIN IMMEDIATE", err) < 0)
        return -1;
    db->in_transaction = true;
    return 0;
}

int db_commit(struct db *db, struct err *err)
{
    if (!db->in_transaction)
        return 0;
    if (db_run(db, "COMMIT", err) < 0) {
        db_rollback(db);
        return err_wrap(err, "committing %s", db->path);
    }
    db->in_transaction = false;
    return 0;
}

void db_rollback(struct db *db)
{
    if (db->in_transaction && !sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    db->in_transaction = false;
}

sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err)
{
    sqlite3_stmt *stmt;

    for (int i = 0; i < db->statement_count; i++)
        if (db->statements[i].sql == sql) {
            sqlite3_reset(db->statements[i].stmt);
            return db->statements[i].stmt;
        }
    if (db->statement_count == DB_STATEMENTS_MAX) {
        err_set(err, ERR_INTERNAL,
                "more than %d SQL statements; raise DB_STATEMENTS_MAX",
                DB_STATEMENTS_MAX);
        return NULL;
    }
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt,
                           NULL) != SQLITE_OK) {
        db_set_error(db, err, sql);
        return NULL;
    }
    db->statements[db->statement_count].sql = sql;
    db->statements[db->statement_count++].stmt = stmt;
    return stmt;
}

static int bind_letters(struct db *db,
                        sqlite3_stmt *stmt,
                        int first,
                        struct err *err,
                        const char *letters,
                        va_list args)
{
    for (int i = first; *letters; i++, letters++) {
        int result;

        if (*letters == 'T') {
            const char *text = va_arg(args, const char *);

            result = sqlite3_bind_text(stmt, i, text ? text : "", -1, SQLITE_STATIC);
        } else if (*letters == 'D') {
            result = sqlite3_bind_double(stmt, i, va_arg(args, double));
        } else if (*letters == 'O') {
            uint64_t number = va_arg(args, uint64_t);

            result = number ? sqlite3_bind_int64(stmt, i, (int64_t)number)
                            : sqlite3_bind_null(stmt, i);
        } else if (*letters == 'c') {
            int card = va_arg(args, int);

            result =
                card < 0 ? sqlite3_bind_null(stmt, i) : sqlite3_bind_int(stmt, i, card);
        } else if (*letters == 'I') {
            result = sqlite3_bind_int64(stmt, i, (int64_t)va_arg(args, uint64_t));
        } else {
            result = sqlite3_bind_int(stmt, i, va_arg(args, int));
        }
        if (result != SQLITE_OK)
            return db_set_error(db, err, sqlite3_sql(stmt));
    }
    return 0;
}

static sqlite3_stmt *bind_all(struct db *db,
                              struct err *err,
                              const char *sql,
                              const char *letters,
                              va_list args)
{
    sqlite3_stmt *stmt = db_prepare(db, sql, err);

    return stmt && bind_letters(db, stmt, 1, err, letters, args) == 0 ? stmt : NULL;
}

int db_bind_from(struct db *db,
                 sqlite3_stmt *stmt,
                 int first,
                 struct err *err,
                 const char *letters,
                 ...)
{
    va_list args;

    va_start(args, letters);
    int result = bind_letters(db, stmt, first, err, letters, args);
    va_end(args);
    return result;
}

sqlite3_stmt *
db_bind(struct db *db, struct err *err, const char *sql, const char *letters, ...)
{
    va_list args;
    sqlite3_stmt *stmt;

    va_start(args, letters);
    stmt = bind_all(db, err, sql, letters, args);
    va_end(args);
    return stmt;
}

int db_change(struct db *db, struct err *err, const char *sql, const char *letters, ...)
{
    va_list args;
    sqlite3_stmt *stmt;

    if (db_begin(db, err) < 0)
        return -1;
    va_start(args, letters);
    stmt = bind_all(db, err, sql, letters, args);
    va_end(args);
    if (!stmt)
        return -1;
    return db_step(db, stmt, err) < 0 ? -1 : 0;
}

int db_step(struct db *db, sqlite3_stmt *stmt, struct err *err)
{
    int result = sqlite3_step(stmt);

    if (result == SQLITE_ROW)
        return 1;
    if (result == SQLITE_DONE) {
        sqlite3_reset(stmt);
        return 0;
    }
    db_set_error(db, err, db->path);
    if ((result & 0xff) == SQLITE_CONSTRAINT)
        err->code = ERR_CONFLICT;
    sqlite3_reset(stmt);
    return -1;
}

int db_changes(struct db *db)
{
    return sqlite3_changes(db->handle);
}

int db_quick_check(struct db *db, struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(db, "PRAGMA quick_check(1)", err);
    int got;

    if (!stmt || (got = db_step(db, stmt, err)) < 0)
        return -1;
    if (got && strcmp(col_text(stmt, 0), "ok") != 0) {
        err_set(err, ERR_STORE, "the database is damaged: %s; restore a backup",
                col_text(stmt, 0));
        sqlite3_reset(stmt);
        return -1;
    }
    sqlite3_reset(stmt);
    return 0;
}
