/* store_internal.h - the inside of a store, for store_NOUN.c */
#ifndef LIB_STORE_STORE_INTERNAL_H
#define LIB_STORE_STORE_INTERNAL_H

#include "lib/store/db.h"
#include "lib/store/store.h"

struct store {
    struct db db;
    char id[33];
};

/* Many rows in one statement cost half of what they cost one by one. */
#define STORE_ROWS   16
#define FOUR(row)    row "," row "," row "," row
#define SIXTEEN(row) FOUR(row) "," FOUR(row) "," FOUR(row) "," FOUR(row)

/* One change that must hit a row: ERR_NOT_FOUND with these words otherwise. */
#define MUST_HIT(store, err, what, number)                                             \
    (db_changes(&(store)->db) ? 0                                                      \
                              : err_set(err, ERR_NOT_FOUND, "no %s %llu", what,        \
                                        (unsigned long long)(number)))

#endif
