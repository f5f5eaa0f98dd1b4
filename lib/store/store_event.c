#include "lib/store/store_internal.h"

int store_event_add(struct store *store,
                    const struct store_event *event,
                    struct err *err)
{
    return db_change(&store->db, err,
                     "INSERT INTO events(wall_ms, kind, job_id, task_id, run_id, text)"
                     " VALUES(?, ?, ?, ?, ?, ?)",
                     "ITOOOT", event->wall_ms, event->kind, event->job_id,
                     event->task_id, event->run_id, event->text);
}

#define SELECT_EVENTS                                                                  \
    "SELECT seq, wall_ms, kind, job_id, task_id, run_id, text FROM events"

static int each_event(struct store *store,
                      sqlite3_stmt *stmt,
                      store_event_fn *fn,
                      void *arg,
                      struct err *err)
{
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_event event = {
            .seq = col_u64(stmt, 0),
            .wall_ms = col_u64(stmt, 1),
            .kind = col_text(stmt, 2),
            .job_id = col_u64(stmt, 3),
            .task_id = col_u64(stmt, 4),
            .run_id = col_u64(stmt, 5),
            .text = col_text(stmt, 6),
        };

        if (fn(&event, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_event(struct store *store,
                     uint64_t job_id,
                     uint64_t after_seq,
                     store_event_fn *fn,
                     void *arg,
                     struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        SELECT_EVENTS " WHERE seq > ?2 AND (?1 = 0 OR job_id = ?1) ORDER BY seq", "II",
        job_id, after_seq);

    return each_event(store, stmt, fn, arg, err);
}

int store_each_gate_event(struct store *store,
                          uint64_t job_id,
                          store_event_fn *fn,
                          void *arg,
                          struct err *err)
{
    /* SQLite takes the index events_of_gates only for the same list of kinds. */
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                SELECT_EVENTS " WHERE kind IN ('gate.verdict', 'gate.suspect')"
                              " AND job_id = ? ORDER BY seq",
                "I", job_id);

    return each_event(store, stmt, fn, arg, err);
}

int store_last_event(struct store *store, uint64_t *seq, struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err, "SELECT ifnull(max(seq), 0) FROM events", "");
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got > 0)
        *seq = col_u64(stmt, 0);
    if (stmt)
        sqlite3_reset(stmt);
    return got < 0 ? -1 : 0;
}
