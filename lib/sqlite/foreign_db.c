#include "lib/sqlite/foreign_db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"

enum { VALUE_BYTES_MAX = 64 << 20, BUSY_MS = 2000, LOOKUPS = 4 };

struct foreign_db {
    sqlite3 *handle;
    char *path;
    struct {
        char *sql;
        sqlite3_stmt *stmt;
    } lookups[LOOKUPS];
};

struct foreign_row {
    sqlite3_stmt *stmt;
};

static int set_error(struct foreign_db *db, struct err *err)
{
    return err_set(err, ERR_INPUT, "%s: %s", db->path, sqlite3_errmsg(db->handle));
}

/* A database without unfinished changes is opened without locks, so that a folder
 * without write permission is no obstacle. */
static char *uri_of(const char *path)
{
    char *log = xasprintf("%s-wal", path);
    struct text uri = {0};
    struct stat facts;
    bool finished = stat(log, &facts) < 0 || facts.st_size == 0;

    free(log);
    text_add(&uri, "file:");
    for (; *path; path++)
        if (strchr("?#%", *path))
            text_printf(&uri, "%%%02x", (unsigned char)*path);
        else
            text_add_char(&uri, *path);
    text_add(&uri, finished ? "?immutable=1" : "?mode=ro");
    return text_take(&uri);
}

/* The file may be damaged or made to do harm: nothing in its schema runs functions. */
static int make_safe(struct foreign_db *db, struct err *err)
{
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (sqlite3_exec(db->handle,
                     "PRAGMA cell_size_check=ON;"
                     "SELECT count(*) FROM sqlite_master",
                     NULL, NULL, NULL) != SQLITE_OK)
        return set_error(db, err);
    return 0;
}

int foreign_db_open(struct foreign_db **out, const char *path, struct err *err)
{
    struct foreign_db *db = xcalloc(1, sizeof(*db));
    char *uri = uri_of(path);
    struct stat facts;
    int result;

    db->path = xstrdup(path);
    if (stat(path, &facts) < 0)
        result = err_errno(err, "%s", path);
    else if (!S_ISREG(facts.st_mode))
        result = err_set(err, ERR_INPUT, "%s: not a regular file", path);
    else if (facts.st_size == 0)
        result = err_set(err, ERR_INPUT, "%s: the file is empty", path);
    else if (sqlite3_open_v2(uri, &db->handle,
                             SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
                                 SQLITE_OPEN_NOMUTEX,
                             NULL) != SQLITE_OK)
        result = set_error(db, err);
    else
        result = make_safe(db, err);
    free(uri);
    if (result < 0) {
        foreign_db_close(db);
        return -1;
    }
    *out = db;
    return 0;
}

void foreign_db_close(struct foreign_db *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < LOOKUPS; i++) {
        sqlite3_finalize(db->lookups[i].stmt);
        free(db->lookups[i].sql);
    }
    sqlite3_close(db->handle);
    free(db->path);
    free(db);
}

const char *foreign_db_path(const struct foreign_db *db)
{
    return db->path;
}

/* Returns true when the statement with one or two texts gives a row. */
static bool
gives_row(struct foreign_db *db, const char *sql, const char *first, const char *second)
{
    sqlite3_stmt *stmt;
    bool found;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(stmt, 1, first, -1, SQLITE_STATIC);
    if (second)
        sqlite3_bind_text(stmt, 2, second, -1, SQLITE_STATIC);
    found = sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return found;
}

/* A view is no table: it could compute anything. */
bool foreign_db_has_table(struct foreign_db *db, const char *table)
{
    return gives_row(db,
                     "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                     table, NULL);
}

bool foreign_db_has_column(struct foreign_db *db, const char *table, const char *column)
{
    return gives_row(db, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", table,
                     column);
}

void foreign_db_add_column(struct foreign_db *db,
                           struct text *sql,
                           const char *table,
                           const char *alias,
                           const char *column)
{
    if (foreign_db_has_column(db, table, column))
        text_printf(sql, "%s.\"%s\"", alias, column);
    else
        text_add(sql, "NULL");
}

int foreign_db_select(struct foreign_db *db,
                      const char *sql,
                      foreign_row_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct foreign_row row;
    int got, result = 0;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &row.stmt, NULL) != SQLITE_OK)
        return set_error(db, err);
    while (result == 0 && (got = sqlite3_step(row.stmt)) == SQLITE_ROW)
        result = fn(arg, &row, err);
    if (result == 0 && got != SQLITE_DONE)
        result = set_error(db, err);
    sqlite3_finalize(row.stmt);
    return result;
}

bool foreign_row_i64(const struct foreign_row *row, int column, int64_t *value)
{
    double number;

    switch (sqlite3_column_type(row->stmt, column)) {
    case SQLITE_INTEGER:
        *value = sqlite3_column_int64(row->stmt, column);
        return true;
    case SQLITE_FLOAT:
        number = sqlite3_column_double(row->stmt, column);
        if (!(fabs(number) < 9e18))
            return false;
        *value = (int64_t)number;
        return true;
    case SQLITE_TEXT:
        return num_parse_i64(foreign_row_text(row, column), value);
    default:
        return false;
    }
}

bool foreign_row_double(const struct foreign_row *row, int column, double *value)
{
    switch (sqlite3_column_type(row->stmt, column)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        *value = sqlite3_column_double(row->stmt, column);
        return isfinite(*value);
    case SQLITE_TEXT:
        return num_parse_double(foreign_row_text(row, column), value);
    default:
        return false;
    }
}

const char *foreign_row_text(const struct foreign_row *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row->stmt, column);

    return text ? text : "";
}

/* Returns the prepared statement; each table has one. */
static sqlite3_stmt *
lookup_of(struct foreign_db *db, const char *table, const char *key, const char *column)
{
    char *sql =
        xasprintf("SELECT \"%s\" FROM \"%s\" WHERE \"%s\" = ?1", column, table, key);
    size_t i = 0;

    while (i < LOOKUPS && db->lookups[i].sql && strcmp(db->lookups[i].sql, sql) != 0)
        i++;
    if (i < LOOKUPS && !db->lookups[i].sql) {
        db->lookups[i].sql = sql;
        sql = NULL;
        if (sqlite3_prepare_v2(db->handle, db->lookups[i].sql, -1, &db->lookups[i].stmt,
                               NULL) != SQLITE_OK)
            db->lookups[i].stmt = NULL;
    }
    free(sql);
    return i < LOOKUPS ? db->lookups[i].stmt : NULL;
}

const char *foreign_db_lookup(struct foreign_db *db,
                              const char *table,
                              const char *key,
                              const char *column,
                              int64_t id)
{
    sqlite3_stmt *stmt = lookup_of(db, table, key, column);

    if (!stmt)
        return NULL;
    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, id);
    return sqlite3_step(stmt) == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
                                            : NULL;
}
