#include "lib/verdict/cause/ab_cause.h"

#include <assert.h>
#include <stddef.h>

#include "lib/base/mem.h"

enum side { ANY, OPEN, NOT_SLOWER, SLOWER };

static enum side side_of(enum ab_answer answer)
{
    static const enum side sides[] = {
        [AB_NOT_RUN] = OPEN,  [AB_INCONCLUSIVE] = OPEN, [AB_SAME] = NOT_SLOWER,
        [AB_SLOWER] = SLOWER, [AB_FASTER] = NOT_SLOWER,
    };

    assert((size_t)answer < COUNT(sides));
    return sides[answer];
}

/* The first row that fits counts. */
static const struct code_row {
    enum side suspect, other;
    enum cause cause;
} code_rows[] = {
    {SLOWER, SLOWER, CAUSE_CODE},
    {SLOWER, NOT_SLOWER, CAUSE_CODE_HERE},
    {NOT_SLOWER, NOT_SLOWER, CAUSE_NONE},
    {NOT_SLOWER, SLOWER, CAUSE_CONTRADICTORY},
    {ANY, ANY, CAUSE_UNKNOWN},
};

static const struct drift_row {
    enum side suspect, neighbour, other;
    enum cause cause;
} drift_rows[] = {
    {NOT_SLOWER, ANY, ANY, CAUSE_NONE},
    {SLOWER, NOT_SLOWER, NOT_SLOWER, CAUSE_CARD},
    {SLOWER, SLOWER, NOT_SLOWER, CAUSE_HOST},
    {SLOWER, SLOWER, SLOWER, CAUSE_ENVIRONMENT},
    {ANY, ANY, ANY, CAUSE_UNKNOWN},
};

static int fits(enum side required, enum side side)
{
    return required == ANY || required == side;
}

static enum cause code_cause(const struct ab_answers *answers)
{
    enum side suspect = side_of(answers->code_suspect);
    enum side other = side_of(answers->code_other);
    const struct code_row *row = code_rows;

    while (!fits(row->suspect, suspect) || !fits(row->other, other))
        row++;
    return row->cause;
}

static enum cause drift_cause(const struct ab_answers *answers)
{
    enum side suspect = side_of(answers->drift_suspect);
    enum side neighbour = side_of(answers->drift_neighbour);
    enum side other = side_of(answers->drift_other);
    const struct drift_row *row = drift_rows;

    while (!fits(row->suspect, suspect) || !fits(row->neighbour, neighbour) ||
           !fits(row->other, other))
        row++;
    return row->cause;
}

struct causes ab_cause(const struct ab_answers *answers)
{
    enum cause code = code_cause(answers), drift = drift_cause(answers);

    switch (code) {
    case CAUSE_CODE:
    case CAUSE_CODE_HERE:
        return (struct causes){code, drift == CAUSE_UNKNOWN ? CAUSE_NONE : drift};
    case CAUSE_NONE:
        return (struct causes){drift == CAUSE_NONE ? CAUSE_NOT_REPRODUCED : drift,
                               CAUSE_NONE};
    default:
        return (struct causes){code, CAUSE_NONE};
    }
}

const char *cause_name(enum cause cause)
{
    static const char *const names[CAUSE_COUNT] = {
        [CAUSE_NONE] = "",
        [CAUSE_UNKNOWN] = "unknown",
        [CAUSE_NOT_REPRODUCED] = "not-reproduced",
        [CAUSE_CONTRADICTORY] = "contradictory",
        [CAUSE_BASE_GONE] = "base-gone",
        [CAUSE_CODE] = "code",
        [CAUSE_CODE_HERE] = "code-here",
        [CAUSE_CARD] = "card",
        [CAUSE_HOST] = "host",
        [CAUSE_LINK] = "link",
        [CAUSE_ENVIRONMENT] = "environment",
    };

    assert((size_t)cause < COUNT(names));
    return names[cause];
}
