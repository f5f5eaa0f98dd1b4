/* db.h - an SQLite connection with settings, transaction, statements and schema version
 *
 * Only for lib/store. A connection uses WAL, synchronous=FULL and a busy timeout. The
 * first change begins a transaction. Statements are prepared once and found again by
 * the address of their text. A lock file names the writing process. */
#ifndef LIB_SQLITE_DB_H
#define LIB_SQLITE_DB_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "lib/base/err.h"
#include "lib/sqlite/store_mode.h"

enum { DB_STATEMENTS_MAX = 128, DB_BUSY_MS = 10000 };

struct db {
    sqlite3 *handle;
    char *path;
    int lock; /* descriptor of the lock file; -1: none */
    bool in_transaction;
    int statement_count;
    struct {
        const char *sql; /* compared by address: use a literal or a constant */
        sqlite3_stmt *stmt;
    } statements[DB_STATEMENTS_MAX];
};

struct migration {
    const char
        *sql; /* changes the previous version to this one; row 0 creates version 1 */
};

/* Initialises a struct db that is a member of the caller. STORE_WRITE locks, creates,
 * migrates and checks the file. STORE_READ requires the newest version of the schema.
 */
int db_open(struct db *db,
            const char *path,
            enum store_mode mode,
            int page_bytes, /* 0: the default of SQLite */
            const struct migration *migrations,
            int count,
            struct err *err);
void db_close(struct db *db);
int db_begin(struct db *db, struct err *err); /* does nothing when one has begun */
int db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);
int db_run(struct db *db, const char *sql, struct err *err);
int db_quick_check(struct db *db, struct err *err);
int db_set_error(struct db *db, struct err *err, const char *doing);

/* Returns the statement of this literal, reset, or NULL with err. The caller binds all
 * parameters. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err);
/* Prepares and binds. A letter for each parameter: i int32, I u64, T text (NULL is ""),
 * D double, c int32 of a card (negative is NULL), O u64 (0 is NULL). */
sqlite3_stmt *
db_bind(struct db *db, struct err *err, const char *sql, const char *letters, ...);
/* Binds one row of a statement with many; the number of the first parameter is 1. */
int db_bind_from(struct db *db,
                 sqlite3_stmt *stmt,
                 int first,
                 struct err *err,
                 const char *letters,
                 ...);
/* Begins a transaction if needed, binds and executes one change. */
int db_change(struct db *db,
              struct err *err,
              const char *sql,
              const char *letters,
              ...);
/* Returns 1 for a row, 0 at the end, -1 for an error; the last two reset the statement.
 */
int db_step(struct db *db, sqlite3_stmt *stmt, struct err *err);
int db_changes(struct db *db); /* rows that the last change hit */

static inline uint64_t col_u64(sqlite3_stmt *stmt, int column)
{
    return (uint64_t)sqlite3_column_int64(stmt, column);
}

static inline uint32_t col_u32(sqlite3_stmt *stmt, int column)
{
    return (uint32_t)sqlite3_column_int64(stmt, column);
}

static inline int32_t col_i32(sqlite3_stmt *stmt, int column)
{
    return (int32_t)sqlite3_column_int64(stmt, column);
}

static inline const char *col_text(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return text ? text : "";
}

#endif
