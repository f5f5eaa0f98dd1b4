#include "cli/gate/gate_evidence_print.h"

#include <math.h>
#include <stdio.h>

enum { SUSPECTS_MAX = 100 };

static const char *code_text(enum gate_sign sign)
{
    static const char *const texts[] = {
        [SIGN_UNKNOWN] = "whether its code changed is unknown",
        [SIGN_EQUAL] = "its binary and its command are those of the base",
        [SIGN_DIFFERS] = "its binary or its command changed",
    };

    return texts[sign];
}

static const char *environment_text(enum gate_sign sign)
{
    static const char *const texts[] = {
        [SIGN_UNKNOWN] = "whether the environment changed is unknown",
        [SIGN_EQUAL] = "the environment is that of the base",
        [SIGN_DIFFERS] = "the environment changed",
    };

    return texts[sign];
}

static void print_suspect(const struct suspect *suspect)
{
    const struct comparison_row *cell = &suspect->cell;

    printf("  %s %s", cell->kernel, cell->point[0] ? cell->point : "-");
    if (cell->placed_serial[0])
        printf(" on card %s of host %s", cell->placed_serial, cell->placed_host);
    printf(": %g %s after %g %s, %+.2f %%", cell->new_median, cell->unit,
           cell->base_median, cell->unit, 100 * expm1(cell->shift));
    if (isfinite(cell->low))
        printf(" [%+.2f, %+.2f]", 100 * expm1(cell->low), 100 * expm1(cell->high));
    printf(", p %.2g of %zu + %zu repeats; tolerance %.2f %%", cell->p_worse,
           cell->base_count, cell->new_count, 100 * expm1(cell->margin));
    if (cell->nights_unknown)
        printf(", noise between nights unknown\n");
    else
        printf(", noise between %zu nights %.2f %%\n", cell->nights,
               100 * expm1(cell->night_noise));
    printf("    cause %s", cause_name(suspect->causes.first));
    if (suspect->causes.second != CAUSE_NONE)
        printf(" and %s", cause_name(suspect->causes.second));
    printf(" (%s): %s; %s", suspect_state_name(suspect->state),
           code_text(suspect->code), environment_text(suspect->environment));
    if (suspect->no_more_cycles)
        printf("; it takes no more clock cycles");
    if (suspect->canary_regressed)
        printf("; a canary is slower on this card too");
    if (suspect->is_group)
        printf("; only its group of cells shows the change");
    printf("\n");
}

void gate_evidence_print(const struct gate *gate)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    for (size_t i = 0; i < count && i < SUSPECTS_MAX; i++)
        print_suspect(&suspects[i]);
    if (count > SUSPECTS_MAX)
        printf("  and %zu more suspects\n", count - SUSPECTS_MAX);
}
