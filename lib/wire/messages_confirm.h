/* messages_confirm.h - messages between the commands of users and the coordinator about
 * confirmations
 *
 * messages.h has their numbers and the rules for all messages. */
#ifndef LIB_WIRE_MESSAGES_CONFIRM_H
#define LIB_WIRE_MESSAGES_CONFIRM_H

#include <stdint.h>

#include "lib/wire/message_parts.h"

/* client to coordinator: measures suspects of a job again, with the programs of the job
 * (B) and of its base (A) in turn; answered by submitted. The lists have one entry for
 * each suspect */
struct msg_confirm_suspects {
    uint64_t job_id; /* that has the suspects; it has ended */
    uint64_t base_job_id;
    const char *user;         /* replaced by the name of the key, if there is one */
    const char *once;         /* token: the same one gives the same job; "": none */
    uint64_t pairs;           /* runs of A and B on each card, at least 7 */
    uint64_t sessions;        /* parts of the balanced order */
    uint64_t card_count;      /* 1 to 3: the suspect, its neighbour, another host */
    uint64_t time_ms;         /* tasks that wait after this time are cancelled */
    double tolerance;         /* smallest change that counts, a share */
    struct text_list points;  /* values, such as m=1024 dtype=fp16 */
    struct text_list kernels; /* names */
    struct text_list metrics; /* names */
    struct text_list cards; /* serial or HOST:CARD; "": the one with the worst median */
    struct u64_list ranks;
    /* noise between nights, natural logarithms times 1,000,000; empty: unknown */
    struct u64_list night_h_ppm; /* a quiet night differs by less in 99 % */
    struct u64_list night_w_ppm; /* likewise in 95 % */
    struct u64_list nights;      /* nights that show it; 0: unknown */
};

/* client to coordinator: answered by rows of suspect, then end */
struct msg_list_suspects {
    uint64_t job_id; /* of the confirmation */
};

/* coordinator to client: one suspect. An answer is worse, better, same, inconclusive,
 * not-run or "" while the confirmation runs; a change is in per cent, positive is worse
 */
struct msg_suspect_row {
    uint64_t number;    /* from 1 */
    const char *cause;  /* code, code-here, card, link, host, environment,
                           not-reproduced, contradictory, unknown; "": not judged yet */
    const char *also;   /* second cause beside the code, or "" */
    const char *reason; /* of an unknown cause, or "" */
    const char *point;
    const char *kernel;
    const char *metric;
    uint64_t rank;
    const char *card;            /* serial or HOST:CARD */
    const char *place;           /* HOST:CARD of each rank */
    const char *neighbour_place; /* "": the fleet has none */
    const char *other_place;     /* on another host; "": the fleet has none */
    const char *code;            /* is B worse than A now? */
    double code_percent;
    const char *neighbour_code;
    double neighbour_code_percent;
    const char *other_code;
    double other_code_percent;
    const char *drift; /* is A worse now than in the base? */
    double drift_percent;
    const char *neighbour_drift;
    double neighbour_drift_percent;
    const char *other_drift;
    double other_drift_percent;
    /* serials or HOST:CARD of what is slow with each rank, when the ranks were rotated
     * over their cards; the peer only of a link. "": none */
    const char *slow_card;
    const char *slow_peer;
};

#endif
