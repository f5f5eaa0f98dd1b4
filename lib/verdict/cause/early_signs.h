/* early_signs.h - causes that the stored figures alone exclude or name
 *
 * These signs cost no run. They are read before a regression is confirmed. The figures
 * of a disturbed card are no regression: lib/compare/disturbed.h leaves them out. */
#ifndef LIB_VERDICT_CAUSE_EARLY_SIGNS_H
#define LIB_VERDICT_CAUSE_EARLY_SIGNS_H

#include <stdbool.h>

#include "lib/verdict/verdict.h"

struct early_signs {
    bool same_code;             /* kernel, program and arguments have equal hashes */
    bool cycles_measured;       /* `cycles` was judged */
    enum verdict_kind duration; /* of the cell */
    enum verdict_kind cycles;   /* of the same cell in clock cycles */
    bool canary_regressed;      /* an unchanged kernel became slower on this card */
};

enum early_cause {
    EARLY_NONE,  /* the signs do not name a cause */
    EARLY_CLOCK, /* clock or power of the card: slower at the same cycles */
    EARLY_CARD,  /* the card or its environment: an unchanged kernel is slower */
};

struct early_answer {
    enum early_cause cause;
    bool code_excluded; /* the kernel's code cannot be the cause */
};

struct early_answer early_signs_read(const struct early_signs *signs);

#endif
