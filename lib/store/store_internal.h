/* store_internal.h - struct store, for the files store_NOUN.c */
#ifndef LIB_STORE_STORE_INTERNAL_H
#define LIB_STORE_STORE_INTERNAL_H

#include "lib/store/db.h"
#include "lib/store/store.h"

struct store {
    struct db db;
    char id[33];
};

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
