/* schema.h - the tables of muster.db: one migration for each version, forward only */
#ifndef LIB_STORE_SCHEMA_H
#define LIB_STORE_SCHEMA_H

#include "lib/sqlite/db.h"

extern const struct migration store_migrations[];
extern const int store_migration_count;

#endif
