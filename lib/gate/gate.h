/* gate.h - decides whether a job passes: the verdict that ends in an exit code
 *
 * A regression counts when it is confirmed, or when nothing is confirmed by request.
 * Suspects that wait for a confirmation leave the gate undecided. When the program of
 * the base does not run any more, the same suspect in two nights running counts. */
#ifndef LIB_GATE_GATE_H
#define LIB_GATE_GATE_H

#include "lib/gate/improved_points.h"
#include "lib/gate/suspects.h"
#include "lib/job/job.h"

struct gate_rules {
    struct suspect_rules suspects;
    unsigned fail;    /* enum job_gate_fail */
    unsigned causes;  /* enum job_gate_cause; regressions of other causes only show */
    double undecided; /* highest share of inconclusive cells */
    bool confirm;     /* suspects count only after their confirmation */
};

/* The exit codes of `muster gate` that a comparison gives. */
enum gate_code {
    GATE_PASSED = 0,
    GATE_TASKS_FAILED = 1, /* though every cell was measured */
    GATE_REGRESSED = 4,
    GATE_UNDECIDED = 5,
};

/* The meaning of a suspect for the gate; the most important one comes first. */
enum gate_weight {
    WEIGHT_REGRESSION,
    WEIGHT_OPEN,    /* needs a confirmation, or its confirmation did not decide */
    WEIGHT_EXCUSED, /* its cause is not in the list of causes */
    WEIGHT_NOT_REPRODUCED,
    WEIGHT_COUNT,
};

struct gate_result {
    enum gate_code code;
    size_t outcomes[OUTCOME_COUNT]; /* judged cells */
    size_t decidable;               /* cells that were compared */
    size_t missing; /* repeats that the job asked for and has not done */
    size_t suspects[WEIGHT_COUNT];
    double undecided_share;
    bool too_many_undecided;
    size_t quarantined;    /* cells that are shown and not counted */
    bool large_quarantine; /* so many cells are in quarantine that the rest shows little
                            */
    bool tasks_failed;
};

struct gate;

/* Finds the suspects of a judged comparison. The comparison and the texts of the rules
 * are borrowed; the evidence is only read here. */
struct gate *gate_create(const struct comparison *comparison,
                         const struct gate_rules *rules,
                         const struct gate_evidence *evidence);
void gate_destroy(struct gate *gate); /* NULL is allowed */

/* Largest shift first. */
const struct suspect *gate_suspects(const struct gate *gate, size_t *count);
const struct improved_point *gate_improved(const struct gate *gate, size_t *count);
/* Sets the result of fresh runs for a suspect. `causes` replaces those of the signs,
 * unless causes.first is CAUSE_NONE. */
void gate_confirm(struct gate *gate,
                  size_t suspect,
                  enum suspect_state state,
                  struct causes causes);

/* Sets how many nights in a row before this one show the change, and the oldest of them
 * as a text. */
void gate_set_since(struct gate *gate,
                    size_t suspect,
                    size_t nights_before,
                    const char *since);

/* Cells that have the code and environment of the base, and those of them that
 * regressed though fresh runs did not reproduce it, or without any cause. */
struct gate_equal_cells {
    size_t cells, false_alarms;
};
struct gate_equal_cells gate_count_equal(const struct gate *gate);

/* Returns what the suspect means. */
enum gate_weight gate_weigh(const struct gate *gate, const struct suspect *suspect);

/* `tasks_failed`: the job ended with tasks that failed. `is_unusable`: the gate
 * cannot pass, because its base is too old or its own alarms are often false. */
struct gate_result
gate_decide(const struct gate *gate, bool tasks_failed, bool is_unusable);

/* All cells, sorted by suspects_sort(). */
const struct comparison_row *gate_rows(const struct gate *gate, size_t *count);
/* Returns false for cells that only give signs, and for those in quarantine. */
bool gate_is_judged(const struct gate *gate, const struct comparison_row *row);
const struct gate_rules *gate_rules(const struct gate *gate);
const struct comparison *gate_comparison(const struct gate *gate);

#endif
