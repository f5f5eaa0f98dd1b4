/* link_matrix.h - slow senders, receivers, cards and links in a matrix of transfers */
#ifndef LIB_VERDICT_CAUSE_LINK_MATRIX_H
#define LIB_VERDICT_CAUSE_LINK_MATRIX_H

#include <stddef.h>

enum link_fault_kind {
    LINK_FAULT_SENDER,   /* all transfers from this card */
    LINK_FAULT_RECEIVER, /* all transfers to this card */
    LINK_FAULT_CARD,     /* both directions */
    LINK_FAULT_LINK,     /* the transfer from one card to another one alone */
};

struct link_fault {
    enum link_fault_kind kind;
    size_t from, to; /* both are the card, except for a link */
    double size;     /* natural logarithm; of a card: the smaller of both directions */
};

/* Finds what is slower than the rest. `times` holds cards * cards transfer times, row
 * by row; the row is the sender. The diagonal is not read; times that are not positive
 * and finite count as not measured. `delta` is the margin, a natural logarithm. Returns
 * the faults, which the caller frees, in *count; cards first, then links by size. */
struct link_fault *
link_matrix_faults(const double *times, size_t cards, double delta, size_t *count);

#endif
