/* messages.h - all that muster's programs say to each other
 *
 * A struct a message, with one line above it: who says it, to whom, when. A message
 * owns nothing: it borrows from whoever made it, or from the arena and the packet it
 * was unpacked from. In messages.c a table of fields stands for each struct; it
 * drives the codec and prints rows. A new field is one line here and one there, and
 * it is optional there; a key never changes its meaning, a number is never used again.
 *
 * Texts hold no NUL and, once unpacked, are never NULL: an optional one that did not
 * come is "". Who packs may leave a NULL, which is "" too. Times of day end in
 * _wall_ns. */
#ifndef WIRE_MESSAGES_H
#define WIRE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Grows when old and new programs can no longer work together. */
enum { MSG_PROTOCOL = 1 };

enum message_type {
    MSG_NONE = 0,
    /* control socket: worker to coordinator */
    MSG_WORKER_HELLO = 1,
    MSG_HEARTBEAT = 2,
    MSG_LEASE_TAKEN = 3,
    MSG_LEASE_REFUSED = 4,
    MSG_RANK_RESULT = 5,
    MSG_BARRIER_ARRIVE = 6,
    MSG_BARRIER_ABORT = 7,
    MSG_CLOCK_PING = 8,
    MSG_OUTPUT = 9,
    MSG_WORKER_BYE = 10,
    MSG_CARD_FAULT = 11,
    /* control socket: coordinator to worker */
    MSG_WELCOME = 16,
    MSG_HEARTBEAT_REPLY = 17,
    MSG_LEASE = 18,
    MSG_RESULT_ACK = 19,
    MSG_STOP_RANK = 20,
    MSG_GO_AWAY = 21,
    MSG_BARRIER_RELEASE = 22,
    MSG_CLOCK_PONG = 23,
    MSG_READ_OUTPUT = 24,
    /* data socket */
    MSG_GROUP = 32,
    MSG_GROUP_ACK = 33,
    MSG_GROUP_REFUSED = 34,
    /* control socket: client to coordinator */
    MSG_SUBMIT = 48,
    MSG_LIST_JOBS = 49,
    MSG_LIST_TASKS = 50,
    MSG_LIST_RESULTS = 51,
    MSG_LIST_WORKERS = 52,
    MSG_WATCH = 53,
    MSG_CANCEL = 54,
    MSG_SHUTDOWN = 55,
    MSG_EXPLAIN = 56,
    MSG_LIST_EVENTS = 57,
    MSG_DRAIN = 58,
    MSG_READ_LOG = 59,
    MSG_RETRY = 60,
    MSG_ALLOC = 61,
    MSG_LIST_ALLOCS = 62,
    /* control socket: coordinator to client */
    MSG_SUBMITTED = 64,
    MSG_JOB_ROW = 65,
    MSG_TASK_ROW = 66,
    MSG_RESULT_ROW = 67,
    MSG_WORKER_ROW = 68,
    MSG_END = 69,
    MSG_JOB_PROGRESS = 70,
    MSG_OK = 71,
    MSG_REFUSED = 72,
    MSG_EVENT_ROW = 73,
    MSG_LOG_PIECE = 74,
    MSG_ALLOC_ROW = 77,
    MSG_ALLOCATION_ROW = 78,
    /* any socket, to a coordinator; the link itself says and hears it */
    MSG_BYE = 80,
};

struct text_list {
    const char *const *items;
    size_t count;
};

struct u64_list {
    const uint64_t *items;
    size_t count;
};

struct bytes {
    const void *data;
    size_t size;
};

/* How a rank ended; on the wire and in the store it is its word. */
enum rank_status {
    RANK_DONE,         /* exit code 0 and all is captured */
    RANK_FAILED,       /* exit code, signal */
    RANK_TIMEOUT,      /* ended by us after time_limit_ms */
    RANK_NOT_INJECTED, /* it ran well, but no kernel launch was seen */
    RANK_CANCELLED,    /* ended by us because somebody asked */
    RANK_NOT_STARTED,  /* no such program, no such folder */
    RANK_LOST,         /* nobody knows: its worker fell silent, or started anew */
};

const char *rank_status_word(enum rank_status status);
bool rank_status_parse(const char *word, enum rank_status *status);

/* worker to coordinator: I serve this card; first of all, and after each reconnect */
struct msg_worker_hello {
    uint64_t protocol;
    const char *host;
    const char *version;
    uint64_t pid;
    uint64_t card; /* number on its host */
    const char *model;
    const char *serial;
    bool simulated;
    struct u64_list
        held_runs;       /* they run or lie spooled here: the leases it goes on with */
    const char *address; /* where other hosts reach this one; "" is its name */
    const char *card_address; /* of the card's own network; "": it is not known */
    const char *net_switch;   /* its host hangs on this one; "": it is not known */
    const char *allocation;   /* of a cluster, in which it was started; "": in none */
};

/* worker to coordinator: I live; every heartbeat_ms, run_id 0 when idle. Answered by
 * heartbeat_reply, or by refused (not-found) when there was no hello: say it */
struct msg_heartbeat {
    uint64_t run_id;
};

/* worker to coordinator: what the card, that it only lent to a run, says when it is
 * back: it is not well. What ran there tells it with its result */
struct msg_card_fault {
    uint64_t run_id;
    const char *reason;
};

/* worker to coordinator: it ends, and takes nothing more */
struct msg_worker_bye {
    const char *reason;
};

/* worker to coordinator: the rank's program is started */
struct msg_lease_taken {
    uint64_t run_id;
    uint64_t rank;
};

/* worker to coordinator: not by me, not now; the task goes to somebody else */
struct msg_lease_refused {
    uint64_t run_id;
    uint64_t rank;
    const char *reason;
    bool card_fault; /* the card says that it is not well */
};

/* worker to coordinator: the rank ended and its groups were acked; until result_ack */
struct msg_rank_result {
    uint64_t run_id;
    uint64_t rank;
    const char *status; /* enum rank_status as its word */
    int64_t exit_code;
    uint64_t signal; /* 0: none */
    const char *reason;
    uint64_t launches; /* profiled */
    uint64_t groups;
    uint64_t blocks;
    uint64_t started_wall_ns;
    uint64_t ended_wall_ns;
    bool injected;
    bool card_fault; /* the card says that it is not well; reason tells what it said */
};

/* What a rank at a barrier says of itself, and what is said of all. A rank may say
 * more; these are the words that the coordinator has. */
enum barrier_vote {
    BARRIER_GO = 0,
    BARRIER_OVER = 1,     /* goes on, and has then ended */
    BARRIER_MISMATCH = 3, /* it stands at something else */
    BARRIER_LATE = 10,    /* it did not come in time */
    BARRIER_BUSY = 14,    /* another group kept the cards */
    BARRIER_ENDED = 15,   /* the run is being ended */
};

/* worker to coordinator: all ranks of this host that belong to the group stand at its
 * barrier. The lists are of one length, an entry a rank. Not kept on disk; what is lost
 * ends at the deadline */
struct msg_barrier_arrive {
    uint64_t run_id;
    uint64_t group;        /* key of the communicator, alike on all hosts */
    uint64_t epoch;        /* of the group: grows, with gaps */
    uint64_t phase;        /* what it is for; 0: a launch begins */
    uint64_t size;         /* ranks of the group on all hosts */
    uint64_t wait_ms;      /* from now until the deadline */
    uint64_t round_ns;     /* the shortest way there and back, as this host sees it */
    struct u64_list ranks; /* of the gang, which stand here */
    struct u64_list fingerprints; /* of the launch that each stands at */
    struct u64_list votes;        /* enum barrier_vote, or more */
    struct text_list words;       /* `MatmulAllReduce (launch 12)`, or why it cannot */
};

/* worker to coordinator: this barrier ends here without a release; it must everywhere.
 * group 0: all barriers of the run, now and later */
struct msg_barrier_abort {
    uint64_t run_id;
    uint64_t group;
    uint64_t epoch;
    uint64_t rank; /* the culprit; BARRIER_NO_RANK: nobody knows */
    uint64_t vote; /* what is said of it */
    uint64_t size; /* of the group, as in barrier_arrive */
    const char *reason;
};

#define BARRIER_NO_RANK UINT64_MAX

/* worker to coordinator: what time is it; answered at once by clock_pong */
struct msg_clock_ping {
    uint64_t sent_ns; /* monotonic, of this host */
};

/* worker to coordinator: the answer to read_output */
struct msg_output {
    uint64_t ticket; /* as it came */
    uint64_t from;
    struct bytes data;
    bool there; /* false: it has not printed yet, or it is no longer kept */
};

/* coordinator to worker: the answer to worker_hello */
struct msg_welcome {
    uint64_t protocol;
    uint64_t heartbeat_ms;
    const char
        *store_id; /* another one than last time: what is spooled is not for us */
};

/* coordinator to worker: the answer to each heartbeat */
struct msg_heartbeat_reply {
    uint64_t run_id; /* as it came */
};

/* coordinator to worker: run this rank, now or after the one that runs */
struct msg_lease {
    uint64_t run_id;
    uint64_t job_id;
    const char *job_name;
    uint64_t point;
    uint64_t repeat;
    uint64_t attempt;
    uint64_t rank;
    uint64_t world_size;
    uint64_t time_limit_ms; /* 0: none */
    struct text_list command;
    struct text_list env; /* KEY=value, on top of the worker's own */
    const char *cwd;      /* absolute, or "" for the worker's choice */
    struct text_list metrics;
    const char *kernel; /* pattern of kernel names; "" is all */
    uint64_t launch_count;
    uint64_t launch_skip;
    uint64_t warmup;
    uint64_t card;
    const char *point_text; /* `m=1024 dtype=fp16`, for people */
    const char *user;       /* who submitted it */
    /* of a gang: an entry a rank */
    struct text_list hosts, addresses, card_addresses;
    struct u64_list cards;
    bool threads;        /* rank 0 is the one process; who has another lends its card */
    const char *gang;    /* a secret of this attempt: who knows it belongs to it */
    const char *replay;  /* kernel, application, range */
    uint64_t barrier_ms; /* how long a rank waits for the others */
    const char *launch_range; /* pattern of marked ranges; "": launches anywhere */
    uint64_t share_permille;  /* like ranks share the passes: so near in time; 0: no */
    bool kill;                /* the program is ended once its launches are measured */
    bool stubs;     /* the program finds the guest under the libraries' names */
    bool runner;    /* the command is for muster-runner, behind its name */
    uint64_t renew; /* of the runner: points of one process; 0: a process a point */
};

/* coordinator to worker: the result is on disk, forget it */
struct msg_result_ack {
    uint64_t run_id;
    uint64_t rank;
};

/* coordinator to worker: end this rank, it still sends its result; what waits there and
 * has not begun is answered by lease_refused */
struct msg_stop_rank {
    uint64_t run_id;
    uint64_t rank;
    const char *reason;
    bool only_waiting; /* when it has not begun; what has begun goes on */
};

/* coordinator to worker: end yourself */
struct msg_go_away {
    const char *reason;
};

/* coordinator to worker: the barrier ends, for all in the same way. group 0: all of the
 * run, which none of its ranks will pass any more */
struct msg_barrier_release {
    uint64_t run_id;
    uint64_t group;
    uint64_t epoch;
    bool go;
    uint64_t release_ns; /* the coordinator's monotonic clock; ranks go on then */
    uint64_t vote;       /* the worst one, when all stand there but one cannot */
    uint64_t rank;       /* the culprit; BARRIER_NO_RANK */
    const char *reason;
};

/* coordinator to worker: the answer to clock_ping */
struct msg_clock_pong {
    uint64_t sent_ns; /* as it came */
    uint64_t root_ns; /* the coordinator's monotonic clock */
};

/* coordinator to worker: what did this rank's program print, from there on */
struct msg_read_output {
    uint64_t ticket;
    uint64_t run_id;
    uint64_t rank;
    uint64_t from; /* bytes that are known already */
};

/* worker to coordinator, data: one capture group, again until it is answered */
struct msg_group {
    uint64_t run_id;
    uint64_t shard;     /* rank << 16 | n-th profiled process of that rank */
    uint64_t number;    /* n-th group of the shard, from 0 */
    uint64_t raw_bytes; /* its size when it is not compressed */
    bool zstd;
    struct bytes data;
};

/* coordinator to worker, data: the group is on disk, forget it */
struct msg_group_ack {
    uint64_t run_id;
    uint64_t shard;
    uint64_t number;
};

/* coordinator to worker, data: the group will never be taken */
struct msg_group_refused {
    uint64_t run_id;
    uint64_t shard;
    uint64_t number;
    const char *reason;
};

/* client to coordinator: a job file; answered by submitted or refused */
struct msg_submit {
    const char *yaml;
    const char *file_name; /* for error texts */
    const char *folder;    /* where the file lies; absolute */
    const char *user;
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

/* coordinator to client or worker: it is not done; the connection goes on */
struct msg_refused {
    const char *code; /* refusal_word() of an error code */
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

/* whoever connected, with its last breath: the connection ends as it should */
struct msg_bye {
    uint64_t pid;
};

const char *refusal_word(enum err_code code);
enum err_code refusal_code(const char *word); /* ERR_INTERNAL for what we do not know */

/* The table of fields. */
enum field_type {
    FIELD_END,
    FIELD_U64,
    FIELD_I64,
    FIELD_BOOL,
    FIELD_F64,
    FIELD_TEXT,
    FIELD_BYTES,
    FIELD_TEXT_LIST,
    FIELD_U64_LIST,
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    bool optional;
};

struct message {
    enum message_type type;
    const char *name;
    size_t size;                /* of the struct */
    const struct field *fields; /* ends with FIELD_END */
};

/* NULL when there is none of that number. */
const struct message *message_find(uint64_t type);
/* All of them; ends with MSG_NONE. */
extern const struct message messages[];
/* Large enough and aligned for any message. */
union any_message {
    struct msg_worker_hello worker_hello;
    struct msg_heartbeat heartbeat;
    struct msg_lease_taken lease_taken;
    struct msg_lease_refused lease_refused;
    struct msg_rank_result rank_result;
    struct msg_barrier_arrive barrier_arrive;
    struct msg_barrier_abort barrier_abort;
    struct msg_clock_ping clock_ping;
    struct msg_worker_bye worker_bye;
    struct msg_card_fault card_fault;
    struct msg_welcome welcome;
    struct msg_heartbeat_reply heartbeat_reply;
    struct msg_lease lease;
    struct msg_result_ack result_ack;
    struct msg_stop_rank stop_rank;
    struct msg_go_away go_away;
    struct msg_barrier_release barrier_release;
    struct msg_clock_pong clock_pong;
    struct msg_group group;
    struct msg_group_ack group_ack;
    struct msg_group_refused group_refused;
    struct msg_submit submit;
    struct msg_list_jobs list_jobs;
    struct msg_list_tasks list_tasks;
    struct msg_list_results list_results;
    struct msg_list_workers list_workers;
    struct msg_watch watch;
    struct msg_cancel cancel;
    struct msg_shutdown shutdown;
    struct msg_explain explain;
    struct msg_list_events list_events;
    struct msg_drain drain;
    struct msg_output output;
    struct msg_read_output read_output;
    struct msg_read_log read_log;
    struct msg_log_piece log_piece;
    struct msg_retry retry;
    struct msg_alloc alloc;
    struct msg_list_allocs list_allocs;
    struct msg_submitted submitted;
    struct msg_job_row job_row;
    struct msg_task_row task_row;
    struct msg_result_row result_row;
    struct msg_worker_row worker_row;
    struct msg_end end;
    struct msg_job_progress job_progress;
    struct msg_ok ok;
    struct msg_refused refused;
    struct msg_event_row event_row;
    struct msg_alloc_row alloc_row;
    struct msg_allocation_row allocation_row;
    struct msg_bye bye;
};

#endif
