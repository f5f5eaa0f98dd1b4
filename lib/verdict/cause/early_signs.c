#include "lib/verdict/cause/early_signs.h"

struct early_answer early_signs_read(const struct early_signs *signs)
{
    struct early_answer answer = {.code_excluded = signs->same_code};

    if (signs->duration != VERDICT_REGRESSED)
        return answer;
    if (signs->cycles_measured && signs->cycles == VERDICT_SAME)
        answer.cause = EARLY_CLOCK;
    else if (signs->canary_regressed)
        answer.cause = EARLY_CARD;
    return answer;
}
