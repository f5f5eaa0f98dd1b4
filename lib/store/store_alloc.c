#include "lib/store/store_internal.h"

int store_alloc_queue_add(struct store *store,
                          const struct store_alloc_queue *queue,
                          uint64_t *queue_id,
                          struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT INTO alloc_queues(name, resource, nodes, cards_per_node,"
                  " time_limit_ms, idle_ms, backlog, most, model, simulated, here,"
                  " paused, words, reason)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                  "TTIIIIIITiiiTT", queue->name, queue->resource, queue->nodes,
                  queue->cards_per_node, queue->time_limit_ms, queue->idle_ms,
                  queue->backlog, queue->most, queue->model, (int)queue->simulated,
                  (int)queue->here, (int)queue->paused, queue->words,
                  queue->reason) < 0)
        return err_wrap(err, "adding queue %s", queue->name);
    *queue_id = (uint64_t)sqlite3_last_insert_rowid(store->db.handle);
    return 0;
}

int store_alloc_queue_pause(struct store *store,
                            uint64_t queue_id,
                            bool paused,
                            const char *reason,
                            struct err *err)
{
    if (db_change(&store->db, err,
                  "UPDATE alloc_queues SET paused = ?, reason = ? WHERE queue_id = ?",
                  "iTI", (int)paused, reason, queue_id) < 0)
        return -1;
    return MUST_HIT(store, err, "queue", queue_id);
}

int store_alloc_queue_remove(struct store *store, uint64_t queue_id, struct err *err)
{
    if (db_change(&store->db, err, "DELETE FROM allocations WHERE queue_id = ?", "I",
                  queue_id) < 0 ||
        db_change(&store->db, err, "DELETE FROM alloc_queues WHERE queue_id = ?", "I",
                  queue_id) < 0)
        return -1;
    return MUST_HIT(store, err, "queue", queue_id);
}

int store_each_alloc_queue(struct store *store,
                           store_alloc_queue_fn *fn,
                           void *arg,
                           struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT queue_id, name, resource, nodes,"
                                 " cards_per_node, time_limit_ms, idle_ms, backlog,"
                                 " most, model, simulated, here, paused, words, reason"
                                 " FROM alloc_queues ORDER BY queue_id",
                                 "");
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_alloc_queue queue = {
            .queue_id = col_u64(stmt, 0),
            .name = col_text(stmt, 1),
            .resource = col_text(stmt, 2),
            .nodes = col_u64(stmt, 3),
            .cards_per_node = col_u64(stmt, 4),
            .time_limit_ms = col_u64(stmt, 5),
            .idle_ms = col_u64(stmt, 6),
            .backlog = col_u64(stmt, 7),
            .most = col_u64(stmt, 8),
            .model = col_text(stmt, 9),
            .simulated = col_i32(stmt, 10),
            .here = col_i32(stmt, 11),
            .paused = col_i32(stmt, 12),
            .words = col_text(stmt, 13),
            .reason = col_text(stmt, 14),
        };

        if (fn(&queue, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}

int store_allocation_add(struct store *store,
                         const struct store_allocation *allocation,
                         uint64_t *allocation_id,
                         struct err *err)
{
    if (db_change(&store->db, err,
                  "INSERT INTO allocations(queue_id, name, number, state, reason,"
                  " public_key, asked_wall_ms, ended_wall_ms)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                  "ITITTTII", allocation->queue_id, allocation->name,
                  allocation->number, allocation->state, allocation->reason,
                  allocation->public_key, allocation->asked_wall_ms,
                  allocation->ended_wall_ms) < 0)
        return err_wrap(err, "adding an allocation");
    *allocation_id = (uint64_t)sqlite3_last_insert_rowid(store->db.handle);
    return 0;
}

int store_allocation_put(struct store *store,
                         const struct store_allocation *allocation,
                         struct err *err)
{
    if (db_change(&store->db, err,
                  "UPDATE allocations SET name = ?, number = ?, state = ?, reason = ?,"
                  " public_key = ?, asked_wall_ms = ?, ended_wall_ms = ?"
                  " WHERE allocation_id = ?",
                  "TITTTIII", allocation->name, allocation->number, allocation->state,
                  allocation->reason, allocation->public_key, allocation->asked_wall_ms,
                  allocation->ended_wall_ms, allocation->allocation_id) < 0)
        return -1;
    return MUST_HIT(store, err, "allocation", allocation->allocation_id);
}

int store_each_allocation(struct store *store,
                          store_allocation_fn *fn,
                          void *arg,
                          struct err *err)
{
    sqlite3_stmt *stmt = db_bind(&store->db, err,
                                 "SELECT allocation_id, queue_id, name, number, state,"
                                 " reason, public_key, asked_wall_ms, ended_wall_ms"
                                 " FROM allocations WHERE state != 'ended' OR"
                                 " allocation_id > (SELECT max(allocation_id) - ?"
                                 " FROM allocations) ORDER BY allocation_id",
                                 "I", (uint64_t)STORE_ALLOCATIONS_KEPT);
    int got;

    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0) {
        const struct store_allocation allocation = {
            .allocation_id = col_u64(stmt, 0),
            .queue_id = col_u64(stmt, 1),
            .name = col_text(stmt, 2),
            .number = col_u64(stmt, 3),
            .state = col_text(stmt, 4),
            .reason = col_text(stmt, 5),
            .public_key = col_text(stmt, 6),
            .asked_wall_ms = col_u64(stmt, 7),
            .ended_wall_ms = col_u64(stmt, 8),
        };

        if (fn(&allocation, arg, err) < 0) {
            sqlite3_reset(stmt);
            return -1;
        }
    }
    return got;
}
