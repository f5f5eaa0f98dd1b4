/* gate_json.c - gate.json: the verdict with all its figures */
#include <math.h>
#include <string.h>

#include "cli/gate/gate_report.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

const char *gate_code_name(enum gate_code code)
{
    static const struct {
        enum gate_code code;
        const char *name;
    } names[] = {
        {GATE_PASSED, "passed"},
        {GATE_TASKS_FAILED, "tasks-failed"},
        {GATE_REGRESSED, "regressed"},
        {GATE_UNDECIDED, "undecided"},
    };
    size_t i = 0;

    while (names[i].code != code)
        i++;
    return names[i].name;
}

static const char *sign_name(enum gate_sign sign)
{
    static const char *const names[] = {
        [SIGN_UNKNOWN] = "unknown", [SIGN_EQUAL] = "equal", [SIGN_DIFFERS] = "differs"};

    return names[sign];
}

static const char *weight_name(enum gate_weight weight)
{
    static const char *const names[WEIGHT_COUNT] = {
        [WEIGHT_REGRESSION] = "regression",
        [WEIGHT_OPEN] = "open",
        [WEIGHT_EXCUSED] = "excused",
        [WEIGHT_NOT_REPRODUCED] = "not-reproduced",
    };

    return names[weight];
}

static void write_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void write_count(struct json_write *json, const char *key, uint64_t value)
{
    json_write_key(json, key);
    json_write_u64(json, value);
}

/* Writes a natural logarithm as per cent. */
static void write_percent(struct json_write *json, const char *key, double shift)
{
    json_write_key(json, key);
    if (isfinite(shift))
        json_write_fixed(json, 100 * expm1(shift), 3);
    else
        json_write_null(json);
}

static void write_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

static void write_counts(struct json_write *json, const struct gate_result *result)
{
    json_write_key(json, "counts");
    json_write_object(json);
    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        write_count(json, comparison_outcome_name(i), result->outcomes[i]);
    write_count(json, "missing", result->missing);
    json_write_object_end(json);
    json_write_key(json, "suspect_counts");
    json_write_object(json);
    for (enum gate_weight i = 0; i < WEIGHT_COUNT; i++)
        write_count(json, weight_name(i), result->suspects[i]);
    json_write_object_end(json);
    json_write_key(json, "undecided_percent");
    json_write_fixed(json, 100 * result->undecided_share, 3);
}

static void write_reasons(struct json_write *json, const struct gate_reasons *reasons)
{
    json_write_key(json, "improved");
    json_write_array(json);
    for (size_t i = 0; i < reasons->improved_count; i++)
        json_write_text(json, reasons->improved[i]);
    json_write_array_end(json);
    json_write_key(json, "new_cards");
    json_write_array(json);
    for (size_t i = 0; i < reasons->new_card_count; i++)
        json_write_text(json, reasons->new_cards[i]);
    json_write_array_end(json);
    json_write_key(json, "reasons");
    json_write_array(json);
    for (size_t i = 0; i < reasons->count; i++) {
        const struct gate_reason *reason = &reasons->reasons[i];

        json_write_object(json);
        write_text(json, "text", reason->text);
        write_text(json, "cause", cause_name(reason->cause));
        write_text(json, "second_cause", cause_name(reason->second));
        write_text(json, "state", suspect_state_name(reason->state));
        write_text(json, "weight", weight_name(reason->weight));
        write_percent(json, "change_percent", reason->shift);
        write_text(json, "card", reason->serial);
        write_text(json, "host", reason->host);
        write_count(json, "points", reason->points);
        write_count(json, "cards", reason->cards);
        write_count(json, "cells", reason->suspects);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_cell(struct json_write *json, const struct comparison_row *cell)
{
    write_text(json, "verdict", comparison_outcome_name(cell->outcome));
    write_text(json, "point", cell->point);
    write_text(json, "kernel", cell->kernel);
    if (cell->rank != FIGURE_OF_ALL_RANKS)
        write_count(json, "rank", cell->rank);
    write_text(json, "card", cell->placed_serial);
    write_text(json, "host", cell->placed_host);
    write_text(json, "metric", cell->metric);
    write_percent(json, "change_percent", cell->shift);
    write_percent(json, "low_percent", cell->low);
    write_percent(json, "high_percent", cell->high);
    write_number(json, "p", fmin(cell->p_worse, cell->p_better));
    write_number(json, "p_adjusted",
                 fmin(cell->p_worse_adjusted, cell->p_better_adjusted));
    write_count(json, "n_base", cell->base_count);
    write_count(json, "n_new", cell->new_count);
    write_text(json, "reason", cell->reason);
}

static void write_suspects(struct json_write *json, const struct gate *gate)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    json_write_key(json, "suspects");
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct suspect *suspect = &suspects[i];

        json_write_object(json);
        write_cell(json, &suspect->cell);
        write_text(json, "cause", cause_name(suspect->causes.first));
        write_text(json, "second_cause", cause_name(suspect->causes.second));
        write_text(json, "state", suspect_state_name(suspect->state));
        write_text(json, "weight", weight_name(gate_weigh(gate, suspect)));
        write_text(json, "since", suspect->since ? suspect->since : "");
        write_count(json, "nights_before", suspect->nights_before);
        write_text(json, "code", sign_name(suspect->code));
        write_text(json, "environment", sign_name(suspect->environment));
        json_write_key(json, "no_more_cycles");
        json_write_bool(json, suspect->no_more_cycles);
        json_write_key(json, "canary_regressed");
        json_write_bool(json, suspect->canary_regressed);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Writes the judged cells that are not the same. */
static void write_cells(struct json_write *json, const struct gate *gate)
{
    size_t count;
    const struct comparison_row *rows = gate_rows(gate, &count);

    json_write_key(json, "cells");
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].outcome == OUTCOME_SAME || !gate_is_judged(gate, &rows[i]))
            continue;
        json_write_object(json);
        write_cell(json, &rows[i]);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void gate_to_json(const struct gate_report *report, struct text *out)
{
    struct json_write json;
    struct err ignored; /* writing to a text cannot fail */

    json_write_to_text(&json, out);
    json_write_pretty(&json);
    json_write_object(&json);
    write_text(&json, "schema", "muster.gate.v1");
    write_text(&json, "job", report->job_key);
    write_text(&json, "against", report->against);
    write_text(&json, "verdict", gate_code_name(report->result->code));
    write_count(&json, "exit_code", report->result->code);
    write_text(&json, "sentence", report->sentence);
    write_text(&json, "metric", report->metric);
    json_write_key(&json, "tolerance_percent");
    json_write_fixed(&json, 100 * report->tolerance, 3);
    json_write_key(&json, "simulated");
    json_write_bool(&json, report->simulated);
    json_write_key(&json, "nights_unknown");
    json_write_bool(&json, report->nights_unknown);
    write_counts(&json, report->result);
    write_reasons(&json, report->reasons);
    json_write_key(&json, "false_alarm_percent");
    if (isfinite(report->false_alarms))
        json_write_fixed(&json, 100 * report->false_alarms, 3);
    else
        json_write_null(&json);
    json_write_key(&json, "environment_change");
    if (report->environment_change)
        json_write_text(&json, report->environment_change);
    else
        json_write_null(&json);
    json_write_key(&json, "drifts");
    json_write_array(&json);
    for (size_t i = 0; i < report->drift_count; i++)
        json_write_text(&json, report->drifts[i]);
    json_write_array_end(&json);
    write_suspects(&json, report->gate);
    write_cells(&json, report->gate);
    json_write_object_end(&json);
    json_write_finish(&json, &ignored);
    text_add(out, "\n");
}
