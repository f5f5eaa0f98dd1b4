#include "lib/gate/gate.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* A larger share of cells in quarantine leaves the gate undecided. */
static const double most_quarantined = 0.05;

struct gate {
    const struct comparison *comparison;
    struct gate_rules rules;
    struct comparison_row *rows;
    size_t row_count;
    struct suspect *suspects;
    size_t suspect_count;
    struct improved_point *improved;
    size_t improved_count;
    size_t equal_cells; /* with the code and environment of the base */
};

/* Returns true for a judged cell whose code and environment are those of the base. */
static bool is_equal(const struct gate *gate,
                     const struct comparison_row *row,
                     const struct gate_evidence *evidence)
{
    return row->outcome <= OUTCOME_INCONCLUSIVE && gate_is_judged(gate, row) &&
           gate_evidence_code(evidence, row->task_point, row->kernel) == SIGN_EQUAL &&
           gate_evidence_environment(evidence, row->placed_serial) == SIGN_EQUAL;
}

struct gate *gate_create(const struct comparison *comparison,
                         const struct gate_rules *rules,
                         const struct gate_evidence *evidence)
{
    struct gate *gate = xcalloc(1, sizeof(*gate));

    gate->comparison = comparison;
    gate->rules = *rules;
    gate->rows = suspects_sort(comparison);
    gate->row_count = comparison_count(comparison);
    gate->suspects = suspects_find(comparison, gate->rows, gate->row_count,
                                   &rules->suspects, evidence, &gate->suspect_count);
    gate->improved =
        improved_points_find(comparison, gate->rows, gate->row_count,
                             rules->suspects.metric, &gate->improved_count);
    for (size_t i = 0; i < gate->row_count; i++)
        gate->equal_cells += is_equal(gate, &gate->rows[i], evidence);
    return gate;
}

void gate_destroy(struct gate *gate)
{
    if (!gate)
        return;
    for (size_t i = 0; i < gate->suspect_count; i++)
        free(gate->suspects[i].since);
    free(gate->rows);
    free(gate->suspects);
    free(gate->improved);
    free(gate);
}

const struct suspect *gate_suspects(const struct gate *gate, size_t *count)
{
    *count = gate->suspect_count;
    return gate->suspects;
}

const struct improved_point *gate_improved(const struct gate *gate, size_t *count)
{
    *count = gate->improved_count;
    return gate->improved;
}

/* A slow card, host or link is real though code and environment are those of the base.
 * What fresh runs did not reproduce is not; neither is a change without a cause. */
static bool is_false_alarm(const struct suspect *suspect)
{
    if (suspect->is_group || suspect->code != SIGN_EQUAL ||
        suspect->environment != SIGN_EQUAL)
        return false;
    return suspect->state == SUSPECT_NOT_REPRODUCED ||
           (suspect->state != SUSPECT_CONFIRMED &&
            (suspect->causes.first == CAUSE_UNKNOWN ||
             suspect->causes.first == CAUSE_CONTRADICTORY));
}

struct gate_equal_cells gate_count_equal(const struct gate *gate)
{
    struct gate_equal_cells equal = {.cells = gate->equal_cells};

    for (size_t i = 0; i < gate->suspect_count; i++)
        equal.false_alarms += is_false_alarm(&gate->suspects[i]);
    return equal;
}

void gate_confirm(struct gate *gate,
                  size_t suspect,
                  enum suspect_state state,
                  struct causes causes)
{
    assert(suspect < gate->suspect_count);
    gate->suspects[suspect].state = state;
    if (causes.first != CAUSE_NONE)
        gate->suspects[suspect].causes = causes;
}

void gate_set_since(struct gate *gate,
                    size_t suspect,
                    size_t nights_before,
                    const char *since)
{
    assert(suspect < gate->suspect_count);
    gate->suspects[suspect].nights_before = nights_before;
    free(gate->suspects[suspect].since);
    gate->suspects[suspect].since = xstrdup(since);
}

const struct comparison_row *gate_rows(const struct gate *gate, size_t *count)
{
    *count = gate->row_count;
    return gate->rows;
}

bool gate_is_judged(const struct gate *gate, const struct comparison_row *row)
{
    return !row->quarantine[0] &&
           text_matches_any(row->metric, gate->rules.suspects.metric);
}

const struct gate_rules *gate_rules(const struct gate *gate)
{
    return &gate->rules;
}

const struct comparison *gate_comparison(const struct gate *gate)
{
    return gate->comparison;
}

static unsigned bit_of(enum cause cause)
{
    static const unsigned bits[CAUSE_COUNT] = {
        [CAUSE_UNKNOWN] = JOB_CAUSE_UNKNOWN,
        [CAUSE_CONTRADICTORY] = JOB_CAUSE_UNKNOWN,
        [CAUSE_BASE_GONE] = JOB_CAUSE_UNKNOWN,
        [CAUSE_CODE] = JOB_CAUSE_CODE,
        [CAUSE_CODE_HERE] = JOB_CAUSE_CODE,
        [CAUSE_CARD] = JOB_CAUSE_CARD,
        [CAUSE_HOST] = JOB_CAUSE_HOST,
        [CAUSE_LINK] = JOB_CAUSE_LINK,
        [CAUSE_ENVIRONMENT] = JOB_CAUSE_ENVIRONMENT,
    };

    return bits[cause];
}

static bool has_listed_cause(const struct gate *gate, const struct suspect *suspect)
{
    return gate->rules.causes &
           (bit_of(suspect->causes.first) | bit_of(suspect->causes.second));
}

enum gate_weight gate_weigh(const struct gate *gate, const struct suspect *suspect)
{
    bool believed = suspect->state == SUSPECT_CONFIRMED ||
                    (suspect->state == SUSPECT_OPEN && !gate->rules.confirm) ||
                    (suspect->state == SUSPECT_BASE_GONE && suspect->nights_before > 0);

    if (suspect->state == SUSPECT_NOT_REPRODUCED)
        return WEIGHT_NOT_REPRODUCED;
    if (!has_listed_cause(gate, suspect))
        return WEIGHT_EXCUSED;
    return believed ? WEIGHT_REGRESSION : WEIGHT_OPEN;
}

static void count_cells(const struct gate *gate, struct gate_result *result)
{
    for (size_t i = 0; i < gate->row_count; i++)
        if (gate_is_judged(gate, &gate->rows[i]))
            result->outcomes[gate->rows[i].outcome]++;
        else
            result->quarantined +=
                text_matches_any(gate->rows[i].metric, gate->rules.suspects.metric);
    result->decidable =
        result->outcomes[OUTCOME_REGRESSED] + result->outcomes[OUTCOME_IMPROVED] +
        result->outcomes[OUTCOME_SAME] + result->outcomes[OUTCOME_INCONCLUSIVE];
    result->missing = comparison_missing(gate->comparison);
}

/* A gate whose cells are mostly in quarantine shows nothing. */
static bool has_large_quarantine(const struct gate_result *result)
{
    double all = (double)(result->quarantined + result->decidable);

    return (double)result->quarantined > most_quarantined * all;
}

struct gate_result
gate_decide(const struct gate *gate, bool tasks_failed, bool is_unusable)
{
    const struct gate_rules *rules = &gate->rules;
    struct gate_result result = {.tasks_failed = tasks_failed};
    size_t inconclusive;

    count_cells(gate, &result);
    result.large_quarantine = has_large_quarantine(&result);
    for (size_t i = 0; i < gate->suspect_count; i++)
        result.suspects[gate_weigh(gate, &gate->suspects[i])]++;
    inconclusive = result.outcomes[OUTCOME_INCONCLUSIVE];
    result.undecided_share =
        result.decidable ? (double)inconclusive / (double)result.decidable : 0;
    result.too_many_undecided = result.undecided_share > rules->undecided ||
                                (inconclusive > 0 && rules->fail & JOB_FAIL_UNDECIDED);
    bool not_measured = result.missing > 0 || result.outcomes[OUTCOME_NOT_MEASURED] > 0;
    if ((result.suspects[WEIGHT_REGRESSION] > 0 && rules->fail & JOB_FAIL_REGRESSED) ||
        (gate->improved_count > 0 && rules->fail & JOB_FAIL_IMPROVED))
        result.code = GATE_REGRESSED;
    else if ((result.suspects[WEIGHT_OPEN] > 0 && rules->fail & JOB_FAIL_REGRESSED) ||
             result.decidable == 0 || is_unusable || result.large_quarantine ||
             result.too_many_undecided ||
             (not_measured && rules->fail & JOB_FAIL_NOT_MEASURED))
        result.code = GATE_UNDECIDED;
    else if (tasks_failed)
        result.code = GATE_TASKS_FAILED;
    return result;
}
