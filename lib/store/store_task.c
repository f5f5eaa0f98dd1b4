#include "lib/store/store_internal.h"

#define INSERT_POINTS "INSERT INTO points(job_id, point, text, values_json) VALUES"
#define POINT_ROW     "(?, ?, ?, ?)"
enum { POINT_COLUMNS = 4 };

static const char insert_point[] = INSERT_POINTS POINT_ROW;
static const char insert_points[] = INSERT_POINTS SIXTEEN(POINT_ROW);

static int put_points(struct store *store,
                      const char *sql,
                      const struct store_point *points,
                      size_t count,
                      struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(&store->db, sql, err);

    if (!stmt)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (db_bind_from(&store->db, stmt, 1 + (int)i * POINT_COLUMNS, err, "IITT",
                         points[i].job_id, points[i].point, points[i].text,
                         points[i].values_json) < 0)
            return -1;
    return db_step(&store->db, stmt, err) < 0 ? -1 : 0;
}

int store_points_add(struct store *store,
                     const struct store_point *points,
                     size_t count,
                     struct err *err)
{
    int result = db_begin(&store->db, err);

    for (; result == 0 && count >= STORE_ROWS;
         points += STORE_ROWS, count -= STORE_ROWS)
        result = put_points(store, insert_points, points, STORE_ROWS, err);
    for (; result == 0 && count > 0; points++, count--)
        result = put_points(store, insert_point, points, 1, err);
    return result < 0 ? err_wrap(err, "adding points") : 0;
}

int store_each_point(struct store *store,
                     uint64_t job_id,
                     store_point_fn *fn,
                     void *arg,
                     struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT job_id, point, text, values_json FROM points"
                                 " WHERE job_id = ? ORDER BY point",
                                 "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_point point = {.job_id = col_u64(stmt, 0),
                                    .point = col_u64(stmt, 1),
                                    .text = col_text(stmt, 2),
                                    .values_json = col_text(stmt, 3)};

        if (fn(&point, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

#define INSERT_TASKS                                                                   \
    "INSERT INTO tasks(job_id, point, repeat, place, card, state, reason, attempts,"   \
    " accepted_run_id) VALUES"
#define TASK_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
enum { TASK_COLUMNS = 9 };

static const char insert_task[] = INSERT_TASKS TASK_ROW;
static const char insert_tasks[] = INSERT_TASKS SIXTEEN(TASK_ROW);

static int put_tasks(struct store *store,
                     const char *sql,
                     struct store_task *tasks,
                     size_t count,
                     struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(&store->db, sql, err);

    if (!stmt)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (db_bind_from(&store->db, stmt, 1 + (int)i * TASK_COLUMNS, err, "IIIIcTTIO",
                         tasks[i].job_id, tasks[i].point, (uint64_t)tasks[i].repeat,
                         tasks[i].place, (int)tasks[i].card,
                         task_state_name(tasks[i].state), tasks[i].reason,
                         (uint64_t)tasks[i].attempts, tasks[i].accepted_run_id) < 0)
            return -1;
    if (db_step(&store->db, stmt, err) < 0)
        return -1;
    uint64_t last = (uint64_t)sqlite3_last_insert_rowid(store->db.handle);
    for (size_t i = 0; i < count; i++)
        tasks[i].task_id = last - (count - 1 - i);
    return 0;
}

int store_tasks_add(struct store *store,
                    struct store_task *tasks,
                    size_t count,
                    struct err *err)
{
    int result = db_begin(&store->db, err);

    for (; result == 0 && count >= STORE_ROWS; tasks += STORE_ROWS, count -= STORE_ROWS)
        result = put_tasks(store, insert_tasks, tasks, STORE_ROWS, err);
    for (; result == 0 && count > 0; tasks++, count--)
        result = put_tasks(store, insert_task, tasks, 1, err);
    return result < 0 ? err_wrap(err, "adding tasks") : 0;
}

int store_task_move(struct store *store, const struct store_task *task, struct err *err)
{
    if (db_change(&store->db, err,
                  "UPDATE tasks SET state = ?, reason = ?, attempts = ?,"
                  " retries_counted_from = ?,"
                  " accepted_run_id = ? WHERE task_id = ?",
                  "TTIIOI", task_state_name(task->state), task->reason,
                  (uint64_t)task->attempts, (uint64_t)task->retries_counted_from,
                  task->accepted_run_id, task->task_id) < 0)
        return -1;
    return MUST_HIT(store, err, "task", task->task_id);
}

#define SELECT_TASKS                                                                   \
    "SELECT task_id, t.job_id, t.point, repeat, place, ifnull(card, -1), state, "      \
    "reason,"                                                                          \
    " attempts, ifnull(accepted_run_id, 0), p.text, retries_counted_from FROM tasks t" \
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"

static int each_task(struct store *store,
                     sqlite3_stmt *stmt,
                     store_task_fn *fn,
                     void *arg,
                     struct err *err)
{
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_task task = {
            .task_id = col_u64(stmt, 0),
            .job_id = col_u64(stmt, 1),
            .point = col_u64(stmt, 2),
            .repeat = col_u32(stmt, 3),
            .place = col_u64(stmt, 4),
            .card = col_i32(stmt, 5),
            .reason = col_text(stmt, 7),
            .attempts = col_u32(stmt, 8),
            .accepted_run_id = col_u64(stmt, 9),
            .point_text = col_text(stmt, 10),
            .retries_counted_from = col_u32(stmt, 11),
        };

        if (!task_state_parse(col_text(stmt, 6), &task.state))
            got = err_set(
                err, ERR_STORE,
                "task %llu has an unknown state; a newer muster may have written it",
                (unsigned long long)task.task_id);
        if (got < 0 || fn(&task, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_task(struct store *store,
                    uint64_t job_id,
                    store_task_fn *fn,
                    void *arg,
                    struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err, SELECT_TASKS " WHERE t.job_id = ? ORDER BY place", "I",
                job_id);

    return each_task(store, stmt, fn, arg, err);
}

int store_each_open_task(struct store *store,
                         uint64_t job_id,
                         store_task_fn *fn,
                         void *arg,
                         struct err *err)
{
    return each_task(store,
                     db_bind(&store->db, err,
                             SELECT_TASKS
                             " WHERE t.job_id IN (SELECT job_id FROM jobs WHERE"
                             " iif(?1, job_id = ?1,"
                             " state IN ('waiting', 'running', 'parsing')))"
                             " AND state <> 'done' ORDER BY t.job_id, place",
                             "I", job_id),
                     fn, arg, err);
}
