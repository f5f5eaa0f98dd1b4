/* messages_baseline.h - messages between the commands of users and the coordinator
 * about baselines
 *
 * messages.h has their numbers and the rules for all messages. lib/compare/baseline.h
 * describes what a baseline is. */
#ifndef LIB_WIRE_MESSAGES_BASELINE_H
#define LIB_WIRE_MESSAGES_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/message_parts.h"

/* client to coordinator: changes a baseline; answered by ok. Each action uses the
 * fields whose comment names it, besides name and user */
struct msg_baseline {
    const char *what; /* set, add, drop, split or quarantine */
    const char *name;
    const char *user;     /* replaced by the name of the key, if there is one */
    struct u64_list jobs; /* set: all nights; add: one; split: first of the new level */
    bool frozen;          /* set: later nights are not added */
    uint64_t keep;        /* set: newest nights that a comparison uses, not frozen */
    bool passed;          /* add: only then the night counts */
    const char *points;   /* split, quarantine: pattern of the points */
    const char *reason;   /* add: cause when it did not pass; split and quarantine */
    uint64_t nights;      /* quarantine: number of nights that it lasts; 0: ends it */
};

/* client to coordinator: answered by rows of this kind, then end */
struct msg_list_baselines {
    const char *what; /* baselines, nights, splits or quarantines */
    const char *name; /* of the baseline; "": all */
};

/* coordinator to client: one baseline */
struct msg_baseline_row {
    const char *name;
    bool frozen;   /* later nights are not added */
    uint64_t keep; /* newest nights that a comparison uses; 0: all */
    uint64_t nights;
    uint64_t passed;            /* nights that passed */
    const char *newest_job_key; /* of the newest night that passed, or "" */
    uint64_t newest_wall_ns;    /* its end; 0: none */
    bool stale; /* not frozen, and the newest night that passed is too old */
    uint64_t splits;
    uint64_t quarantines; /* that have not ended */
    const char *user;     /* that set it */
    uint64_t set_wall_ns;
};

/* coordinator to client: one night of a baseline */
struct msg_baseline_night_row {
    const char *baseline;
    uint64_t job_id;
    const char *job_key;
    bool passed;
    bool used;          /* by a comparison of a point without a split of its own */
    const char *reason; /* cause when it did not pass, or "" */
    const char *user;   /* that added it; "": a gate */
    uint64_t added_wall_ns;
    uint64_t ended_wall_ns; /* end of the job */
    const char *state;     /* of the job; only nights that are done are compared with */
    bool gated;            /* a gate compared the job with the baseline */
    uint64_t equal_cells;  /* cells with the code and environment of the base */
    uint64_t false_alarms; /* of them, wrongly regressed ones */
};

/* coordinator to client: one known change of a baseline */
struct msg_baseline_split_row {
    const char *baseline;
    uint64_t job_id;     /* first night of the new level */
    const char *job_key; /* "": the job was deleted */
    const char *points;  /* pattern */
    const char *reason;
    const char *user;
    uint64_t added_wall_ns;
};

/* coordinator to client: one quarantine of a baseline */
struct msg_quarantine_row {
    const char *baseline;
    const char *points; /* pattern */
    uint64_t nights;
    uint64_t nights_left; /* 0: it has ended */
    const char *reason;
    const char *user;
    uint64_t added_wall_ns;
};

#endif
