#include "lib/store/store_internal.h"

int store_drain_put(struct store *store,
                    const struct store_drain *drain,
                    struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT OR REPLACE INTO drains(host, card, reason, since_wall_ms)"
                  " VALUES(?, ?, ?, ?)",
                  "TiTI", drain->host, (int)drain->card, drain->reason,
                  drain->since_wall_ms) < 0)
        return err_wrap(err, "draining card %d of %s", drain->card, drain->host);
    return 0;
}

int store_drain_remove(struct store *store,
                       const char *host,
                       int32_t card,
                       struct err *err)
{
    return db_change(&store->db, err, "DELETE FROM drains WHERE host = ? AND card = ?",
                     "Ti", host, (int)card);
}

int store_each_drain(struct store *store,
                     store_drain_fn *fn,
                     void *arg,
                     struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT host, card, reason, since_wall_ms FROM drains"
                                 " ORDER BY host, card",
                                 "");
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_drain drain = {.host = col_text(stmt, 0),
                                          .card = col_i32(stmt, 1),
                                          .reason = col_text(stmt, 2),
                                          .since_wall_ms = col_u64(stmt, 3)};

        if (fn(&drain, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
