/* messages_worker.h - what workers and the coordinator say to each other; messages.h
 * has their numbers and fields */
#ifndef LIB_WIRE_MESSAGES_WORKER_H
#define LIB_WIRE_MESSAGES_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"

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
    BARRIER_VOTE_RELEASED = 0,
    BARRIER_VOTE_FINISHED = 1, /* goes on, and has then ended */
    BARRIER_VOTE_MISMATCH = 3, /* it stands at something else */
    BARRIER_VOTE_LATE = 10,    /* it did not come in time */
    BARRIER_VOTE_BUSY = 14,    /* another group kept the cards */
    BARRIER_VOTE_ENDED = 15,   /* the run is being ended */
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

#endif
