#include "lib/store/store_internal.h"

int store_rank_put(struct store *store, const struct store_rank *rank, struct err *err)
{
    if (db_change(
            &store->db, err,
            "INSERT INTO ranks(run_id, rank, host, card, model, serial, simulated,"
            " status, exit_code, signal, reason, injected, launches, groups,"
            " blocks, started_wall_ns, ended_wall_ns, parse_state, parse_error)"
            " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
            " ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
            " ON CONFLICT(run_id, rank) DO UPDATE SET host = ?3,"
            " card = ?4, model = ?5, serial = ?6, simulated = ?7,"
            " status = ?8, exit_code = ?9, signal = ?10, reason = ?11,"
            " injected = ?12, launches = ?13, groups = ?14, blocks = ?15,"
            " started_wall_ns = ?16, ended_wall_ns = ?17, parse_state = ?18,"
            " parse_error = ?19",
            "IITcTTiTiiTiIIIIITT", rank->run_id, (uint64_t)rank->rank, rank->host,
            (int)rank->card, rank->model, rank->serial, (int)rank->simulated,
            rank->status, (int)rank->exit_code, (int)rank->signal, rank->reason,
            (int)rank->injected, rank->launches, rank->groups, rank->blocks,
            rank->started_wall_ns, rank->ended_wall_ns,
            parse_state_name(rank->parse_state), rank->parse_error) < 0)
        return err_wrap(err, "writing rank %u of run_id %llu", rank->rank,
                        (unsigned long long)rank->run_id);
    return 0;
}

int store_rank_set_parse(struct store *store,
                         uint64_t run_id,
                         uint32_t rank,
                         enum parse_state state,
                         const char *error,
                         struct err *err)
{
    bool is_parsed = state == PARSE_DONE || state == PARSE_FAILED;
    uint32_t crc = 0;

    if (is_parsed && store_figures_crc(&crc, store, run_id, rank, err) < 0)
        return -1;
    if (db_change(&store->db, err,
                  "UPDATE ranks SET parse_state = ?, parse_error = ?,"
                  " figures_crc = iif(?, ?, NULL) WHERE run_id = ? AND rank = ?",
                  "TTiIII", parse_state_name(state), error, (int)is_parsed,
                  (uint64_t)crc, run_id, (uint64_t)rank) < 0)
        return -1;
    return MUST_HIT(store, err, "such rank of run_id", run_id);
}

int store_rank_set_environment(struct store *store,
                               uint64_t run_id,
                               uint32_t rank,
                               const struct store_environment *environment,
                               struct err *err)
{
    uint64_t environment_id;

    if (db_begin(&store->db, err) < 0 ||
        store_read_number(store,
                          db_bind(&store->db, err,
                                  "INSERT INTO environments(chip, hbm_maker, cann,"
                                  " driver, firmware, host_kernel, measurement)"
                                  " VALUES(?, ?, ?, ?, ?, ?, ?)"
                                  " ON CONFLICT DO UPDATE SET chip = excluded.chip"
                                  " RETURNING environment_id",
                                  "TITTTTT", environment->chip,
                                  (uint64_t)environment->hbm_maker, environment->cann,
                                  environment->driver, environment->firmware,
                                  environment->host_kernel, environment->measurement),
                          &environment_id, err) < 0 ||
        db_change(&store->db, err,
                  "UPDATE ranks SET environment_id = ? WHERE run_id = ? AND rank = ?",
                  "III", environment_id, run_id, (uint64_t)rank) < 0)
        return err_wrap(err, "writing the environment of rank %u of run_id %llu", rank,
                        (unsigned long long)run_id);
    return 0;
}

/* A place belongs to one task. SQLite needs no sorter only when the order names task_id
 * too. */
#define ORDER_OF_RANKS " ORDER BY t.job_id, t.place, t.task_id, a.attempt, rank"

#define COLUMNS_OF_ENVIRONMENT                                                         \
    "e.environment_id, e.chip, e.hbm_maker, e.cann, e.driver, e.firmware,"             \
    " e.host_kernel, e.measurement"

static struct store_environment read_environment(sqlite3_stmt *stmt, int first)
{
    return (struct store_environment){
        col_u64(stmt, first),      col_text(stmt, first + 1), col_u32(stmt, first + 2),
        col_text(stmt, first + 3), col_text(stmt, first + 4), col_text(stmt, first + 5),
        col_text(stmt, first + 6), col_text(stmt, first + 7)};
}

/* Column 24 is the first of the environment. */
static const char select_ranks[] =
    "SELECT r.run_id, rank, r.host, ifnull(r.card, -1), model, serial, simulated,"
    " status, exit_code, signal, r.reason, injected, launches, groups, blocks,"
    " started_wall_ns, ended_wall_ns, parse_state, parse_error, t.job_id, t.task_id,"
    " t.point, t.repeat, a.attempt, " COLUMNS_OF_ENVIRONMENT ", p.text,"
    " ifnull(t.accepted_run_id = r.run_id, 0), figures_crc"
    " FROM ranks r JOIN attempts a USING(run_id) JOIN tasks t USING(task_id)"
    " LEFT JOIN environments e ON e.environment_id = r.environment_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point"
    " WHERE t.job_id = ?" ORDER_OF_RANKS;

static void read_rank(struct store_rank *rank, sqlite3_stmt *stmt)
{
    *rank = (struct store_rank){
        .run_id = col_u64(stmt, 0),
        .rank = col_u32(stmt, 1),
        .host = col_text(stmt, 2),
        .card = col_i32(stmt, 3),
        .model = col_text(stmt, 4),
        .serial = col_text(stmt, 5),
        .simulated = col_i32(stmt, 6) != 0,
        .status = col_text(stmt, 7),
        .exit_code = col_i32(stmt, 8),
        .signal = col_i32(stmt, 9),
        .reason = col_text(stmt, 10),
        .injected = col_i32(stmt, 11) != 0,
        .launches = col_u64(stmt, 12),
        .groups = col_u64(stmt, 13),
        .blocks = col_u64(stmt, 14),
        .started_wall_ns = col_u64(stmt, 15),
        .ended_wall_ns = col_u64(stmt, 16),
        .parse_error = col_text(stmt, 18),
        .job_id = col_u64(stmt, 19),
        .task_id = col_u64(stmt, 20),
        .point = col_u64(stmt, 21),
        .repeat = col_u32(stmt, 22),
        .attempt = col_u32(stmt, 23),
        .environment = read_environment(stmt, 24),
        .point_text = col_text(stmt, 32),
        .accepted = col_i32(stmt, 33) != 0,
        .has_figures_crc = sqlite3_column_type(stmt, 34) != SQLITE_NULL,
        .figures_crc = col_u32(stmt, 34),
    };
}

int store_each_rank(struct store *store,
                    uint64_t job_id,
                    store_rank_fn *fn,
                    void *arg,
                    struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err, select_ranks, "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_rank rank;

        read_rank(&rank, stmt);
        if (!parse_state_parse(col_text(stmt, 17), &rank.parse_state))
            got = err_set(
                err, ERR_STORE,
                "rank %u of run_id %llu has an unknown parse state; a newer muster may "
                "have written it",
                rank.rank, (unsigned long long)rank.run_id);
        if (got < 0 || fn(&rank, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_rank_environment(struct store *store,
                                uint64_t job_id,
                                uint64_t most,
                                store_rank_fn *fn,
                                void *arg,
                                struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT r.host, ifnull(r.card, -1), serial, " COLUMNS_OF_ENVIRONMENT
        " FROM (SELECT DISTINCT r.host, r.card, serial, environment_id FROM tasks t"
        " JOIN ranks r ON r.run_id = t.accepted_run_id WHERE t.job_id = ? LIMIT ?) r"
        " JOIN environments e USING(environment_id)"
        " ORDER BY r.host, r.card, e.environment_id",
        "II", job_id, most ? most : (uint64_t)INT64_MAX);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_rank rank = {
            .job_id = job_id,
            .host = col_text(stmt, 0),
            .card = col_i32(stmt, 1),
            .serial = col_text(stmt, 2),
            .accepted = true,
            .environment = read_environment(stmt, 3),
        };

        if (fn(&rank, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_each_rank_time(struct store *store,
                         uint64_t job_id,
                         store_rank_time_fn *fn,
                         void *arg,
                         struct err *err)
{
    sqlite3_stmt *stmt = db_bind(
        &store->db, err,
        "SELECT t.point, t.repeat, a.attempt, started_wall_ns, ended_wall_ns,"
        " simulated, ifnull(t.accepted_run_id = r.run_id, 0), " COLUMNS_OF_ENVIRONMENT
        " FROM ranks r JOIN attempts a USING(run_id) JOIN tasks t USING(task_id)"
        " LEFT JOIN environments e ON e.environment_id = r.environment_id"
        " WHERE t.job_id = ?" ORDER_OF_RANKS,
        "I", job_id);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        struct store_rank_time time = {
            .point = col_u64(stmt, 0),
            .repeat = col_u32(stmt, 1),
            .attempt = col_u32(stmt, 2),
            .started_wall_ns = col_u64(stmt, 3),
            .ended_wall_ns = col_u64(stmt, 4),
            .simulated = col_i32(stmt, 5) != 0,
            .accepted = col_i32(stmt, 6) != 0,
            .environment = read_environment(stmt, 7),
        };

        if (fn(&time, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
