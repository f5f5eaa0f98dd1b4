#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
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

static int add_point_text(const struct store_point *point, void *arg, struct err *err)
{
    struct point_texts *texts = arg;
    size_t size = strlen(point->text) + 1;

    (void)err;
    if (texts->count == texts->room) {
        texts->room = texts->room ? 2 * texts->room : 64;
        texts->all = xreallocarray(texts->all, texts->room, sizeof(*texts->all));
    }
    while (texts->bytes_room - texts->length < size) {
        texts->bytes_room = texts->bytes_room ? 2 * texts->bytes_room : 4096;
        texts->bytes = xrealloc(texts->bytes, texts->bytes_room);
    }
    texts->all[texts->count++] = (struct point_text){point->point, texts->length};
    memcpy(texts->bytes + texts->length, point->text, size);
    texts->length += size;
    return 0;
}

int point_texts_read(struct point_texts *texts,
                     struct store *store,
                     uint64_t job_id,
                     struct err *err)
{
    *texts = (struct point_texts){0};
    return store_each_point(store, job_id, add_point_text, texts, err);
}

static int compare_points(const void *a, const void *b)
{
    uint64_t left = ((const struct point_text *)a)->point;
    uint64_t right = ((const struct point_text *)b)->point;

    return (left > right) - (left < right);
}

const char *point_texts_get(const struct point_texts *texts, uint64_t point)
{
    const struct point_text wanted = {.point = point}, *found = NULL;

    /* points are numbered from 0 without gaps, unless the store is damaged */
    if (point < texts->count && texts->all[point].point == point)
        found = &texts->all[point];
    else if (texts->count > 0)
        found =
            bsearch(&wanted, texts->all, texts->count, sizeof(wanted), compare_points);
    return found ? texts->bytes + found->offset : NULL;
}

void point_texts_clear(struct point_texts *texts)
{
    free(texts->all);
    free(texts->bytes);
    *texts = (struct point_texts){0};
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

#define COLUMNS_OF_TASK                                                                \
    "SELECT task_id, t.job_id, t.point, repeat, place, ifnull(card, -1), state,"       \
    " reason, attempts, ifnull(accepted_run_id, 0), retries_counted_from"

/* texts: NULL when column 11 has the text of the point. */
static int each_task(struct store *store,
                     sqlite3_stmt *stmt,
                     const struct point_texts *texts,
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
            .retries_counted_from = col_u32(stmt, 10),
        };

        task.point_text =
            texts ? point_texts_get(texts, task.point) : col_text(stmt, 11);
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
    struct point_texts texts = {0};
    sqlite3_stmt *snapshot = store_snapshot(store, err);
    int result = -1;

    if (snapshot && point_texts_read(&texts, store, job_id, err) == 0)
        result = each_task(store,
                           db_bind(&store->db, err,
                                   COLUMNS_OF_TASK " FROM tasks t WHERE t.job_id = ?"
                                                   " ORDER BY place",
                                   "I", job_id),
                           &texts, fn, arg, err);
    sqlite3_reset(snapshot);
    point_texts_clear(&texts);
    return result;
}

int store_each_open_task(struct store *store,
                         uint64_t job_id,
                         store_task_fn *fn,
                         void *arg,
                         struct err *err)
{
    return each_task(store,
                     db_bind(&store->db, err,
                             COLUMNS_OF_TASK
                             ", p.text FROM tasks t LEFT JOIN points p"
                             " ON p.job_id = t.job_id AND p.point = t.point"
                             " WHERE t.job_id IN (SELECT job_id FROM jobs WHERE"
                             " iif(?1, job_id = ?1,"
                             " state IN ('waiting', 'running', 'parsing')))"
                             " AND state <> 'done' ORDER BY t.job_id, place",
                             "I", job_id),
                     NULL, fn, arg, err);
}
