#include "lib/store/store_baseline.h"

#include "lib/store/store_internal.h"

static int step_one(struct store *store, sqlite3_stmt *stmt, struct err *err)
{
    return stmt ? db_step(&store->db, stmt, err) : -1;
}

int store_baseline_put(struct store *store,
                       struct store_baseline *baseline,
                       struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT INTO baselines(name, frozen, keep, user, set_wall_ms)"
                  " VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET"
                  " frozen = excluded.frozen, keep = excluded.keep,"
                  " user = excluded.user, set_wall_ms = excluded.set_wall_ms",
                  "TiITI", baseline->name, (int)baseline->frozen, baseline->keep,
                  baseline->user, baseline->set_wall_ms) < 0)
        return err_wrap(err, "setting baseline %s", baseline->name);

    sqlite3_stmt *stmt =
        db_bind(&store->db, err, "SELECT baseline_id FROM baselines WHERE name = ?",
                "T", baseline->name);
    if (step_one(store, stmt, err) <= 0)
        return -1;
    baseline->baseline_id = col_u64(stmt, 0);
    sqlite3_reset(stmt);
    return 0;
}

int store_baseline_delete(struct store *store, uint64_t baseline_id, struct err *err)
{
    if (db_change(&store->db, err, "DELETE FROM baselines WHERE baseline_id = ?", "I",
                  baseline_id) < 0)
        return -1;
    return MUST_HIT(store, err, "baseline", baseline_id);
}

int store_each_baseline(struct store *store,
                        const char *name,
                        store_baseline_fn *fn,
                        void *arg,
                        struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT baseline_id, name, frozen, keep, user, set_wall_ms"
                " FROM baselines WHERE ?1 = '' OR name = ?1 ORDER BY name",
                "T", name);
    int got;

    while ((got = step_one(store, stmt, err)) > 0) {
        const struct store_baseline baseline = {
            .baseline_id = col_u64(stmt, 0),
            .name = col_text(stmt, 1),
            .frozen = col_i32(stmt, 2),
            .keep = col_u64(stmt, 3),
            .user = col_text(stmt, 4),
            .set_wall_ms = col_u64(stmt, 5),
        };

        if (fn(&baseline, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_baseline_night_put(struct store *store,
                             const struct store_baseline_night *night,
                             struct err *err)
{
    return db_change(&store->db, err,
                     "INSERT OR REPLACE INTO baseline_jobs(baseline_id, job_id, passed,"
                     " reason, user, added_wall_ms, gated, equal_cells,"
                     " false_alarms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     "IIiTTIiII", night->baseline_id, night->job_id, (int)night->passed,
                     night->reason, night->user, night->added_wall_ms,
                     (int)night->gated, night->equal_cells, night->false_alarms);
}

int store_baseline_nights_delete(struct store *store,
                                 uint64_t baseline_id,
                                 struct err *err)
{
    return db_change(&store->db, err, "DELETE FROM baseline_jobs WHERE baseline_id = ?",
                     "I", baseline_id);
}

int store_each_baseline_night(struct store *store,
                              uint64_t baseline_id,
                              store_baseline_night_fn *fn,
                              void *arg,
                              struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT b.job_id, b.passed, b.reason, b.user, b.added_wall_ms, j.key,"
                " j.state, j.submitted_wall_ms, j.ended_wall_ms, b.gated,"
                " b.equal_cells, b.false_alarms"
                " FROM baseline_jobs b JOIN jobs j USING(job_id)"
                " WHERE b.baseline_id = ? ORDER BY b.job_id",
                "I", baseline_id);
    int got;

    while ((got = step_one(store, stmt, err)) > 0) {
        struct store_baseline_night night = {
            .baseline_id = baseline_id,
            .job_id = col_u64(stmt, 0),
            .passed = col_i32(stmt, 1),
            .reason = col_text(stmt, 2),
            .user = col_text(stmt, 3),
            .added_wall_ms = col_u64(stmt, 4),
            .key = col_text(stmt, 5),
            .submitted_wall_ms = col_u64(stmt, 7),
            .ended_wall_ms = col_u64(stmt, 8),
            .gated = col_i32(stmt, 9),
            .equal_cells = col_u64(stmt, 10),
            .false_alarms = col_u64(stmt, 11),
        };
        int result = 0;

        if (!job_state_parse(col_text(stmt, 6), &night.state))
            result = err_set(err, ERR_STORE,
                             "job %s has an unknown state; a newer muster may have "
                             "written it",
                             night.key);
        if (result < 0 || fn(&night, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_gate_finding_put(struct store *store,
                           const struct store_gate_finding *finding,
                           struct err *err)
{
    return db_change(&store->db, err,
                     "INSERT OR REPLACE INTO gate_findings(baseline_id, job_id,"
                     " finding, point) VALUES(?, ?, ?, ?)",
                     "IITT", finding->baseline_id, finding->job_id, finding->finding,
                     finding->point);
}

int store_gate_findings_delete(struct store *store,
                               uint64_t baseline_id,
                               uint64_t job_id,
                               struct err *err)
{
    return db_change(&store->db, err,
                     "DELETE FROM gate_findings WHERE baseline_id = ? AND job_id = ?",
                     "II", baseline_id, job_id);
}

int store_gate_finding_forget(struct store *store,
                              const struct store_gate_finding *finding,
                              struct err *err)
{
    return db_change(&store->db, err,
                     "DELETE FROM gate_findings WHERE baseline_id = ? AND finding = ?"
                     " AND point = ?",
                     "ITT", finding->baseline_id, finding->finding, finding->point);
}

int store_gate_finding_count(struct store *store,
                             const struct store_gate_finding *finding,
                             uint64_t nights,
                             uint64_t *count,
                             uint64_t *oldest_job_id,
                             struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT count(*), ifnull(min(job_id), 0) FROM gate_findings"
                " WHERE baseline_id = ?1 AND finding = ?2 AND point = ?3 AND job_id IN"
                " (SELECT job_id FROM baseline_jobs WHERE baseline_id = ?1 AND gated"
                " AND job_id <= ?4 ORDER BY job_id DESC LIMIT ?5)",
                "ITTII", finding->baseline_id, finding->finding, finding->point,
                finding->job_id, nights);

    if (step_one(store, stmt, err) <= 0)
        return -1;
    *count = col_u64(stmt, 0);
    *oldest_job_id = col_u64(stmt, 1);
    sqlite3_reset(stmt);
    return 0;
}

int store_baseline_split_put(struct store *store,
                             const struct store_baseline_split *split,
                             struct err *err)
{
    return db_change(
        &store->db, err,
        "INSERT OR REPLACE INTO baseline_splits(baseline_id, job_id, points,"
        " reason, user, added_wall_ms) VALUES(?, ?, ?, ?, ?, ?)",
        "IITTTI", split->baseline_id, split->job_id, split->points, split->reason,
        split->user, split->added_wall_ms);
}

int store_each_baseline_split(struct store *store,
                              uint64_t baseline_id,
                              store_baseline_split_fn *fn,
                              void *arg,
                              struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT s.job_id, s.points, s.reason, s.user, s.added_wall_ms, j.key"
                " FROM baseline_splits s LEFT JOIN jobs j USING(job_id)"
                " WHERE s.baseline_id = ? ORDER BY s.job_id, s.points",
                "I", baseline_id);
    int got;

    while ((got = step_one(store, stmt, err)) > 0) {
        const struct store_baseline_split split = {
            .baseline_id = baseline_id,
            .job_id = col_u64(stmt, 0),
            .points = col_text(stmt, 1),
            .reason = col_text(stmt, 2),
            .user = col_text(stmt, 3),
            .added_wall_ms = col_u64(stmt, 4),
            .key = col_text(stmt, 5),
        };

        if (fn(&split, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_quarantine_put(struct store *store,
                         const struct store_quarantine *quarantine,
                         struct err *err)
{
    return db_change(
        &store->db, err,
        "INSERT OR REPLACE INTO quarantines(baseline_id, points, reason, user,"
        " nights, added_wall_ms, after_job_id)"
        " VALUES(?, ?, ?, ?, ?, ?, (SELECT ifnull(max(job_id), 0) FROM jobs))",
        "ITTTII", quarantine->baseline_id, quarantine->points, quarantine->reason,
        quarantine->user, quarantine->nights, quarantine->added_wall_ms);
}

int store_quarantine_delete(struct store *store,
                            uint64_t baseline_id,
                            const char *points,
                            struct err *err)
{
    if (db_change(&store->db, err,
                  "DELETE FROM quarantines WHERE baseline_id = ? AND points = ?", "IT",
                  baseline_id, points) < 0)
        return -1;
    return db_changes(&store->db)
               ? 0
               : err_set(err, ERR_NOT_FOUND, "there is no quarantine of '%s'", points);
}

int store_each_quarantine(struct store *store,
                          uint64_t baseline_id,
                          store_quarantine_fn *fn,
                          void *arg,
                          struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT q.points, q.reason, q.user, q.after_job_id, q.nights, q.added_wall_ms,"
        " max(0, q.nights - (SELECT count(*) FROM baseline_jobs b"
        " WHERE b.baseline_id = q.baseline_id AND b.job_id > q.after_job_id))"
        " FROM quarantines q WHERE q.baseline_id = ? ORDER BY q.points",
        "I", baseline_id);
    int got;

    while ((got = step_one(store, stmt, err)) > 0) {
        const struct store_quarantine quarantine = {
            .baseline_id = baseline_id,
            .points = col_text(stmt, 0),
            .reason = col_text(stmt, 1),
            .user = col_text(stmt, 2),
            .after_job_id = col_u64(stmt, 3),
            .nights = col_u64(stmt, 4),
            .added_wall_ms = col_u64(stmt, 5),
            .nights_left = col_u64(stmt, 6),
        };

        if (fn(&quarantine, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
