/* messages_client.h - what people's commands ask the coordinator, and its answers;
 * messages.h has their numbers and fields */
#ifndef LIB_WIRE_MESSAGES_CLIENT_H
#define LIB_WIRE_MESSAGES_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"

/* client to coordinator: a job file; answered by submitted or refused */
struct msg_submit {
    const char *yaml;
    const char *file_name; /* for error texts */
    const char *folder;    /* where the file lies; absolute */
    const char *user;
    /* "" or words by which it is known again: who says them a second time is answered
     * with the job that he has already */
    const char *once;
};

/* client to coordinator: answered by job_row each and end */
struct msg_list_jobs {
    bool active_only; /* what has not ended */
};

/* client to coordinator: answered by task_row each and end */
struct msg_list_tasks {
    uint64_t job_id;
};

/* client to coordinator: answered by result_row each and end */
struct msg_list_results {
    uint64_t job_id;
};

/* client to coordinator: answered by worker_row each and end */
struct msg_list_workers {
    bool idle_only;
};

/* client to coordinator: answered by job_progress now and at each change until final */
struct msg_watch {
    uint64_t job_id;
};

/* client to coordinator: start nothing more, and with `now` end what runs; then ok */
struct msg_cancel {
    uint64_t job_id;
    bool now;
};

/* client to coordinator: end; what runs is taken up after the next start; then ok */
struct msg_shutdown {
    bool workers_too; /* tells them to go away */
};

/* client to coordinator: why this task waits, or what it does; then ok with the words.
 * With `any` the first one that has not ended */
struct msg_explain {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    bool any;
};

/* client to coordinator: answered by event_row each and end; `since` is the last one
 * that is known already */
struct msg_list_events {
    uint64_t job_id; /* 0: of all */
    uint64_t since;
    uint64_t newest; /* only of the last so many of all; 0: no limit */
};

/* client to coordinator: nothing more for this card, or again; then ok */
struct msg_drain {
    const char *host;
    uint64_t card;
    bool whole_host;
    bool undo;
    const char *reason;
};

/* client to coordinator: what failed or was cancelled waits again; then ok */
struct msg_retry {
    uint64_t job_id;
    bool failed_only;         /* not what was cancelled */
    struct text_list classes; /* as in limits.on; only what failed so; none: all */
};

/* client to coordinator: what a rank of this task's latest attempt printed; answered by
 * log_piece, or not at all when its worker goes away: ask again */
struct msg_read_log {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    uint64_t rank;
    uint64_t run_id; /* the attempt that `from` belongs to, and the one that is meant
                        when the task has ended; 0: none is known */
    uint64_t from;
};

/* client to coordinator: a queue that asks a cluster for cards as long as tasks wait;
 * then ok. What is not `add` needs only the name. */
struct msg_alloc {
    const char *what; /* add, pause, resume, remove */
    const char *name;
    const char *resource; /* the cluster's name for a card */
    uint64_t nodes;       /* of an allocation */
    uint64_t cards_per_node;
    uint64_t time_limit_ms; /* 0: the cluster's own */
    uint64_t idle_ms;
    uint64_t backlog;
    uint64_t most;
    const char *model;
    bool simulated;
    bool here; /* the allocation in which the coordinator runs */
    struct text_list words;
};

/* client to coordinator: answered by alloc_row each, or allocation_row each; then end
 */
struct msg_list_allocs {
    bool allocations; /* instead of the queues */
};

/* coordinator to client: the job is on disk */
struct msg_submitted {
    uint64_t job_id;
    const char *job_key; /* NAME-JOB_ID */
    uint64_t points;
    uint64_t tasks;
    const char *out; /* the folder where its files will be */
};

/* coordinator to client: one job */
struct msg_job_row {
    uint64_t job_id;
    const char *job_key;
    const char *state; /* running, reporting, done, failed, cancelled */
    const char *user;
    uint64_t tasks;
    uint64_t waiting;
    uint64_t running;
    uint64_t done;
    uint64_t failed;
    uint64_t cancelled;
    uint64_t submitted_wall_ns;
    uint64_t ended_wall_ns; /* 0: not yet */
};

/* coordinator to client: one task of a job with its current attempt */
struct msg_task_row {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    const char *state;
    uint64_t attempt; /* 0: never leased */
    uint64_t run_id;
    const char *host;
    uint64_t card;
    const char *status; /* enum rank_status as its word, "" before the end */
    int64_t exit_code;
    const char *reason;
    uint64_t launches;
    uint64_t started_wall_ns;
    uint64_t ended_wall_ns;
    uint64_t ranks;      /* of the attempt; status and exit code are of the worst one */
    uint64_t ranks_done; /* that ended well */
};

/* coordinator to client: one figure of a job */
struct msg_result_row {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    uint64_t attempt;
    uint64_t run_id;
    uint64_t rank;
    const char *host;
    uint64_t device;
    bool simulated;
    uint64_t launch;
    const char *kernel;
    const char *metric;
    double value;
    const char *unit;
};

/* coordinator to client: one worker */
struct msg_worker_row {
    const char *host;
    uint64_t card;
    const char *model;
    const char *serial;
    bool simulated;
    const char *version;
    uint64_t pid;
    const char *state; /* idle, leased, kept (for a gang), drained, draining */
    uint64_t run_id;   /* 0: none */
    const char *job_key;
    uint64_t silent_ms;
    uint64_t ranks_ended;         /* since it came */
    uint64_t point, repeat, rank; /* of what it does, when run_id is not 0 */
    uint64_t runs_ms;             /* for how long it does that; or 0 */
    uint64_t ranks_failed;        /* among those that ended */
    uint64_t faults;              /* how often in a row the card was not well */
    const char *note; /* why it is drained, or what the card said last; or "" */
};

/* coordinator to client: a queue of allocations */
struct msg_alloc_row {
    const char *name;
    const char *state;  /* active, paused, failing */
    const char *reason; /* why it is not active */
    uint64_t nodes;
    uint64_t cards_per_node;
    uint64_t backlog;
    uint64_t most;
    uint64_t idle_ms;
    uint64_t queued;
    uint64_t running;
    uint64_t ended;
    uint64_t failures; /* in a row */
};

/* coordinator to client: one allocation */
struct msg_allocation_row {
    const char *queue;
    const char *name; /* as the cluster shows it */
    uint64_t number;  /* the cluster's; 0: not known yet */
    const char *state;
    const char *reason;
    uint64_t workers; /* that are here */
    uint64_t asked_wall_ns;
    uint64_t ended_wall_ns; /* 0: not yet */
};

/* coordinator to client: that was the last row */
struct msg_end {
    uint64_t count;
};

/* coordinator to client: how far a job is; each task is counted once */
struct msg_job_progress {
    uint64_t job_id;
    const char *job_key;
    const char *state;  /* as in job_row */
    bool final;         /* nothing more comes, all files are written */
    uint64_t exit_code; /* of ARCHITECTURE's list, good when final */
    uint64_t tasks;
    uint64_t waiting;
    uint64_t running;
    uint64_t parsing;
    uint64_t done;
    uint64_t failed;
    uint64_t cancelled;
    uint64_t workers; /* connected */
    const char *note; /* the latest thing a person should know, or "" */
    const char *out;  /* the folder of its files */
};

/* coordinator to client: a piece of what an operator printed */
struct msg_log_piece {
    uint64_t run_id; /* 0: there is no attempt yet */
    uint64_t from;
    struct bytes data;
    bool there;
    bool ended;       /* the task: more than this file has will not come */
    const char *note; /* why nothing can be had now, or "" */
};

/* coordinator to client: it is done */
struct msg_ok {
    const char *text;
};

/* coordinator to client: something that happened */
struct msg_event_row {
    uint64_t seq; /* grows; not by one */
    uint64_t at_wall_ns;
    const char *kind; /* task.leased, worker.lost ... */
    uint64_t job_id;  /* 0: of no job */
    uint64_t task_id;
    uint64_t run_id;
    const char *text;
};

#endif
