#include "lib/store/store_internal.h"

int store_attempt_add(struct store *store,
                      const struct store_attempt *attempt,
                      struct err *err)
{
    if (attempt->run_id == 0 || attempt->run_id > INT64_MAX)
        return err_set(err, ERR_INTERNAL, "run_id %llu is not from 1 to 2^63 - 1",
                       (unsigned long long)attempt->run_id);
    if (db_change(&store->db, err,
                  "INSERT INTO attempts(run_id, task_id, attempt, state, reason, host,"
                  " card, leased_wall_ms, started_wall_ms, ended_wall_ms, ranks)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  "IIITTTcIIII", attempt->run_id, attempt->task_id,
                  (uint64_t)attempt->attempt, attempt_state_name(attempt->state),
                  attempt->reason, attempt->host, (int)attempt->card,
                  attempt->leased_wall_ms, attempt->started_wall_ms,
                  attempt->ended_wall_ms, (uint64_t)attempt->ranks) < 0)
        return err_wrap(err, "adding attempt %u of task %llu", attempt->attempt,
                        (unsigned long long)attempt->task_id);
    return 0;
}

int store_attempt_move(struct store *store,
                       const struct store_attempt *attempt,
                       struct err *err)
{
    if (db_change(&store->db, err,
                  "UPDATE attempts SET state = ?, reason = ?, started_wall_ms = ?,"
                  " ended_wall_ms = ? WHERE run_id = ?",
                  "TTIII", attempt_state_name(attempt->state), attempt->reason,
                  attempt->started_wall_ms, attempt->ended_wall_ms,
                  attempt->run_id) < 0)
        return -1;
    return MUST_HIT(store, err, "attempt with run_id", attempt->run_id);
}

#define SELECT_ATTEMPTS                                                                \
    "SELECT run_id, a.task_id, attempt, a.state, a.reason, host, ifnull(a.card, -1),"  \
    " leased_wall_ms, started_wall_ms, ended_wall_ms, t.job_id, t.point, t.repeat,"    \
    " a.ranks"                                                                         \
    " FROM attempts a JOIN tasks t USING(task_id)"

#define ORDER_ATTEMPTS " ORDER BY t.job_id, t.place, attempt"

static int each_attempt(struct store *store,
                        sqlite3_stmt *stmt,
                        store_attempt_fn *fn,
                        void *arg,
                        struct err *err)
{
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_attempt attempt = {
            .run_id = col_u64(stmt, 0),
            .task_id = col_u64(stmt, 1),
            .attempt = col_u32(stmt, 2),
            .reason = col_text(stmt, 4),
            .host = col_text(stmt, 5),
            .card = col_i32(stmt, 6),
            .leased_wall_ms = col_u64(stmt, 7),
            .started_wall_ms = col_u64(stmt, 8),
            .ended_wall_ms = col_u64(stmt, 9),
            .job_id = col_u64(stmt, 10),
            .point = col_u64(stmt, 11),
            .repeat = col_u32(stmt, 12),
            .ranks = col_u32(stmt, 13),
        };

        if (!attempt_state_parse(col_text(stmt, 3), &attempt.state))
            got = err_set(err, ERR_STORE,
                          "attempt with run_id %llu has an unknown state; a newer "
                          "muster may have "
                          "written it",
                          (unsigned long long)attempt.run_id);
        if (got < 0 || fn(&attempt, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_attempt(struct store *store,
                       uint64_t job_id,
                       store_attempt_fn *fn,
                       void *arg,
                       struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err, SELECT_ATTEMPTS " WHERE t.job_id = ?" ORDER_ATTEMPTS,
                "I", job_id);

    return each_attempt(store, stmt, fn, arg, err);
}

int store_each_open_attempt(struct store *store,
                            store_attempt_fn *fn,
                            void *arg,
                            struct err *err)
{
    return each_attempt(
        store,
        db_bind(&store->db, err,
                SELECT_ATTEMPTS
                " WHERE t.job_id IN (SELECT job_id FROM jobs WHERE"
                " state IN ('waiting', 'running', 'parsing'))"
                " AND t.state IN ('waiting', 'leased', 'parsing')" ORDER_ATTEMPTS,
                ""),
        fn, arg, err);
}

int store_rank_card_add(struct store *store,
                        const struct store_rank_card *row,
                        struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT INTO rank_cards(run_id, rank, host, card) VALUES(?, ?, ?, ?)",
                  "IITi", row->run_id, (uint64_t)row->rank, row->host,
                  (int)row->card) < 0)
        return err_wrap(err, "adding the card of rank %u", row->rank);
    return 0;
}

int store_each_rank_card(struct store *store,
                         uint64_t run_id,
                         store_rank_card_fn *fn,
                         void *arg,
                         struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT run_id, rank, host, card FROM rank_cards"
                                 " WHERE run_id = ? ORDER BY rank",
                                 "I", run_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_rank_card row = {.run_id = col_u64(stmt, 0),
                                            .rank = col_u32(stmt, 1),
                                            .host = col_text(stmt, 2),
                                            .card = col_i32(stmt, 3)};

        if (fn(&row, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
