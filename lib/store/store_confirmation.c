#include "lib/store/store_confirmation.h"

#include <math.h>

#include "lib/store/store_internal.h"

int store_confirmation_add(struct store *store,
                           const struct store_confirmation *confirmation,
                           struct err *err)
{
    return db_change(&store->db, err,
                     "INSERT INTO confirmations(job_id, confirms_job_id, base_job_id,"
                     " tolerance, until_wall_ms, judged) VALUES(?, ?, ?, ?, ?, 0)",
                     "IIIDI", confirmation->job_id, confirmation->confirms_job_id,
                     confirmation->base_job_id, confirmation->tolerance,
                     confirmation->until_wall_ms);
}

int store_confirmation_set_judged(struct store *store, uint64_t job_id, struct err *err)
{
    if (db_change(&store->db, err,
                  "UPDATE confirmations SET judged = 1 WHERE job_id = ?", "I",
                  job_id) < 0)
        return -1;
    return MUST_HIT(store, err, "confirmation", job_id);
}

int store_each_confirmation(struct store *store,
                            uint64_t job_id,
                            store_confirmation_fn *fn,
                            void *arg,
                            struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT job_id, confirms_job_id, base_job_id, tolerance, until_wall_ms,"
        " judged FROM confirmations WHERE job_id = ?1 OR (?1 = 0 AND judged = 0)"
        " ORDER BY job_id",
        "I", job_id);
    int got = stmt ? 1 : -1;

    while (got > 0 && (got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_confirmation confirmation = {
            .job_id = col_u64(stmt, 0),
            .confirms_job_id = col_u64(stmt, 1),
            .base_job_id = col_u64(stmt, 2),
            .tolerance = sqlite3_column_double(stmt, 3),
            .until_wall_ms = col_u64(stmt, 4),
            .judged = col_i32(stmt, 5) != 0,
        };

        if (fn(&confirmation, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_suspect_put(struct store *store,
                      const struct store_suspect *suspect,
                      struct err *err)
{
    return db_change(
        &store->db, err,
        "INSERT OR REPLACE INTO suspects(job_id, number, point, kernel, metric, rank,"
        " card, place, neighbour_place, other_place, night_h, night_w, nights,"
        " same_program, cause, also, reason,"
        " code, code_shift, neighbour_code, neighbour_code_shift, other_code,"
        " other_code_shift, drift, drift_shift, neighbour_drift, neighbour_drift_shift,"
        " other_drift, other_drift_shift, slow_card, slow_peer)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, ?, ?, ?, ?, ?, ?, ?)",
        "IITTTITTTTDDIiTTTTDTDTDTDTDTDTT", suspect->job_id, (uint64_t)suspect->number,
        suspect->point, suspect->kernel, suspect->metric, (uint64_t)suspect->rank,
        suspect->card, suspect->places[0], suspect->places[1], suspect->places[2],
        suspect->night_h, suspect->night_w, suspect->nights, (int)suspect->same_program,
        suspect->cause, suspect->also, suspect->reason, suspect->code[0],
        suspect->code_shift[0], suspect->code[1], suspect->code_shift[1],
        suspect->code[2], suspect->code_shift[2], suspect->drift[0],
        suspect->drift_shift[0], suspect->drift[1], suspect->drift_shift[1],
        suspect->drift[2], suspect->drift_shift[2], suspect->slow_card,
        suspect->slow_peer);
}

static double number_or_nan(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(stmt, column);
}

int store_each_suspect(struct store *store,
                       uint64_t job_id,
                       store_suspect_fn *fn,
                       void *arg,
                       struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT number, point, kernel, metric, rank, card, place, neighbour_place,"
        " other_place, night_h, night_w, nights, same_program, cause, also, reason,"
        " code, code_shift, neighbour_code, neighbour_code_shift, other_code,"
        " other_code_shift, drift, drift_shift, neighbour_drift, neighbour_drift_shift,"
        " other_drift, other_drift_shift, slow_card, slow_peer FROM suspects"
        " WHERE job_id = ? ORDER BY number",
        "I", job_id);
    int got = stmt ? 1 : -1;

    while (got > 0 && (got = db_step(&store->db, stmt, err)) > 0) {
        struct store_suspect suspect = {
            .job_id = job_id,
            .number = col_u32(stmt, 0),
            .point = col_text(stmt, 1),
            .kernel = col_text(stmt, 2),
            .metric = col_text(stmt, 3),
            .rank = col_u32(stmt, 4),
            .card = col_text(stmt, 5),
            .night_h = sqlite3_column_double(stmt, 9),
            .night_w = sqlite3_column_double(stmt, 10),
            .nights = col_u64(stmt, 11),
            .same_program = col_i32(stmt, 12) != 0,
            .cause = col_text(stmt, 13),
            .also = col_text(stmt, 14),
            .reason = col_text(stmt, 15),
            .slow_card = col_text(stmt, 28),
            .slow_peer = col_text(stmt, 29),
        };

        for (int i = 0; i < STORE_SUSPECT_CARDS; i++) {
            suspect.places[i] = col_text(stmt, 6 + i);
            suspect.code[i] = col_text(stmt, 16 + 2 * i);
            suspect.code_shift[i] = number_or_nan(stmt, 17 + 2 * i);
            suspect.drift[i] = col_text(stmt, 22 + 2 * i);
            suspect.drift_shift[i] = number_or_nan(stmt, 23 + 2 * i);
        }
        if (fn(&suspect, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

/* The last condition of the statement selects metrics. */
#define FIGURES_OF_POINT(metrics)                                                      \
    "SELECT t.repeat, r.rank, r.host, r.serial, ifnull(r.card, -1), f.value,"          \
    " ifnull(l.tick_ns, 0), n.unit, l.code_hash, n.name FROM tasks t"                  \
    " JOIN ranks r ON r.run_id = t.accepted_run_id"                                    \
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"                      \
    " JOIN kernels k ON k.kernel_id = l.kernel_id"                                     \
    " JOIN figures f ON f.launch_id = l.launch_id"                                     \
    " JOIN metric_names n ON n.metric_id = f.metric_id"                                \
    " WHERE t.job_id = ? AND t.point = ? AND t.state = 'done' AND k.name = ?"          \
    " AND " metrics " AND f.value IS NOT NULL"                                         \
    " ORDER BY t.repeat, r.rank, l.launch"

static int each_figure(struct store *store,
                       sqlite3_stmt *stmt,
                       store_point_figure_fn *fn,
                       void *arg,
                       struct err *err)
{
    int got = stmt ? 1 : -1;

    while (got > 0 && (got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_point_figure figure = {
            .repeat = col_u32(stmt, 0),
            .rank = col_u32(stmt, 1),
            .host = col_text(stmt, 2),
            .serial = col_text(stmt, 3),
            .card = col_i32(stmt, 4),
            .value = sqlite3_column_double(stmt, 5),
            .tick_ns = sqlite3_column_double(stmt, 6),
            .unit = col_text(stmt, 7),
            .code_hash = col_text(stmt, 8),
            .metric = col_text(stmt, 9),
        };

        if (fn(&figure, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_point_figure(struct store *store,
                            uint64_t job_id,
                            uint64_t point,
                            const char *kernel,
                            const char *metric,
                            store_point_figure_fn *fn,
                            void *arg,
                            struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err, FIGURES_OF_POINT("n.name = ?"),
                                 "IITT", job_id, point, kernel, metric);

    return each_figure(store, stmt, fn, arg, err);
}

int store_each_rank_figure(struct store *store,
                           uint64_t job_id,
                           uint64_t point,
                           const char *kernel,
                           store_point_figure_fn *fn,
                           void *arg,
                           struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                FIGURES_OF_POINT("(n.name = 'compute_us' OR n.name GLOB "
                                 "'transfer_us_rank_*')"),
                "IIT", job_id, point, kernel);

    return each_figure(store, stmt, fn, arg, err);
}
