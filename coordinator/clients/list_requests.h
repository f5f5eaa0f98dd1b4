/* list_requests.h - requests for lists: jobs, tasks, results, events, workers,
 * allocations, files
 *
 * Each function sends its rows and the end of the list, or a refusal. All return -1
 * when the store failed. */
#ifndef COORDINATOR_CLIENTS_LIST_REQUESTS_H
#define COORDINATOR_CLIENTS_LIST_REQUESTS_H

#include "coordinator/clients/client_reply.h"

struct allocator;
struct fleet;
struct incoming;
struct store;

struct list_sources { /* all is borrowed */
    struct store *store;
    const struct fleet *fleet;
    const struct allocator *allocator;
    const char *out; /* folder of all output */
};

typedef int list_request_fn(const struct list_sources *sources,
                            const struct incoming *in,
                            struct client_reply *reply,
                            struct err *err);

list_request_fn list_jobs, list_tasks, list_results, list_events, list_workers,
    list_allocations, list_ranks, list_launches, list_replays, list_baselines,
    list_suspects, list_files, list_file_piece;

/* Returns ERR_NOT_FOUND when the store has no such job. */
int list_find_job(const struct list_sources *sources, uint64_t job_id, struct err *err);
/* Sends the progress of a job that is in the store only. */
int list_stored_progress(const struct list_sources *sources,
                         uint64_t job_id,
                         struct client_reply *reply,
                         struct err *err);

#endif
