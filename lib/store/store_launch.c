/* store_launch.c - launches, their names and their replays */
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/store/store_internal.h"

int store_read_number(struct store *store,
                      sqlite3_stmt *stmt,
                      uint64_t *number,
                      struct err *err)
{
    int got = stmt ? db_step(&store->db, stmt, err) : -1;

    if (got > 0) {
        *number = col_u64(stmt, 0);
        sqlite3_reset(stmt);
    }
    return got > 0 ? 0 : -1;
}

/* Kernels get the next number at their first launch. A map keeps the numbers, because
 * each figure needs one. */
static int
find_kernel(struct store *store, const char *name, uint64_t *number, struct err *err)
{
    void *known = map_get(store->kernel_ids, name);

    if (known) {
        *number = (uintptr_t)known;
        return 0;
    }
    if (store_read_number(
            store,
            db_bind(&store->db, err,
                    "INSERT INTO kernels(name) VALUES(?)"
                    " ON CONFLICT(name) DO UPDATE SET name = excluded.name"
                    " RETURNING kernel_id",
                    "T", name),
            number, err) < 0)
        return -1;
    map_put(store->kernel_ids, name, (void *)(uintptr_t)*number);
    return 0;
}

/* The figures of a launch arrive one after the other, so the last launch is kept. */
int store_find_launch(struct store *store,
                      const struct store_launch *launch,
                      uint64_t *launch_id,
                      struct err *err)
{
    struct last_launch *last = &store->last_launch;
    uint64_t kernel_id;

    if (find_kernel(store, launch->kernel ? launch->kernel : "", &kernel_id, err) < 0)
        return -1;
    if (!last->launch_id || last->run_id != launch->run_id ||
        last->rank != launch->rank || last->launch != launch->launch ||
        last->device != launch->device || last->kernel_id != kernel_id) {
        last->launch_id = 0;
        if (store_read_number(store,
                              db_bind(&store->db, err,
                                      "INSERT INTO launches(run_id, rank, launch,"
                                      " device, kernel_id) VALUES(?, ?, ?, ?, ?)"
                                      " ON CONFLICT(run_id, rank, launch, device,"
                                      " kernel_id) DO UPDATE SET device ="
                                      " excluded.device RETURNING launch_id",
                                      "IIIII", launch->run_id, (uint64_t)launch->rank,
                                      launch->launch, (uint64_t)launch->device,
                                      kernel_id),
                              &last->launch_id, err) < 0)
            return -1;
        last->run_id = launch->run_id;
        last->rank = launch->rank;
        last->launch = launch->launch;
        last->device = launch->device;
        last->kernel_id = kernel_id;
    }
    *launch_id = last->launch_id;
    return 0;
}

void store_forget_launch(struct store *store)
{
    store->last_launch = (struct last_launch){0};
}

void store_forget_names(struct store *store)
{
    store_forget_launch(store);
    map_destroy(store->kernel_ids);
    map_destroy(store->metric_ids);
    store->kernel_ids = map_create();
    store->metric_ids = map_create();
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

int store_launch_put(struct store *store,
                     const struct store_launch *launch,
                     struct err *err)
{
    uint64_t launch_id;

    if (db_begin(&store->db, err) < 0 ||
        store_find_launch(store, launch, &launch_id, err) < 0 ||
        db_change(&store->db, err,
                  "UPDATE launches SET code_hash = ?, tick_ns = nullif(?, 0.0),"
                  " group_found = ?, restored = ?, advice = ?, notes = ?"
                  " WHERE launch_id = ?",
                  "TDTTTTI", launch->code_hash, launch->tick_ns,
                  text_of(launch->group_found), text_of(launch->restored),
                  text_of(launch->advice), text_of(launch->notes), launch_id) < 0)
        return err_wrap(err, "writing launch %llu of run_id %llu",
                        (unsigned long long)launch->launch,
                        (unsigned long long)launch->run_id);
    return 0;
}

int store_each_launch(struct store *store,
                      uint64_t job_id,
                      store_launch_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err,
                "SELECT l.run_id, l.rank, l.launch, k.name, l.device, l.code_hash,"
                " ifnull(l.tick_ns, 0), t.job_id, t.point, p.text, t.repeat,"
                " l.group_found, l.restored, l.advice, l.notes"
                " FROM tasks t JOIN launches l ON l.run_id = t.accepted_run_id"
                " JOIN kernels k ON k.kernel_id = l.kernel_id"
                " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"
                " WHERE t.job_id = ? ORDER BY t.place, l.rank, l.launch, l.launch_id",
                "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_launch launch = {
            .run_id = col_u64(stmt, 0),
            .rank = col_u32(stmt, 1),
            .launch = col_u64(stmt, 2),
            .kernel = col_text(stmt, 3),
            .device = col_u32(stmt, 4),
            .code_hash = col_text(stmt, 5),
            .tick_ns = sqlite3_column_double(stmt, 6),
            .job_id = col_u64(stmt, 7),
            .point = col_u64(stmt, 8),
            .point_text = col_text(stmt, 9),
            .repeat = col_u32(stmt, 10),
            .group_found = col_text(stmt, 11),
            .restored = col_text(stmt, 12),
            .advice = col_text(stmt, 13),
            .notes = col_text(stmt, 14),
        };

        if (fn(&launch, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_kernel_way(struct store *store,
                          uint64_t job_id,
                          store_kernel_way_fn *fn,
                          void *arg,
                          struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT k.name, l.group_found, l.restored, count(*) FROM tasks t"
        " JOIN launches l ON l.run_id = t.accepted_run_id"
        " JOIN kernels k ON k.kernel_id = l.kernel_id"
        " WHERE t.job_id = ? AND l.group_found != ''"
        " GROUP BY l.kernel_id, l.group_found, l.restored ORDER BY k.name, 2, 3",
        "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_kernel_way way = {.kernel = col_text(stmt, 0),
                                             .group_found = col_text(stmt, 1),
                                             .restored = col_text(stmt, 2),
                                             .launches = col_u64(stmt, 3)};

        if (fn(&way, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

/* Selects the lines of a column of launches, by point and kernel. */
#define EACH_LINES(column)                                                             \
    "SELECT t.point, p.text, k.name, " column ", count(*) FROM tasks t"                \
    " JOIN launches l ON l.run_id = t.accepted_run_id"                                 \
    " JOIN kernels k ON k.kernel_id = l.kernel_id"                                     \
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"                 \
    " WHERE t.job_id = ? AND " column " != ''"                                         \
    " GROUP BY t.point, l.kernel_id, " column " ORDER BY t.point, k.name, 4"

static int each_lines(struct store *store,
                      const char *sql,
                      uint64_t job_id,
                      store_advice_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err, sql, "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_advice advice = {.point = col_u64(stmt, 0),
                                            .point_text = col_text(stmt, 1),
                                            .kernel = col_text(stmt, 2),
                                            .lines = col_text(stmt, 3),
                                            .launches = col_u64(stmt, 4)};

        if (fn(&advice, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_advice(struct store *store,
                      uint64_t job_id,
                      store_advice_fn *fn,
                      void *arg,
                      struct err *err)
{
    return each_lines(store, EACH_LINES("l.advice"), job_id, fn, arg, err);
}

int store_each_note(struct store *store,
                    uint64_t job_id,
                    store_advice_fn *fn,
                    void *arg,
                    struct err *err)
{
    return each_lines(store, EACH_LINES("l.notes"), job_id, fn, arg, err);
}

int store_replay_add(struct store *store,
                     const struct store_replay *replay,
                     struct err *err)
{
    const struct store_launch launch = {.run_id = replay->run_id,
                                        .rank = replay->rank,
                                        .launch = replay->launch,
                                        .kernel = replay->kernel,
                                        .device = replay->device};
    uint64_t launch_id;

    if (db_begin(&store->db, err) < 0 ||
        store_find_launch(store, &launch, &launch_id, err) < 0 ||
        db_change(&store->db, err,
                  "INSERT OR REPLACE INTO replays(launch_id, replay, pass, started_ns,"
                  " duration_ns, arrived_ns, released_ns, uncertainty_ns) VALUES(?, ?,"
                  " ?, nullif(?, -1), nullif(?, -1), nullif(?, -1), nullif(?, -1),"
                  " nullif(?, -1))",
                  "IIIIIIII", launch_id, (uint64_t)replay->replay,
                  (uint64_t)replay->pass, (uint64_t)replay->started_ns,
                  (uint64_t)replay->duration_ns, (uint64_t)replay->arrived_ns,
                  (uint64_t)replay->released_ns, (uint64_t)replay->uncertainty_ns) < 0)
        return err_wrap(err, "adding replay %u", replay->replay);
    return 0;
}

int store_each_replay(struct store *store,
                      uint64_t job_id,
                      store_replay_fn *fn,
                      void *arg,
                      struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT l.run_id, l.rank, l.launch, k.name, l.device, x.replay, x.pass,"
        " ifnull(x.started_ns, -1), ifnull(x.duration_ns, -1), ifnull(x.arrived_ns, "
        "-1),"
        " ifnull(x.released_ns, -1), ifnull(x.uncertainty_ns, -1), t.job_id, t.point,"
        " p.text, t.repeat"
        " FROM tasks t JOIN launches l ON l.run_id = t.accepted_run_id"
        " JOIN kernels k ON k.kernel_id = l.kernel_id"
        " JOIN replays x ON x.launch_id = l.launch_id"
        " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"
        " WHERE t.job_id = ? ORDER BY t.place, l.rank, l.launch, l.launch_id, x.replay",
        "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_replay replay = {
            .run_id = col_u64(stmt, 0),
            .rank = col_u32(stmt, 1),
            .launch = col_u64(stmt, 2),
            .kernel = col_text(stmt, 3),
            .device = col_u32(stmt, 4),
            .replay = col_u32(stmt, 5),
            .pass = col_u32(stmt, 6),
            .started_ns = sqlite3_column_int64(stmt, 7),
            .duration_ns = sqlite3_column_int64(stmt, 8),
            .arrived_ns = sqlite3_column_int64(stmt, 9),
            .released_ns = sqlite3_column_int64(stmt, 10),
            .uncertainty_ns = sqlite3_column_int64(stmt, 11),
            .job_id = col_u64(stmt, 12),
            .point = col_u64(stmt, 13),
            .point_text = col_text(stmt, 14),
            .repeat = col_u32(stmt, 15),
        };

        if (fn(&replay, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
