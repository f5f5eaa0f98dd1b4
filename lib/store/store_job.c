#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/store/store_internal.h"

static const char insert[] =
    "INSERT INTO jobs(job_id, key, name, yaml, file_name, folder, user, state, reason,"
    " submitted_wall_ms, started_wall_ms, ended_wall_ms, points_total, tasks_total,"
    " once, compare_against, compare_metric, compare_tolerance)"
    " VALUES(nullif(?, 0), '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

#define COLUMNS_OF_JOBS                                                                \
    "SELECT j.job_id, key, name, yaml, file_name, folder, user, j.state, j.reason,"    \
    " submitted_wall_ms, started_wall_ms, ended_wall_ms, points_total, tasks_total,"
#define SETTINGS_OF_JOBS                                                               \
    ", j.cancelled, compare_against, compare_metric, compare_tolerance FROM jobs j"

static const char select_jobs[] = COLUMNS_OF_JOBS
    " count(t.task_id) FILTER (WHERE t.state = 'waiting'),"
    " count(t.task_id) FILTER (WHERE t.state = 'leased'),"
    " count(t.task_id) FILTER (WHERE t.state = 'parsing'),"
    " count(t.task_id) FILTER (WHERE t.state = 'done'),"
    " count(t.task_id) FILTER (WHERE t.state = 'failed'),"
    " count(t.task_id) FILTER (WHERE t.state = 'cancelled')" SETTINGS_OF_JOBS
    " LEFT JOIN tasks t ON t.job_id = j.job_id"
    " WHERE ?1 = 0 OR j.job_id = ?1 GROUP BY j.job_id"
    " ORDER BY j.job_id";

static const char select_uncounted_jobs[] =
    COLUMNS_OF_JOBS " 0, 0, 0, 0, 0, 0" SETTINGS_OF_JOBS
                    " WHERE ?1 = 0 OR j.job_id = ?1 ORDER BY j.job_id";

int store_job_add(struct store *store, struct store_job *job, struct err *err)
{
    struct db *db = &store->db;

    if (db_change(db, err, insert, "ITTTTTTTIIIIITTTD", job->job_id, job->name,
                  job->yaml, job->file_name, job->folder, job->user,
                  job_state_name(job->state), job->reason, job->submitted_wall_ms,
                  job->started_wall_ms, job->ended_wall_ms, job->points_total,
                  job->tasks_total, job->once ? job->once : "", job->compare_against,
                  job->compare_metric, job->compare_tolerance) < 0)
        return err_wrap(err, "adding job %s", job->name);
    job->job_id = (uint64_t)sqlite3_last_insert_rowid(db->handle);
    return db_change(db, err,
                     "UPDATE jobs SET key = name || '-' || job_id WHERE job_id = ?",
                     "I", job->job_id);
}

int store_job_next_id(struct store *store, uint64_t *job_id, struct err *err)
{
    return store_read_number(store,
                             db_prepare(&store->db,
                                        "SELECT ifnull((SELECT seq FROM sqlite_sequence"
                                        " WHERE name = 'jobs'), 0) + 1",
                                        err),
                             job_id, err);
}

int store_job_set_state(struct store *store,
                        uint64_t job_id,
                        enum job_state state,
                        const char *reason,
                        uint64_t wall_ms,
                        struct err *err)
{
    uint64_t started = state == JOB_RUNNING ? wall_ms : 0;
    uint64_t ended = job_state_is_final(state) ? wall_ms : 0;

    if (db_change(&store->db, err,
                  "UPDATE jobs SET state = ?, reason = ?,"
                  " started_wall_ms = iif(started_wall_ms, started_wall_ms, ?),"
                  " ended_wall_ms = ? WHERE job_id = ?",
                  "TTIII", job_state_name(state), reason, started, ended, job_id) < 0)
        return -1;
    return MUST_HIT(store, err, "job", job_id);
}

int store_job_set_cancelled(struct store *store,
                            uint64_t job_id,
                            bool cancelled,
                            struct err *err)
{
    if (db_change(&store->db, err, "UPDATE jobs SET cancelled = ? WHERE job_id = ?",
                  "II", (uint64_t)cancelled, job_id) < 0)
        return -1;
    return MUST_HIT(store, err, "job", job_id);
}

static void read_job(struct store_job *job, sqlite3_stmt *stmt)
{
    *job = (struct store_job){
        .job_id = col_u64(stmt, 0),
        .key = col_text(stmt, 1),
        .name = col_text(stmt, 2),
        .yaml = col_text(stmt, 3),
        .file_name = col_text(stmt, 4),
        .folder = col_text(stmt, 5),
        .user = col_text(stmt, 6),
        .reason = col_text(stmt, 8),
        .submitted_wall_ms = col_u64(stmt, 9),
        .started_wall_ms = col_u64(stmt, 10),
        .ended_wall_ms = col_u64(stmt, 11),
        .points_total = col_u64(stmt, 12),
        .tasks_total = col_u64(stmt, 13),
        .tasks_waiting = col_u64(stmt, 14),
        .tasks_leased = col_u64(stmt, 15),
        .tasks_parsing = col_u64(stmt, 16),
        .tasks_done = col_u64(stmt, 17),
        .tasks_failed = col_u64(stmt, 18),
        .tasks_cancelled = col_u64(stmt, 19),
        .cancelled = col_u64(stmt, 20) != 0,
        .compare_against = col_text(stmt, 21),
        .compare_metric = col_text(stmt, 22),
        .compare_tolerance = sqlite3_column_double(stmt, 23),
    };
}

static int each_job(struct store *store,
                    sqlite3_stmt *stmt,
                    store_job_fn *fn,
                    void *arg,
                    struct err *err)
{
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_job job;

        read_job(&job, stmt);
        if (!job_state_parse(col_text(stmt, 7), &job.state))
            got = err_set(
                err, ERR_STORE,
                "job %s has an unknown state; a newer muster may have written it",
                job.key);
        if (got < 0 || fn(&job, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_job(struct store *store,
                   uint64_t job_id,
                   store_job_fn *fn,
                   void *arg,
                   struct err *err)
{
    return each_job(store, db_bind(&store->db, err, select_jobs, "I", job_id), fn, arg,
                    err);
}

int store_each_uncounted_job(struct store *store,
                             store_job_fn *fn,
                             void *arg,
                             struct err *err)
{
    return each_job(store,
                    db_bind(&store->db, err, select_uncounted_jobs, "I", (uint64_t)0),
                    fn, arg, err);
}

struct single_job {
    store_job_fn *fn;
    void *arg;
    bool found;
};

static int read_single(const struct store_job *job, void *arg, struct err *err)
{
    struct single_job *single = arg;

    single->found = true;
    return single->fn(job, single->arg, err);
}

static int read_job_by(struct store *store,
                       const char *select,
                       uint64_t job_id,
                       struct single_job *single,
                       struct err *err)
{
    if (job_id == 0) /* the statement would read all jobs */
        return err_set(err, ERR_NOT_FOUND, "there is no job 0; numbers begin at 1");
    if (each_job(store, db_bind(&store->db, err, select, "I", job_id), read_single,
                 single, err) < 0)
        return -1;
    return single->found ? 0
                         : err_set(err, ERR_NOT_FOUND, "there is no job %llu",
                                   (unsigned long long)job_id);
}

int store_job_read(struct store *store,
                   uint64_t job_id,
                   store_job_fn *fn,
                   void *arg,
                   struct err *err)
{
    struct single_job single = {.fn = fn, .arg = arg};

    return read_job_by(store, select_jobs, job_id, &single, err);
}

int store_uncounted_job_read(struct store *store,
                             uint64_t job_id,
                             store_job_fn *fn,
                             void *arg,
                             struct err *err)
{
    struct single_job single = {.fn = fn, .arg = arg};

    return read_job_by(store, select_uncounted_jobs, job_id, &single, err);
}

int store_job_key(char **key, struct store *store, uint64_t job_id, struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err, "SELECT key FROM jobs WHERE job_id = ?", "I", job_id);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got < 0)
        return -1;
    if (got == 0)
        return err_set(err, ERR_NOT_FOUND, "there is no job %llu",
                       (unsigned long long)job_id);
    *key = xstrdup(col_text(stmt, 0));
    sqlite3_reset(stmt);
    return 0;
}

int store_job_find(struct store *store,
                   const char *word,
                   struct store_found_job *found,
                   struct err *err)
{
    uint64_t number = 0;
    sqlite3_stmt *stmt;
    int got;

    *found = (struct store_found_job){0};
    num_parse_u64(word, &number);
    stmt = db_bind(&store->db, err,
                   "SELECT job_id, key, iif(how = 2, count(*) OVER (PARTITION BY how),"
                   " 1) FROM (SELECT job_id, key, CASE WHEN job_id = ?1"
                   " THEN 0 WHEN key = ?2 THEN 1 ELSE 2 END AS how FROM jobs"
                   " WHERE job_id = ?1 OR key = ?2 OR name = ?2)"
                   " ORDER BY how, job_id DESC LIMIT 1",
                   "IT", number, word);
    if (!stmt || (got = db_step(&store->db, stmt, err)) < 0)
        return -1;
    if (!got)
        return err_set(err, ERR_NOT_FOUND, "there is no job '%s'", word);
    *found = (struct store_found_job){col_u64(stmt, 0), xstrdup(col_text(stmt, 1)),
                                      col_u64(stmt, 2)};
    sqlite3_reset(stmt);
    return 0;
}

int store_job_find_once(struct store *store,
                        const char *user,
                        const char *once,
                        uint64_t *job_id,
                        struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT job_id FROM jobs WHERE user = ? AND once = ? AND once <> ''",
                "TT", user, once);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got < 0)
        return -1;
    *job_id = got ? col_u64(stmt, 0) : 0;
    sqlite3_reset(stmt);
    return 0;
}

int store_job_find_before(struct store *store,
                          const char *word,
                          uint64_t before,
                          uint64_t *job_id,
                          enum job_state *state,
                          struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT job_id, state FROM jobs WHERE job_id < ?1 AND"
                " (key = ?2 OR name = ?2) ORDER BY job_id DESC LIMIT 1",
                "IT", before, word);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got < 0)
        return -1;
    if (!got)
        return err_set(err, ERR_NOT_FOUND, "there is no job '%s'", word);
    *job_id = col_u64(stmt, 0);
    if (!job_state_parse(col_text(stmt, 1), state))
        got = err_set(err, ERR_STORE,
                      "job %s has an unknown state; a newer muster may have written it",
                      word);
    sqlite3_reset(stmt);
    return got < 0 ? -1 : 0;
}

int store_job_delete(struct store *store, uint64_t job_id, struct err *err)
{
    if (db_change(&store->db, err, "DELETE FROM jobs WHERE job_id = ?", "I", job_id) <
        0)
        return -1;
    return MUST_HIT(store, err, "job", job_id);
}

/* Removal of old jobs */

int store_prune_job(struct store *store,
                    const struct store_pruned *pruned,
                    struct err *err)
{
    store_forget_launch(store);
    if (db_change(&store->db, err,
                  "INSERT OR REPLACE INTO"
                  " pruned(job_id, key, keep_figures, files_removed, wall_ms)"
                  " VALUES(?, ?, ?, 0, ?)",
                  "ITiI", pruned->job_id, pruned->key, (int)pruned->keep_figures,
                  pruned->wall_ms) < 0)
        return -1;
    if (pruned->keep_figures)
        return db_change(&store->db, err,
                         "DELETE FROM outputs WHERE run_id IN (SELECT a.run_id FROM"
                         " attempts a JOIN tasks t ON t.task_id = a.task_id"
                         " WHERE t.job_id = ?)",
                         "I", pruned->job_id);
    if (db_change(&store->db, err, "DELETE FROM events WHERE job_id = ?", "I",
                  pruned->job_id) < 0)
        return -1;
    return db_change(&store->db, err, "DELETE FROM jobs WHERE job_id = ?", "I",
                     pruned->job_id);
}

int store_prune_finish(struct store *store,
                       const struct store_pruned *pruned,
                       struct err *err)
{
    return db_change(&store->db, err,
                     pruned->keep_figures
                         ? "UPDATE pruned SET files_removed = 1 WHERE job_id = ?"
                         : "DELETE FROM pruned WHERE job_id = ?",
                     "I", pruned->job_id);
}

int store_each_pruned(struct store *store,
                      store_pruned_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT job_id, key, keep_figures, files_removed, wall_ms FROM pruned"
                " ORDER BY job_id",
                "");
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_pruned pruned = {.job_id = col_u64(stmt, 0),
                                            .key = col_text(stmt, 1),
                                            .keep_figures = col_i32(stmt, 2) != 0,
                                            .files_removed = col_i32(stmt, 3) != 0,
                                            .wall_ms = col_u64(stmt, 4)};

        if (fn(&pruned, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

/* Sets *is to whether the query has a row. */
static int has_row(bool *is,
                   struct store *store,
                   const char *sql,
                   uint64_t job_id,
                   struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err, sql, "I", job_id);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got > 0)
        sqlite3_reset(stmt);
    *is = got > 0;
    return got < 0 ? -1 : 0;
}

int store_is_pruned(bool *pruned, struct store *store, uint64_t job_id, struct err *err)
{
    return has_row(pruned, store, "SELECT 1 FROM pruned WHERE job_id = ?", job_id, err);
}

int store_is_night(bool *is, struct store *store, uint64_t job_id, struct err *err)
{
    return has_row(is, store, "SELECT 1 FROM baseline_jobs WHERE job_id = ?", job_id,
                   err);
}
