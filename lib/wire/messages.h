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
#ifndef LIB_WIRE_MESSAGES_H
#define LIB_WIRE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/message_parts.h"
#include "lib/wire/messages_client.h"
#include "lib/wire/messages_worker.h"

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

/* coordinator to client or worker: it is not done; the connection goes on */
struct msg_refused {
    const char *code; /* refusal_word() of an error code */
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
