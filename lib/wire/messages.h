/* messages.h - all messages between muster's programs
 *
 * Each message is a struct. The line above it gives sender, receiver and occasion. A
 * message owns no memory: its pointers belong to its creator, or lead into the packet
 * and the codec_zone of codec_unpack().
 *
 * messages.c has a table of fields for each struct. The table drives packing and
 * unpacking, the rows that commands print, and docs/reference/messages.md. A new field
 * is one line in the struct and one in the table, where it is optional. A key never
 * changes its meaning, and the number of a message is never used again.
 *
 * Texts contain no NUL. An unpacked text is never NULL: a missing optional text is "".
 * A sender may leave a text NULL, which is sent as "". Fields that end in _wall_ns are
 * nanoseconds since 1970 in UTC. */
#ifndef LIB_WIRE_MESSAGES_H
#define LIB_WIRE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"
#include "lib/wire/message_words.h"
#include "lib/wire/messages_baseline.h"
#include "lib/wire/messages_client.h"
#include "lib/wire/messages_confirm.h"
#include "lib/wire/messages_worker.h"

/* Increased when old and new programs can no longer work together. */
enum { MSG_PROTOCOL = 2 };

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
    MSG_REPARSE = 63,
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
    /* any socket, to a coordinator; link.c sends and receives it */
    MSG_BYE = 80,
    /* control socket: client to coordinator */
    MSG_LIST_RANKS = 96,
    MSG_LIST_LAUNCHES = 97,
    MSG_BASELINE = 98,
    MSG_LIST_BASELINES = 99,
    MSG_LIST_REPLAYS = 100,
    MSG_READ_JOB_FILE = 101,
    MSG_GATE_VERDICT = 102,
    MSG_CONFIRM_SUSPECTS = 103,
    MSG_LIST_SUSPECTS = 104,
    MSG_LIST_FILES = 105,
    MSG_READ_FILE = 106,
    /* control socket: coordinator to client */
    MSG_RANK_ROW = 112,
    MSG_LAUNCH_ROW = 113,
    MSG_BASELINE_ROW = 114,
    MSG_BASELINE_NIGHT_ROW = 115,
    MSG_BASELINE_SPLIT_ROW = 116,
    MSG_QUARANTINE_ROW = 117,
    MSG_REPLAY_ROW = 118,
    MSG_JOB_FILE = 119,
    MSG_SUSPECT_ROW = 120,
    MSG_FILE_ROW = 121,
    MSG_FILE_PIECE = 122,
};

/* coordinator to client or worker: the request failed; the connection stays open */
struct msg_refused {
    const char *code; /* refusal_word() of an error code */
    const char *text; /* for the user */
};

/* client or worker to coordinator, control or data: the sender closes the connection;
 * an end without this message counts as a broken connection */
struct msg_bye {
    uint64_t pid;
};

/* The table of fields */
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
    size_t offset; /* in the message's struct */
    bool optional; /* zero or empty when it is missing */
};

struct message {
    enum message_type type;
    const char *name;
    size_t size;                /* of the struct */
    const struct field *fields; /* ends with FIELD_END */
};

/* Returns NULL when no message has this number. */
const struct message *message_find(uint64_t type);
/* All messages in the order of their numbers; ends with MSG_NONE. */
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
    struct msg_reparse reparse;
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
    struct msg_list_ranks list_ranks;
    struct msg_list_launches list_launches;
    struct msg_read_job_file read_job_file;
    struct msg_gate_verdict gate_verdict;
    struct msg_rank_row rank_row;
    struct msg_launch_row launch_row;
    struct msg_list_replays list_replays;
    struct msg_replay_row replay_row;
    struct msg_baseline baseline;
    struct msg_list_baselines list_baselines;
    struct msg_baseline_row baseline_row;
    struct msg_baseline_night_row baseline_night_row;
    struct msg_baseline_split_row baseline_split_row;
    struct msg_quarantine_row quarantine_row;
    struct msg_job_file job_file;
    struct msg_confirm_suspects confirm_suspects;
    struct msg_list_suspects list_suspects;
    struct msg_suspect_row suspect_row;
    struct msg_list_files list_files;
    struct msg_file_row file_row;
    struct msg_read_file read_file;
    struct msg_file_piece file_piece;
};

#endif
