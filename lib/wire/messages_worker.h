/* messages_worker.h - messages between workers and the coordinator
 *
 * messages.h has their numbers and the rules for all messages. `run_id` names an
 * attempt. The line above a struct gives sender, receiver and occasion; messages
 * without `data` travel on the control socket. */
#ifndef LIB_WIRE_MESSAGES_WORKER_H
#define LIB_WIRE_MESSAGES_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"
#include "lib/wire/message_words.h"

enum { MSG_HELD_RUNS_MAX = 256 };

/* worker to coordinator: the worker serves this card; first message of each connection
 */
struct msg_worker_hello {
    uint64_t protocol; /* MSG_PROTOCOL */
    const char *host;
    const char *version; /* of muster */
    uint64_t pid;
    uint64_t card; /* number of the card on its host */
    const char *model;
    const char *serial;
    bool simulated;
    /* run_id of each attempt that runs here or is in the spool; the worker continues
     * them unless stop_rank follows */
    struct u64_list held_runs;
    const char *address;      /* address of the host for other hosts; "": its name */
    const char *card_address; /* address of the card's own network; "": unknown */
    const char *net_switch;   /* network switch of the host; "": unknown */
    const char *allocation;   /* name of the allocation that started it; "": none */
};

/* worker to coordinator: sign of life, every heartbeat_ms; answered by heartbeat_reply,
 * or by refused (not-found) when the coordinator needs worker_hello first */
struct msg_heartbeat {
    uint64_t run_id; /* 0: the card is idle */
};

/* worker to coordinator: a lent card reports a fault at its return; a rank that ran on
 * the card itself reports a fault in its result instead */
struct msg_card_fault {
    uint64_t run_id;
    const char *reason;
};

/* worker to coordinator: the worker ends and accepts no more leases */
struct msg_worker_bye {
    const char *reason;
};

/* worker to coordinator: the program of this rank was started */
struct msg_lease_taken {
    uint64_t run_id;
    uint64_t rank;
};

/* worker to coordinator: this worker does not run the rank; the task waits again */
struct msg_lease_refused {
    uint64_t run_id;
    uint64_t rank;
    const char *reason;
    bool card_fault; /* the card reports a fault */
};

/* worker to coordinator: the rank ended and all its groups are acknowledged; sent again
 * until result_ack */
struct msg_rank_result {
    uint64_t run_id;
    uint64_t rank;
    const char *status; /* word of enum rank_status */
    int64_t exit_code;
    uint64_t signal; /* 0: none */
    const char *reason;
    uint64_t launches; /* profiled launches */
    uint64_t groups;
    uint64_t blocks;
    uint64_t started_wall_ns;
    uint64_t ended_wall_ns;
    bool injected;   /* inject was loaded into the program */
    bool card_fault; /* the card reports a fault; `reason` has its text */
};

/* The state of a rank at a barrier, and the outcome for all ranks. A rank
 * can send other values, too; the coordinator uses these. */
enum barrier_vote {
    BARRIER_VOTE_RELEASED = 0,
    BARRIER_VOTE_FINISHED = 1, /* the last barrier: the rank continues and then ends */
    BARRIER_VOTE_MISMATCH = 3, /* the rank is at another launch than the others */
    BARRIER_VOTE_LATE = 10,    /* the rank did not arrive before the deadline */
    BARRIER_VOTE_BUSY = 14, /* another communicator used the cards until the deadline */
    BARRIER_VOTE_ENDED = 15, /* the attempt is being ended */
};

/* worker to coordinator: all ranks of the communicator on this host are at its barrier;
 * answered by barrier_release. The coordinator does not store it: when it is lost, the
 * deadline ends the barrier. The four lists have one entry for each rank on this host
 */
struct msg_barrier_arrive {
    uint64_t run_id;
    uint64_t group;    /* key of the communicator, equal on all hosts */
    uint64_t epoch;    /* number of the barrier in its communicator; may skip values */
    uint64_t phase;    /* purpose of the barrier; 0: a launch begins */
    uint64_t size;     /* ranks of the communicator on all hosts */
    uint64_t wait_ms;  /* time left until the deadline */
    uint64_t round_ns; /* shortest round trip to the coordinator */
    struct u64_list ranks;        /* ranks of the gang at this barrier */
    struct u64_list fingerprints; /* of the launch that each rank is at */
    struct u64_list votes;        /* enum barrier_vote or another value */
    /* `MatmulAllReduce (launch 12)`, or the reason of an abort */
    struct text_list words;
};

/* worker to coordinator: this barrier ended without a release and has to end so on all
 * hosts */
struct msg_barrier_abort {
    uint64_t run_id;
    uint64_t group; /* key of the communicator; 0: all barriers of the attempt */
    uint64_t epoch;
    uint64_t rank; /* rank that caused the abort, or BARRIER_NO_RANK */
    uint64_t vote; /* enum barrier_vote of that rank */
    uint64_t size; /* as in barrier_arrive */
    const char *reason;
};

/* No single rank caused the abort. */
#define BARRIER_NO_RANK UINT64_MAX

/* worker to coordinator: asks for the coordinator's clock; answered at once by
 * clock_pong */
struct msg_clock_ping {
    uint64_t sent_ns; /* monotonic clock of the worker's host */
};

/* worker to coordinator: the answer to read_output */
struct msg_output {
    uint64_t ticket; /* as in read_output */
    uint64_t from;   /* offset of `data` in bytes */
    struct bytes data;
    bool there; /* false: there is no output yet, or it was deleted */
};

/* coordinator to worker: the answer to worker_hello */
struct msg_welcome {
    uint64_t protocol;
    uint64_t heartbeat_ms;
    /* when it changes, the worker's spool belongs to another store */
    const char *store_id;
    uint64_t session; /* random number of this session; each group has it */
};

/* coordinator to worker: the answer to each heartbeat */
struct msg_heartbeat_reply {
    uint64_t run_id; /* as in heartbeat */
};

/* coordinator to worker: run this rank now, or after the rank that runs; answered by
 * lease_taken or lease_refused, later by rank_result */
struct msg_lease {
    uint64_t run_id;
    uint64_t job_id;
    const char *job_name;
    uint64_t point;
    uint64_t repeat;
    uint64_t attempt;
    uint64_t rank;
    uint64_t world_size;    /* ranks of the attempt */
    uint64_t time_limit_ms; /* 0: none */
    struct text_list command;
    struct text_list env; /* KEY=value, added to the worker's own environment */
    const char *cwd;      /* absolute; "": the worker chooses */
    struct text_list metrics;
    const char *kernel;    /* pattern of kernel names; "": all */
    uint64_t launch_count; /* launches to profile; 0: all */
    uint64_t launch_skip;  /* launches to pass over before */
    uint64_t warmup;       /* executions of a launch before the first pass */
    uint64_t card;
    const char *point_text; /* `m=1024 dtype=fp16`, for people */
    const char *user;       /* submitter of the job */
    /* of a gang; an entry for each rank, as in the next three */
    struct text_list hosts;
    struct text_list addresses;
    struct text_list card_addresses;
    struct u64_list cards;
    bool threads;     /* rank 0 is the only process; the other ranks lend their cards */
    const char *gang; /* secret of the attempt; a peer that sends it belongs to it */
    const char *replay;       /* kernel, application or range */
    uint64_t barrier_ms;      /* longest wait of a rank for the others */
    const char *launch_range; /* patterns of marked ranges, one per line; each has its
                                 own count and skip. "": launches anywhere */
    uint64_t share_permille;  /* equal launches share the passes when their durations
                                 differ by at most this; 0: no sharing */
    bool kill;                /* end the program after its launches are measured */
    bool stubs;       /* put inject under the names of the runtime's libraries */
    bool runner;      /* `command` is for muster-runner, without the program's name */
    uint64_t renew;   /* points that one runner process serves; 0: one each */
    const char *tool; /* npu (or ""); iree and framework: the program records its data
                         itself; xpti: the subscriber records its trace events;
                         simulator: the vendor's instruction simulator writes logs */
    const char *dump; /* with iree and framework: pattern of the files or folders to
                         collect; "": none */
    const char *streams;    /* with xpti: patterns, one per line; "": the usual ones */
    const char *filter;     /* with xpti: patterns of names, one per line; "": all */
    const char *simulation; /* with simulator: metrics, divided by commas */
    const char *cores;      /* with simulator: list such as "0,2-3"; "": all */
    const char *elf;        /* with simulator: file of the kernel; "": none */
};

/* coordinator to worker: the result is on disk; the worker deletes its copy */
struct msg_result_ack {
    uint64_t run_id;
    uint64_t rank;
};

/* coordinator to worker: end this rank; answered by rank_result, or by lease_refused
 * when the rank had not begun */
struct msg_stop_rank {
    uint64_t run_id;
    uint64_t rank;
    const char *reason;
    bool only_waiting; /* recall: only when the rank has not begun */
};

/* coordinator to worker: the worker is to end */
struct msg_go_away {
    const char *reason;
};

/* coordinator to worker: the barrier ends in the same way on all hosts */
struct msg_barrier_release {
    uint64_t run_id;
    /* key of the communicator; 0: all barriers of the attempt, for good */
    uint64_t group;
    uint64_t epoch;
    bool go;             /* true: a release; false: an abort */
    uint64_t release_ns; /* coordinator's monotonic clock at which the ranks continue */
    uint64_t vote;       /* the worst value, when a rank cannot continue */
    uint64_t rank;       /* rank that caused an abort, or BARRIER_NO_RANK */
    const char *reason;
};

/* coordinator to worker: the answer to clock_ping */
struct msg_clock_pong {
    uint64_t sent_ns; /* as in clock_ping */
    uint64_t root_ns; /* coordinator's monotonic clock */
};

/* coordinator to worker: asks for the output of a rank's program; answered by output */
struct msg_read_output {
    uint64_t ticket; /* number of the question */
    uint64_t run_id;
    uint64_t rank;
    uint64_t from; /* offset of the first requested byte */
};

/* worker to coordinator, data: one group of a capture; sent again until it is answered
 * by group_ack or group_refused */
struct msg_group {
    uint64_t run_id;
    uint64_t shard;     /* rank << 16 | number of the profiled process of that rank */
    uint64_t number;    /* of the group in its shard, from 0 */
    uint64_t raw_bytes; /* size before compression */
    bool zstd;          /* `data` is compressed */
    uint64_t session;   /* of the welcome, so that a group belongs to one worker */
    struct bytes data;
};

/* coordinator to worker, data: the group is on disk; the worker deletes its copy */
struct msg_group_ack {
    uint64_t run_id;
    uint64_t shard;
    uint64_t number;
};

/* coordinator to worker, data: the coordinator will never accept this group */
struct msg_group_refused {
    uint64_t run_id;
    uint64_t shard;
    uint64_t number;
    const char *reason;
};

#endif
