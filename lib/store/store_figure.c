#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/store/store_internal.h"

/* Reads the number that an INSERT with RETURNING gives. */
static int
read_number(struct store *store, sqlite3_stmt *stmt, uint64_t *number, struct err *err)
{
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got > 0) {
        *number = col_u64(stmt, 0);
        sqlite3_reset(stmt);
    }
    return got > 0 ? 0 : -1;
}

/* Kernels and metrics get the next number at their first figure. A map keeps the
 * numbers, because each figure needs two of them. */
static int
find_kernel(struct store *store, const char *name, uint64_t *number, struct err *err)
{
    void *known = map_get(store->kernel_ids, name);

    if (known) {
        *number = (uintptr_t)known;
        return 0;
    }
    if (read_number(store,
                    db_bind(&store->db, err,
                            "INSERT INTO kernels(name) VALUES(?)"
                            " ON CONFLICT(name) DO UPDATE SET name = excluded.name"
                            " RETURNING kernel_id",
                            "T", name),
                    number, err) < 0)
        return -1;
    map_put(store->kernel_ids, name, (void *)(uintptr_t)*number);
    return 0;
}

static int find_metric(struct store *store,
                       const char *name,
                       const char *unit,
                       uint64_t *number,
                       struct err *err)
{
    char key[256];
    void *known;
    bool fits = snprintf(key, sizeof(key), "%s\n%s", name, unit) < (int)sizeof(key);

    known = fits ? map_get(store->metric_ids, key) : NULL;
    if (known) {
        *number = (uintptr_t)known;
        return 0;
    }
    if (read_number(
            store,
            db_bind(&store->db, err,
                    "INSERT INTO metric_names(name, unit) VALUES(?, ?)"
                    " ON CONFLICT(name, unit) DO UPDATE SET name = excluded.name"
                    " RETURNING metric_id",
                    "TT", name, unit),
            number, err) < 0)
        return -1;
    if (fits)
        map_put(store->metric_ids, key, (void *)(uintptr_t)*number);
    return 0;
}

/* The figures of a launch arrive one after the other, so the last launch is kept. */
static int find_launch(struct store *store,
                       const struct store_metric *metric,
                       uint64_t kernel_id,
                       struct err *err)
{
    struct last_launch *last = &store->last_launch;

    if (last->launch_id && last->run_id == metric->run_id &&
        last->rank == metric->rank && last->launch == metric->launch &&
        last->device == metric->device && last->kernel_id == kernel_id)
        return 0;
    last->launch_id = 0;
    if (read_number(store,
                    db_bind(&store->db, err,
                            "INSERT INTO launches(run_id, rank, launch, device,"
                            " kernel_id) VALUES(?, ?, ?, ?, ?)"
                            " ON CONFLICT(run_id, rank, launch, device, kernel_id)"
                            " DO UPDATE SET device = excluded.device"
                            " RETURNING launch_id",
                            "IIIII", metric->run_id, (uint64_t)metric->rank,
                            metric->launch, (uint64_t)metric->device, kernel_id),
                    &last->launch_id, err) < 0)
        return -1;
    last->run_id = metric->run_id;
    last->rank = metric->rank;
    last->launch = metric->launch;
    last->device = metric->device;
    last->kernel_id = kernel_id;
    return 0;
}

int store_metric_add(struct store *store,
                     const struct store_metric *metric,
                     struct err *err)
{
    uint64_t kernel_id, metric_id;

    if (db_begin(&store->db, err) < 0 ||
        find_kernel(store, metric->kernel ? metric->kernel : "", &kernel_id, err) < 0 ||
        find_metric(store, metric->metric, metric->unit ? metric->unit : "", &metric_id,
                    err) < 0 ||
        find_launch(store, metric, kernel_id, err) < 0 ||
        db_change(&store->db, err,
                  "INSERT OR REPLACE INTO figures(launch_id, metric_id, value)"
                  " VALUES(?, ?, ?)",
                  "IID", store->last_launch.launch_id, metric_id, metric->value) < 0)
        return err_wrap(err, "adding metric %s", metric->metric);
    return 0;
}

void store_forget_launch(struct store *store)
{
    store->last_launch = (struct last_launch){0};
}

void store_forget_names(struct store *store)
{
    store_forget_launch(store);
    map_destroy(store->kernel_ids);
    map_destroy(store->metric_ids);
    store->kernel_ids = map_create();
    store->metric_ids = map_create();
}
