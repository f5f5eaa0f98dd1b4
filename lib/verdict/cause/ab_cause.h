/* ab_cause.h - the cause of a suspect, from the answers of alternating runs
 *
 * A is the program of the baseline, B that of the night. Both run on three cards: the
 * suspect, another card of its host (the neighbour), and a card of another host. Two
 * questions are answered for a card: is B slower than A today (code), and is A slower
 * today than in the baseline (drift). */
#ifndef LIB_VERDICT_CAUSE_AB_CAUSE_H
#define LIB_VERDICT_CAUSE_AB_CAUSE_H

enum ab_answer {
    AB_NOT_RUN,
    AB_INCONCLUSIVE,
    AB_SAME,
    AB_SLOWER,
    AB_FASTER, /* counts as "not slower" */
};

struct ab_answers {
    enum ab_answer code_suspect, code_other;
    enum ab_answer drift_suspect, drift_neighbour, drift_other;
};

enum cause {
    CAUSE_NONE,
    CAUSE_UNKNOWN,        /* an answer that matters is missing or inconclusive */
    CAUSE_NOT_REPRODUCED, /* nothing is slower any more */
    CAUSE_CONTRADICTORY,  /* slower on the other card only: run once more */
    CAUSE_BASE_GONE,      /* program A was replaced, or does not run any more */
    CAUSE_CODE,           /* on both cards */
    CAUSE_CODE_HERE,      /* on this card or kind of card only */
    CAUSE_CARD,
    CAUSE_HOST,
    CAUSE_LINK,        /* between two cards; only rotated ranks name it */
    CAUSE_ENVIRONMENT, /* driver, firmware, CANN, cooling, or the parser */
    CAUSE_COUNT,
};

struct causes {
    enum cause first;
    enum cause second; /* drift beside a change of code; else CAUSE_NONE */
};

struct causes ab_cause(const struct ab_answers *answers);

const char *cause_name(enum cause cause); /* "code"; "" for CAUSE_NONE */

#endif
