/* db.h - one SQLite database as this folder wants it; only for store/
 *
 * WAL, synchronous=FULL, a busy timeout on every connection, one transaction that is
 * begun by the first change, statements prepared once and found again by their text,
 * a lock file that tells who writes. */
#ifndef LIB_STORE_DB_H
#define LIB_STORE_DB_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "lib/base/err.h"
#include "lib/store/store_mode.h"

enum { DB_STATEMENTS_MAX = 64, DB_BUSY_MS = 10000 };

struct db {
    sqlite3 *handle;
    char *path;
    int lock;     /* -1: none held */
    bool is_open; /* a transaction */
    int statement_count;
    struct {
        const char *sql; /* by address: a literal */
        sqlite3_stmt *stmt;
    } statements[DB_STATEMENTS_MAX];
};

struct migration {
    const char *sql; /* from the version before to this one; row 0 makes version 1 */
};

/* A struct db that stands inside yours. For STORE_WRITE the lock is taken, the file
 * made, migrated and checked; for STORE_READ it must be of a version that we know. */
int db_open(struct db *db,
            const char *path,
            enum store_mode mode,
            int page_bytes, /* 0: SQLite's own */
            const struct migration *migrations,
            int count,
            struct err *err);
void db_close(struct db *db);
int db_begin(struct db *db, struct err *err); /* nothing when begun */
int db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);
int db_run(struct db *db, const char *sql, struct err *err);
int db_quick_check(struct db *db, struct err *err);
int db_fail(struct db *db, struct err *err, const char *doing);

/* The statement of this literal, reset; bind all that it has. NULL with err. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct err *err);
/* Binds by letters: i int32, I u64, T text (NULL: ""), D double; as NULL below 0: c
 * int32 of a card; as NULL when 0: O u64. */
sqlite3_stmt *
db_bind(struct db *db, struct err *err, const char *sql, const char *letters, ...);
/* The same from the parameter of this number on, the first is 1: a row of many. */
int db_bind_from(struct db *db,
                 sqlite3_stmt *stmt,
                 int first,
                 struct err *err,
                 const char *letters,
                 ...);
/* Begins, binds, runs to the end: one change. */
int db_change(struct db *db,
              struct err *err,
              const char *sql,
              const char *letters,
              ...);
/* SQLITE_ROW: 1; SQLITE_DONE: 0, and reset; else -1. */
int db_step(struct db *db, sqlite3_stmt *stmt, struct err *err);
int db_changes(struct db *db);

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
