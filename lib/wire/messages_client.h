/* messages_client.h - messages between the commands of users and the coordinator
 *
 * messages.h has their numbers and the rules for all messages. Any request can also be
 * answered by `refused`. */
#ifndef LIB_WIRE_MESSAGES_CLIENT_H
#define LIB_WIRE_MESSAGES_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"

/* client to coordinator: submits a job; answered by submitted */
struct msg_submit {
    const char *yaml;      /* text of the job file, without includes */
    const char *file_name; /* for error texts */
    const char *folder;    /* folder of the job file; absolute */
    const char *user;
    const char *once; /* token of the user; a second submit with the same token is
                         answered with the first job; "": none */
};

/* client to coordinator: answered by a job_row for each job, then end */
struct msg_list_jobs {
    bool active_only; /* only jobs that have not ended */
    bool uncounted; /* all jobs, in rows without counts, which take most of the time */
};

/* client to coordinator: answered by a task_row for each task, then end */
struct msg_list_tasks {
    uint64_t job_id;
    bool states_only; /* the rows have no data of attempts, which take most of the time
                       */
};

/* client to coordinator: answered by a result_row for each figure, then end */
struct msg_list_results {
    uint64_t job_id;
    const char *metric; /* patterns of the metrics, divided by `|`; "": all */
};

/* client to coordinator: answered by a rank_row for each rank that ended, then end */
struct msg_list_ranks {
    uint64_t job_id;
    bool environments_only; /* one row for each card and environment of accepted ranks,
                             * with only the fields of card and environment */
};

/* client to coordinator: answered by a launch_row for each launch, then end */
struct msg_list_launches {
    uint64_t job_id;
};

/* client to coordinator: answered by a replay_row for each replay, then end */
struct msg_list_replays {
    uint64_t job_id;
};

/* client to coordinator: answered by job_file */
struct msg_read_job_file {
    uint64_t job_id;
};

/* client to coordinator: the result of the gate of a job, for the events of the job;
 * answered by ok */
struct msg_gate_verdict {
    uint64_t job_id;
    uint64_t code;        /* exit code of the gate: 0 passed */
    const char *against;  /* key of the base job or name of the baseline; "": none */
    const char *baseline; /* the base, which gets the job as a night; "": a job */
    const char *sentence;
    struct text_list suspects; /* a sentence for each cause of a regression */
    /* cells with the code and environment of the base, and those of them that regressed
     * without a cause or were not reproduced */
    uint64_t equal_cells;
    uint64_t false_alarms;
    /* points that improved, whose suspects fresh runs did not reproduce, and whose
     * nights differ by more than the tolerance */
    struct text_list improved;
    struct text_list not_reproduced;
    struct text_list noisy;
};

/* client to coordinator: answered by a worker_row for each worker, then end */
struct msg_list_workers {
    bool idle_only;
};

/* client to coordinator: answered by job_progress now and after each change until
 * `final` */
struct msg_watch {
    uint64_t job_id;
};

/* client to coordinator: starts no more tasks of the job; answered by ok */
struct msg_cancel {
    uint64_t job_id;
    bool now; /* also ends the running tasks */
};

/* client to coordinator: ends the coordinator, which resumes the running tasks at its
 * next start; answered by ok */
struct msg_shutdown {
    bool workers_too; /* also ends the workers */
};

/* client to coordinator: asks for the state of a task and its reason; answered by ok */
struct msg_explain {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    bool any; /* the first task that has not ended, instead of point and repeat */
};

/* client to coordinator: answered by an event_row for each event, then end */
struct msg_list_events {
    uint64_t job_id; /* 0: all jobs */
    uint64_t since;  /* seq of the last event that the client has */
    uint64_t newest; /* only the newest N events of the store; 0: no limit */
};

/* client to coordinator: takes cards out of service, or puts them back; answered by ok
 */
struct msg_drain {
    const char *host;
    uint64_t card;
    bool whole_host; /* all cards of the host, instead of `card` */
    bool undo;       /* back into service */
    const char *reason;
};

/* client to coordinator: failed and cancelled tasks wait again; answered by ok */
struct msg_retry {
    uint64_t job_id;
    bool failed_only; /* no cancelled tasks */
    /* of failures, as in limits.on of a job file; none: all */
    struct text_list classes;
};

/* client to coordinator: parses stored captures of an ended job again; answered by ok
 */
struct msg_reparse {
    uint64_t job_id;
    bool all; /* also results that were parsed completely */
};

/* client to coordinator: asks for the output of a rank; answered by log_piece. No
 * answer comes when the worker disconnects; the client has to ask again */
struct msg_read_log {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    uint64_t rank;
    uint64_t run_id; /* attempt that `from` belongs to; 0: the newest attempt */
    uint64_t from;   /* offset of the first requested byte */
};

/* client to coordinator: changes a queue that requests allocations while tasks wait;
 * answered by ok. Only `add` uses more than the name */
struct msg_alloc {
    const char *what; /* add, pause, resume or remove */
    const char *name;
    const char *resource; /* the cluster's name for a card */
    uint64_t nodes;       /* of one allocation */
    uint64_t cards_per_node;
    uint64_t time_limit_ms; /* 0: the cluster's default */
    uint64_t idle_ms;       /* workers without a lease end after this time */
    uint64_t backlog;       /* allocations that may wait in the cluster */
    uint64_t most;          /* allocations that may wait or run */
    const char *model;      /* of the cards */
    bool simulated;
    bool here;              /* use the allocation in which the coordinator runs */
    struct text_list words; /* further options of the cluster's command */
};

/* client to coordinator: answered by an alloc_row or allocation_row each, then end */
struct msg_list_allocs {
    bool allocations; /* the allocations instead of the queues */
};

/* Result files are listed page by page and read piece by piece. The coordinator keeps
 * nothing between two requests, so a client that reads slowly delays no other peer. */
enum {
    MSG_FILES_PAGE = 1000,       /* rows in one answer to list_files */
    MSG_FILES_PIECE = 64 * 1024, /* bytes of a piece; the last of a file is shorter */
};

/* client to coordinator: asks for a page of the result files of a job; answered by a
 * file_row for each, then end. A page without rows is the last one */
struct msg_list_files {
    uint64_t job_id;
    bool reports; /* the files of the whole job, in one page; place, rank and after are
                     not used */
    uint64_t place;    /* of the last row of the page before; 0: the first page */
    uint64_t rank;     /* of that row */
    const char *after; /* name of that row; "": the first page */
    uint64_t point;    /* the number of a point + 1: only its files; 0: all files */
};

/* client to coordinator: asks for a piece of a result file; answered by file_piece */
struct msg_read_file {
    uint64_t job_id;
    const char *path; /* of a file_row */
    uint64_t from;    /* offset of the first byte */
    uint64_t have;    /* bytes that the client has at this offset; 0: none */
    uint64_t crc;     /* CRC-32C of these bytes */
};

/* coordinator to client: the job is on disk */
struct msg_submitted {
    uint64_t job_id;
    const char *job_key; /* NAME-JOB_ID */
    uint64_t points;
    uint64_t tasks;
    const char *out; /* folder of the job's files */
    bool repeated;   /* a job with this token was on disk before the request */
};

/* coordinator to client: one job */
struct msg_job_row {
    uint64_t job_id;
    const char *job_key;
    const char *state; /* waiting, running, parsing, done, failed or cancelled */
    const char *user;
    uint64_t tasks;
    uint64_t waiting;
    uint64_t running;
    uint64_t done;
    uint64_t failed;
    uint64_t cancelled;
    uint64_t submitted_wall_ns;
    uint64_t ended_wall_ns; /* 0: not yet */
    /* settings of the key `compare` of the job file; "": it has none */
    const char *compare_against;
    const char *compare_metric;
    double compare_tolerance;
};

/* coordinator to client: one task with its newest attempt */
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
    const char *status; /* word of enum rank_status, of the worst rank; "": not ended */
    int64_t exit_code;  /* of the same rank */
    const char *reason;
    uint64_t launches;
    uint64_t started_wall_ns;
    uint64_t ended_wall_ns;
    uint64_t ranks;      /* of the attempt */
    uint64_t ranks_done; /* ranks that ended with status done */
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
    int64_t card;       /* on its host; -1: unknown */
    const char *serial; /* of the card, or "" */
    double tick_ns;     /* step of the clock of the card; 0: unknown */
};

/* coordinator to client: one rank of an attempt, with the environment print of its
 * measurement. A text of the print is "" when it is unknown: the rank is not parsed, or
 * its host does not report it */
struct msg_rank_row {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    uint64_t attempt;
    uint64_t run_id;
    bool accepted; /* the results of this attempt count */
    uint64_t rank;
    const char *host;
    int64_t card; /* on its host; -1: unknown */
    const char *model;
    const char *serial; /* of the card, or "" */
    bool simulated;
    const char *status; /* word of enum rank_status */
    /* equal prints have equal numbers in a store; 0: unknown */
    uint64_t environment_id;
    const char *chip;   /* as the runtime reports it */
    uint64_t hbm_maker; /* code of the management library; 0: unknown */
    const char *cann;   /* version of the toolkit */
    const char *driver; /* versions of driver and firmware of the card */
    const char *firmware;
    const char *host_kernel; /* release of the host's kernel */
    const char *measurement; /* muster's versions of replay and of formulas: 1.1 */
};

/* coordinator to client: one launch of an accepted attempt */
struct msg_launch_row {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    uint64_t run_id;
    uint64_t rank;
    uint64_t launch;
    uint64_t device;
    const char *kernel;
    const char *code_hash;   /* of the kernel's binary, 16 digits; "": unknown */
    double tick_ns;          /* step of the device clock; 0: unknown */
    const char *group_found; /* how the ranks were found; "": unknown */
    const char *restored;    /* memory restored between passes; "": unknown */
    const char *advice;      /* a line for each; "": none */
    const char *notes;       /* about the measurement; a line for each, as before */
};

/* coordinator to client: one replay of a launch of an accepted attempt. Times in _ns
 * are of the monotonic clock of rank 0's host, or of the own host when the ranks did
 * not compare their clocks; 0: unknown */
struct msg_replay_row {
    uint64_t job_id;
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    uint64_t run_id;
    uint64_t rank;
    uint64_t launch;
    uint64_t device;
    const char *kernel;
    uint64_t replay;    /* number of the execution after the first, from 0 */
    uint64_t pass;      /* number of the counter pass; 0: another execution */
    double duration_us; /* by the clock of the card; NaN: unknown */
    uint64_t started_ns;
    uint64_t arrived_ns;   /* of the rank, at the barrier of the ranks */
    uint64_t released_ns;  /* of the rank, from this barrier */
    double uncertainty_us; /* of the comparison of the hosts' clocks; NaN: unknown */
};

/* coordinator to client: the file of a job, with its includes */
struct msg_job_file {
    uint64_t job_id;
    const char *yaml;
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
    /* idle, leased, full, resting, kept (for a gang), draining, drained */
    const char *state;
    uint64_t run_id; /* 0: none */
    const char *job_key;
    uint64_t silent_ms;    /* since the last message of the worker */
    uint64_t ranks_ended;  /* since the worker connected */
    uint64_t point;        /* of the running rank, when run_id is not 0 */
    uint64_t repeat;       /* of the running rank */
    uint64_t rank;         /* the running rank */
    uint64_t runs_ms;      /* running time of that rank, or 0 */
    uint64_t ranks_failed; /* of ranks_ended */
    uint64_t faults;       /* card faults in a row */
    const char *note;      /* reason of the drain, or the last card fault; or "" */
};

/* coordinator to client: one queue of allocations */
struct msg_alloc_row {
    const char *name;
    const char *state;  /* active, paused or failing */
    const char *reason; /* of a state other than active */
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
    uint64_t number;  /* the cluster's number; 0: unknown yet */
    const char *state;
    const char *reason;
    uint64_t workers; /* connected workers */
    uint64_t asked_wall_ns;
    uint64_t ended_wall_ns; /* 0: not yet */
};

/* coordinator to client: the last row was sent */
struct msg_end {
    uint64_t count; /* of the rows */
};

/* coordinator to client: progress of a job; each task is counted once */
struct msg_job_progress {
    uint64_t job_id;
    const char *job_key;
    const char *state;  /* as in job_row */
    bool final;         /* the last message: all files of the job are written */
    uint64_t exit_code; /* of the command that waits for the job; valid when final */
    uint64_t tasks;
    uint64_t waiting;
    uint64_t running;
    uint64_t parsing;
    uint64_t done;
    uint64_t failed;
    uint64_t cancelled;
    uint64_t workers; /* connected workers */
    const char *note; /* the newest remark for the user, or "" */
    const char *out;  /* folder of the job's files */
    uint64_t started; /* tasks of `running` whose programs run */
};

/* coordinator to client: a piece of an operator's output */
struct msg_log_piece {
    uint64_t run_id; /* 0: there is no attempt yet */
    uint64_t from;   /* offset of `data` in bytes */
    struct bytes data;
    bool there;       /* false: there is no output */
    bool ended;       /* the task ended: the output will not grow */
    const char *note; /* why there is no output now, or "" */
};

/* coordinator to client: a result file of an accepted attempt, or of the whole job */
struct msg_file_row {
    const char *path; /* relative to the folder of the job */
    uint64_t size;    /* in bytes */
    bool missing;     /* the store names this file, but the disk does not have it */
    uint64_t place;   /* of its task in the job */
    uint64_t rank;
    const char *name; /* the path in the store, for `after` of the next page */
};

/* coordinator to client: a piece of a result file */
struct msg_file_piece {
    uint64_t from; /* offset of the first byte */
    uint64_t size; /* bytes of the piece */
    uint64_t crc;  /* CRC-32C of the piece */
    bool same;     /* the client has these bytes already; `data` is empty */
    struct bytes data;
    uint64_t file_size;       /* now */
    uint64_t changed_wall_ns; /* time of the last change of the file */
    bool missing;             /* the file does not exist any more */
};

/* coordinator to client: the request was executed */
struct msg_ok {
    const char *text; /* for the user */
};

/* coordinator to client: one event */
struct msg_event_row {
    uint64_t seq; /* grows, but may skip values */
    uint64_t at_wall_ns;
    const char *kind; /* task.leased, worker.lost ... */
    uint64_t job_id;  /* 0: of no job */
    uint64_t task_id;
    uint64_t run_id;
    const char *text;
};

#endif
