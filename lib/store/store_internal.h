/* store_internal.h - struct store, for the files store_NOUN.c */
#ifndef LIB_STORE_STORE_INTERNAL_H
#define LIB_STORE_STORE_INTERNAL_H

#include <limits.h>
#include <sys/types.h>

#include "lib/sqlite/db.h"
#include "lib/store/store.h"

struct map;

struct last_launch {
    uint64_t launch_id; /* 0: none */
    uint64_t run_id, launch, kernel_id;
    uint32_t rank, device;
};

struct store {
    struct db db;
    char id[33];
    char path[PATH_MAX]; /* of the database */
    dev_t device;        /* of the opened file, with its inode */
    ino_t inode;
    /* rows of the tables kernels, metric_names and launches, committed or not */
    struct map *kernel_ids, *metric_ids;
    struct last_launch last_launch;
};

/* Returns a statement that holds a snapshot of the database: until the caller resets it
 * with sqlite3_reset(), all queries see the same rows. NULL: an error. */
sqlite3_stmt *store_snapshot(struct store *store, struct err *err);
/* Reads the number that an INSERT with RETURNING gives. */
int store_read_number(struct store *store,
                      sqlite3_stmt *stmt,
                      uint64_t *number,
                      struct err *err);
/* Adds the launch when the store does not have it. */
int store_find_launch(struct store *store,
                      const struct store_launch *launch,
                      uint64_t *launch_id,
                      struct err *err);

/* The texts of all points of a job. A query with many rows a point takes the text from
 * here, which costs less than to join the table `points` to each row. */
struct point_texts {
    struct point_text {
        uint64_t point;
        size_t offset; /* in `bytes` */
    } * all;           /* sorted by point */
    size_t count, room;
    char *bytes;
    size_t length, bytes_room;
};

int point_texts_read(struct point_texts *texts,
                     struct store *store,
                     uint64_t job_id,
                     struct err *err);
/* Returns NULL when the job has no such point. */
const char *point_texts_get(const struct point_texts *texts, uint64_t point);
void point_texts_clear(struct point_texts *texts);

/* A rollback or a deleted row makes these numbers wrong. */
void store_forget_names(struct store *store);
void store_forget_launch(struct store *store);

/* An INSERT of 16 rows takes half the time of 16 INSERTs. */
#define STORE_ROWS   16
#define FOUR(row)    row "," row "," row "," row
#define SIXTEEN(row) FOUR(row) "," FOUR(row) "," FOUR(row) "," FOUR(row)

/* 0 when the last change hit a row, else -1 with ERR_NOT_FOUND. */
#define MUST_HIT(store, err, what, number)                                             \
    (db_changes(&(store)->db) ? 0                                                      \
                              : err_set(err, ERR_NOT_FOUND, "there is no %s %llu",     \
                                        what, (unsigned long long)(number)))

#endif
