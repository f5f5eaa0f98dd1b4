/* gate_reasons.h - the sentences of a gate: one for each cause of a regression, for
 * each improved point, and for each new card */
#ifndef LIB_GATE_GATE_REASONS_H
#define LIB_GATE_GATE_REASONS_H

#include "lib/gate/gate.h"

/* Suspects that share a cause, its place and their state. */
struct gate_reason {
    enum cause cause, second;
    enum suspect_state state;
    enum gate_weight weight;
    size_t points, cards;      /* different ones */
    size_t suspects;           /* cells */
    double shift;              /* median over the cells, a natural logarithm */
    const char *serial, *host; /* of the cause; "": no card, or no host */
    char *text;                /* the sentence */
};

struct gate_reasons {
    struct gate_reason *reasons; /* by weight, then the number of cells */
    size_t count;
    char **improved; /* a sentence for each point that improved; largest change first */
    size_t improved_count;
    char **new_cards; /* a sentence for each card that the base does not have */
    size_t new_card_count;
};

void gate_reasons_init(struct gate_reasons *reasons, const struct gate *gate);
void gate_reasons_clear(struct gate_reasons *reasons);

#endif
