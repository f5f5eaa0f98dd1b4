/* schema.h - the tables of muster.db, version by version; forward only */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/db.h"

extern const struct migration store_migrations[];
extern const int store_migration_count;

#endif
