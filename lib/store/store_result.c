#include <math.h>

#include "lib/store/store_internal.h"

int store_metric_add(struct store *store,
                     const struct store_metric *metric,
                     struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT INTO metrics(run_id, rank, launch, kernel, device, metric,"
                  " value, unit, simulated) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  "IIITITDTi", metric->run_id, (uint64_t)metric->rank, metric->launch,
                  metric->kernel, (uint64_t)metric->device, metric->metric,
                  metric->value, metric->unit, (int)metric->simulated) < 0)
        return err_wrap(err, "adding metric %s", metric->metric);
    return 0;
}

int store_output_add(struct store *store,
                     uint64_t run_id,
                     uint32_t rank,
                     const char *path,
                     struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT OR IGNORE INTO outputs(run_id, rank, path) VALUES(?, ?, ?)",
                  "IIT", run_id, (uint64_t)rank, path) < 0)
        return err_wrap(err, "adding output %s", path);
    return 0;
}

int store_results_clear(struct store *store,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err)
{
    if (db_change(&store->db, err, "DELETE FROM metrics WHERE run_id = ? AND rank = ?",
                  "II", run_id, (uint64_t)rank) < 0)
        return -1;
    return db_change(&store->db, err,
                     "DELETE FROM outputs WHERE run_id = ? AND rank = ?", "II", run_id,
                     (uint64_t)rank);
}

static const char select_results[] =
    "SELECT t.job_id, t.task_id, t.point, p.text, t.repeat, a.attempt, r.run_id, "
    "r.rank,"
    " r.host, ifnull(r.card, -1), r.model, r.serial, m.launch, m.kernel, m.device,"
    " m.metric, m.value, m.unit, m.simulated FROM tasks t"
    " JOIN attempts a ON a.run_id = t.accepted_run_id"
    " JOIN ranks r ON r.run_id = a.run_id"
    " JOIN metrics m ON m.run_id = r.run_id AND m.rank = r.rank"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"
    " WHERE t.job_id = ? ORDER BY t.place, r.rank, m.launch, m.rowid";

int store_each_result(struct store *store,
                      uint64_t job_id,
                      store_result_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err, select_results, "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        /* SQLite stores NaN as NULL */
        bool is_number = sqlite3_column_type(stmt, 16) != SQLITE_NULL;
        struct store_result result = {
            .job_id = col_u64(stmt, 0),
            .task_id = col_u64(stmt, 1),
            .point = col_u64(stmt, 2),
            .point_text = col_text(stmt, 3),
            .repeat = col_u32(stmt, 4),
            .attempt = col_u32(stmt, 5),
            .run_id = col_u64(stmt, 6),
            .rank = col_u32(stmt, 7),
            .host = col_text(stmt, 8),
            .card = col_i32(stmt, 9),
            .model = col_text(stmt, 10),
            .serial = col_text(stmt, 11),
            .launch = col_u64(stmt, 12),
            .kernel = col_text(stmt, 13),
            .device = col_u32(stmt, 14),
            .metric = col_text(stmt, 15),
            .value = is_number ? sqlite3_column_double(stmt, 16) : NAN,
            .unit = col_text(stmt, 17),
            .simulated = col_i32(stmt, 18) != 0,
        };

        if (fn(&result, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_output(struct store *store,
                      uint64_t job_id,
                      store_output_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT o.run_id, o.rank, o.path FROM tasks t JOIN outputs o"
                " ON o.run_id = t.accepted_run_id WHERE t.job_id = ?"
                " ORDER BY t.place, o.rank, o.path",
                "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0)
        if (fn(col_u64(stmt, 0), col_u32(stmt, 1), col_text(stmt, 2), arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    return got;
}
