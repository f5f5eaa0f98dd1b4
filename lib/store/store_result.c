#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store_internal.h"

enum { METRIC_NUMBER_MAX = 1000000 }; /* a larger number is damage */

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
    store_forget_launch(store);
    if (db_change(&store->db, err, "DELETE FROM launches WHERE run_id = ? AND rank = ?",
                  "II", run_id, (uint64_t)rank) < 0)
        return -1;
    return db_change(&store->db, err,
                     "DELETE FROM outputs WHERE run_id = ? AND rank = ?", "II", run_id,
                     (uint64_t)rank);
}

/* Names and units of the metrics, at the index of their numbers. */
struct metric_names {
    struct metric_name {
        char *name, *unit; /* NULL: no metric has this number */
        bool is_wanted;
    } * names;
    uint64_t count;
    size_t wanted; /* metrics that match the pattern, the first and the last of them */
    uint64_t first_wanted, last_wanted;
};

static void metric_names_clear(struct metric_names *list)
{
    for (uint64_t i = 0; i < list->count; i++) {
        free(list->names[i].name);
        free(list->names[i].unit);
    }
    free(list->names);
    *list = (struct metric_names){0};
}

/* The numbers are dense, because metrics are never deleted. */
static int metric_names_read(struct metric_names *list,
                             struct store *store,
                             const char *pattern,
                             struct err *err)
{
    sqlite3_stmt *stmt = db_prepare(
        &store->db, "SELECT metric_id, name, unit FROM metric_names ORDER BY metric_id",
        err);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        uint64_t number = col_u64(stmt, 0);

        if (number > METRIC_NUMBER_MAX) {
            sqlite3_reset(stmt);
            return err_set(err, ERR_STORE,
                           "metric_names: metric_id %llu is above %d; restore a backup",
                           (unsigned long long)number, METRIC_NUMBER_MAX);
        }
        list->names = xreallocarray(list->names, number + 1, sizeof(*list->names));
        while (list->count <= number)
            list->names[list->count++] = (struct metric_name){0};
        list->names[number].is_wanted = text_matches_any(col_text(stmt, 1), pattern);
        if (list->names[number].is_wanted) {
            if (list->wanted++ == 0)
                list->first_wanted = number;
            list->last_wanted = number;
        }
        list->names[number].name = xstrdup(col_text(stmt, 1));
        list->names[number].unit = xstrdup(col_text(stmt, 2));
    }
    return got;
}

#define COLUMNS_OF_LAUNCHES                                                            \
    "SELECT t.job_id, t.task_id, t.point, t.repeat, a.attempt, r.run_id,"              \
    " r.rank, r.host, ifnull(r.card, -1), r.model, r.serial, l.launch, k.name,"        \
    " l.device, r.simulated, l.launch_id, ifnull(l.tick_ns, 0)"
#define TABLES_OF_LAUNCHES                                                             \
    " FROM tasks t"                                                                    \
    " JOIN attempts a ON a.run_id = t.accepted_run_id"                                 \
    " JOIN ranks r ON r.run_id = a.run_id"                                             \
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"                      \
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
#define ORDER_OF_LAUNCHES                                                              \
    " WHERE t.job_id = ? ORDER BY t.place, r.rank, l.launch, l.launch_id"

/* The launches are sorted, and the figures of each launch are read one launch after the
 * other: sorting all figures with their texts takes five times as long. */
static const char select_launches[] =
    COLUMNS_OF_LAUNCHES TABLES_OF_LAUNCHES ORDER_OF_LAUNCHES;

/* One or two metrics are read by one statement, which takes less than one for the
 * launches and one for all figures of each. The indexes give the order within a task;
 * to ask for it would sort the rows of each task. */
#define FIGURES_OF_METRICS(condition)                                                  \
    COLUMNS_OF_LAUNCHES                                                                \
    ", f.metric_id, f.value" TABLES_OF_LAUNCHES                                        \
    " JOIN figures f ON f.launch_id = l.launch_id AND f.metric_id " condition          \
    " WHERE t.job_id = ? ORDER BY t.place"
static const char select_figures_of_one[] = FIGURES_OF_METRICS("= ?");
static const char select_figures_of_two[] = FIGURES_OF_METRICS("IN (?, ?)");

static struct store_result read_launch(sqlite3_stmt *stmt,
                                       const struct point_texts *texts)
{
    return (struct store_result){
        .job_id = col_u64(stmt, 0),
        .task_id = col_u64(stmt, 1),
        .point = col_u64(stmt, 2),
        .point_text = point_texts_get(texts, col_u64(stmt, 2)),
        .repeat = col_u32(stmt, 3),
        .attempt = col_u32(stmt, 4),
        .run_id = col_u64(stmt, 5),
        .rank = col_u32(stmt, 6),
        .host = col_text(stmt, 7),
        .card = col_i32(stmt, 8),
        .model = col_text(stmt, 9),
        .serial = col_text(stmt, 10),
        .launch = col_u64(stmt, 11),
        .kernel = col_text(stmt, 12),
        .device = col_u32(stmt, 13),
        .simulated = col_i32(stmt, 14) != 0,
        .tick_ns = sqlite3_column_double(stmt, 16),
    };
}

/* SQLite stores NaN as NULL. */
static double value_at(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(stmt, column);
}

static int each_figure(struct store *store,
                       const struct metric_names *list,
                       struct store_result *result,
                       uint64_t launch_id,
                       store_result_fn *fn,
                       void *arg,
                       struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT metric_id, value FROM figures"
                                 " WHERE launch_id = ? ORDER BY metric_id",
                                 "I", launch_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        uint64_t number = col_u64(stmt, 0);

        if (number >= list->count || !list->names[number].name) {
            got = err_set(err, ERR_STORE,
                          "figures: there is no metric_id %llu; restore a backup",
                          (unsigned long long)number);
        } else if (list->names[number].is_wanted) {
            result->metric = list->names[number].name;
            result->unit = list->names[number].unit;
            result->value = value_at(stmt, 1);
            got = fn(result, arg, err);
        }
        if (got < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

/* Calls fn for each figure of the launch that the statement is at. */
static int figures_of_launch(struct store *store,
                             const struct metric_names *list,
                             const struct point_texts *texts,
                             sqlite3_stmt *stmt,
                             store_result_fn *fn,
                             void *arg,
                             struct err *err)
{
    struct store_result result = read_launch(stmt, texts);
    const struct metric_name *name;

    if (list->wanted > 2)
        return each_figure(store, list, &result, col_u64(stmt, 15), fn, arg, err);
    name = &list->names[col_u64(stmt, 17)];
    result.metric = name->name;
    result.unit = name->unit;
    result.value = value_at(stmt, 18);
    return fn(&result, arg, err);
}

static int each_launch(struct store *store,
                       const struct metric_names *list,
                       const struct point_texts *texts,
                       uint64_t job_id,
                       store_result_fn *fn,
                       void *arg,
                       struct err *err)
{
    sqlite3_stmt *stmt =
        list->wanted == 1   ? db_bind(&store->db, err, select_figures_of_one, "II",
                                      list->first_wanted, job_id)
        : list->wanted == 2 ? db_bind(&store->db, err, select_figures_of_two, "III",
                                      list->first_wanted, list->last_wanted, job_id)
                            : db_bind(&store->db, err, select_launches, "I", job_id);
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    while (got > 0) {
        got = figures_of_launch(store, list, texts, stmt, fn, arg, err);
        if (got < 0)
            sqlite3_reset(stmt);
        else
            got = db_step(&store->db, stmt, err);
    }
    return got;
}

int store_each_result_of(struct store *store,
                         uint64_t job_id,
                         const char *metric,
                         store_result_fn *fn,
                         void *arg,
                         struct err *err)
{
    struct metric_names list = {0};
    struct point_texts texts = {0};
    sqlite3_stmt *snapshot = store_snapshot(store, err);
    int result = -1;

    if (snapshot && metric_names_read(&list, store, metric, err) >= 0)
        result = 0;
    if (result == 0 && list.wanted > 0)
        result = point_texts_read(&texts, store, job_id, err);
    if (result == 0 && list.wanted > 0)
        result = each_launch(store, &list, &texts, job_id, fn, arg, err);
    sqlite3_reset(snapshot);
    point_texts_clear(&texts);
    metric_names_clear(&list);
    return result;
}

int store_each_result(struct store *store,
                      uint64_t job_id,
                      store_result_fn *fn,
                      void *arg,
                      struct err *err)
{
    return store_each_result_of(store, job_id, "*", fn, arg, err);
}

static int each_output(struct store *store,
                       sqlite3_stmt *stmt,
                       store_output_fn *fn,
                       void *arg,
                       struct err *err)
{
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

    return each_output(store, stmt, fn, arg, err);
}

int store_each_run_output(struct store *store,
                          uint64_t run_id,
                          store_output_fn *fn,
                          void *arg,
                          struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT run_id, rank, path FROM outputs"
                                 " WHERE run_id = ? ORDER BY rank, path",
                                 "I", run_id);

    return each_output(store, stmt, fn, arg, err);
}

int store_each_output_after(struct store *store,
                            uint64_t job_id,
                            const struct store_output *after,
                            uint64_t point,
                            uint32_t limit,
                            store_placed_output_fn *fn,
                            void *arg,
                            struct err *err)
{
    struct store_output output;
    int got;
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT t.point, t.repeat, t.place, o.rank, o.path FROM tasks t JOIN outputs o"
        " ON o.run_id = t.accepted_run_id WHERE t.job_id = ?1 AND t.place >= ?2"
        " AND (t.place, o.rank, o.path) > (?2, ?3, ?4)"
        " AND (?6 = 0 OR t.point = ?6 - 1)"
        " ORDER BY t.place, o.rank, o.path LIMIT ?5",
        "IIiTiI", job_id, after->place, (int32_t)after->rank, after->path,
        (int32_t)limit, point);

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        output =
            (struct store_output){col_u64(stmt, 0), col_u32(stmt, 1), col_u64(stmt, 2),
                                  col_u32(stmt, 3), col_text(stmt, 4)};
        if (fn(&output, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
