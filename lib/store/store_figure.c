#include <stdio.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/store/store_internal.h"

/* Metrics get the next number at their first figure. A map keeps the numbers, because
 * each figure needs one. */
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
    if (store_read_number(
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

int store_metric_add(struct store *store,
                     const struct store_metric *metric,
                     struct err *err)
{
    const struct store_launch launch = {.run_id = metric->run_id,
                                        .rank = metric->rank,
                                        .launch = metric->launch,
                                        .kernel = metric->kernel,
                                        .device = metric->device};
    uint64_t launch_id, metric_id;

    if (db_begin(&store->db, err) < 0 ||
        find_metric(store, metric->metric, metric->unit ? metric->unit : "", &metric_id,
                    err) < 0 ||
        store_find_launch(store, &launch, &launch_id, err) < 0 ||
        db_change(&store->db, err,
                  "INSERT OR REPLACE INTO figures(launch_id, metric_id, value)"
                  " VALUES(?, ?, ?)",
                  "IID", launch_id, metric_id, metric->value) < 0)
        return err_wrap(err, "adding metric %s", metric->metric);
    return 0;
}
