#include "lib/gate/gate_sentence.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { NAMES_MOST = 3 }; /* cards or points that a sentence names */

/* Different names in the order of their first use; the texts are borrowed. */
struct few_names {
    const char *names[NAMES_MOST], *hosts[NAMES_MOST];
    size_t count; /* also of those that are not kept */
};

static void add_name(struct few_names *few, const char *name, const char *host)
{
    size_t kept = few->count < NAMES_MOST ? few->count : NAMES_MOST;

    for (size_t i = 0; i < kept; i++)
        if (strcmp(few->names[i], name) == 0 && strcmp(few->hosts[i], host) == 0)
            return;
    if (few->count < NAMES_MOST) {
        few->names[few->count] = name;
        few->hosts[few->count] = host;
    }
    few->count++;
}

static bool is_not_measured(const struct comparison_row *row)
{
    return row->missing > 0 || row->outcome == OUTCOME_NOT_MEASURED;
}

/* Adds ", on card S4 of host node2 and card S5 of host node2" when the jobs pin their
 * cards, else ", at point m=1"; nothing when there are too many of them. */
static void add_places(struct text *out, const struct gate *gate)
{
    struct few_names cards = {0}, points = {0};
    size_t count;
    const struct comparison_row *rows = gate_rows(gate, &count);

    for (size_t i = 0; i < count; i++) {
        if (!is_not_measured(&rows[i]) || !gate_is_judged(gate, &rows[i]))
            continue;
        add_name(&cards, rows[i].card, rows[i].host);
        add_name(&points, rows[i].point, "");
    }
    bool by_card = cards.count > 0 && cards.count <= NAMES_MOST && cards.names[0][0];
    const struct few_names *few = by_card ? &cards : &points;
    if (few->count == 0 || few->count > NAMES_MOST || !few->names[0][0])
        return;
    for (size_t i = 0; i < few->count; i++) {
        text_add(out, i == 0                ? (by_card ? ", on " : ", at ")
                      : i + 1 == few->count ? " and "
                                            : ", ");
        if (by_card)
            text_printf(out, "card %s of host %s", few->names[i], few->hosts[i]);
        else
            text_printf(out, "point %s", few->names[i]);
    }
}

static void add_not_measured(struct text *out,
                             const struct gate *gate,
                             const struct gate_result *result)
{
    size_t cells = result->outcomes[OUTCOME_NOT_MEASURED];

    if (result->missing > 0)
        text_printf(out, "not measured: %zu %s no result", result->missing,
                    result->missing == 1 ? "repeat has" : "repeats have");
    else
        text_printf(out, "not measured: %zu %s no value", cells,
                    cells == 1 ? "cell has" : "cells have");
    add_places(out, gate);
}

static void add_undecided(struct text *out,
                          const struct gate *gate,
                          const struct gate_result *result)
{
    size_t total, most = 0, otherwise = 0;
    const struct comparison_row *rows = gate_rows(gate, &total);
    const char *difference = "";

    for (size_t i = 0; i < total; i++) {
        if (rows[i].outcome != OUTCOME_INCONCLUSIVE || !gate_is_judged(gate, &rows[i]))
            continue;
        if (rows[i].more > most)
            most = rows[i].more;
        otherwise += rows[i].measured_otherwise;
        if (rows[i].measured_otherwise && strstr(rows[i].reason, "; "))
            difference = strstr(rows[i].reason, "; ") + 2;
    }
    text_printf(out, "undecided: %zu of %zu cells are inconclusive",
                result->outcomes[OUTCOME_INCONCLUSIVE], result->decidable);
    if (otherwise > 0)
        text_printf(out, "; %zu were measured otherwise than the base%s%s%s", otherwise,
                    *difference ? " (" : "", difference, *difference ? ")" : "");
    if (most > 0)
        text_printf(out, "; at least %zu more repeats are needed", most);
}

/* Regressions may be excused by their causes or by the kinds of failures. */
static void
add_passed(struct text *out, const struct gate *gate, const struct gate_result *result)
{
    bool are_listed = gate_rules(gate)->fail & JOB_FAIL_REGRESSED;

    if (result->suspects[WEIGHT_REGRESSION] + result->suspects[WEIGHT_OPEN] > 0)
        text_add(out, "no regression counts, because gate.fail does not list "
                      "`regressed`");
    else if (result->suspects[WEIGHT_EXCUSED] > 0)
        text_printf(out, "no regression counts, because gate.%s",
                    are_listed ? "causes does not list their causes"
                               : "fail does not list `regressed`");
    else
        text_add(out, "nothing regressed");
    if (result->missing > 0)
        text_printf(out, ", but %zu %s no result", result->missing,
                    result->missing == 1 ? "repeat has" : "repeats have");
    else if (result->tasks_failed)
        text_add(out, ", but tasks failed");
}

char *gate_sentence(const struct gate *gate,
                    const struct gate_reasons *reasons,
                    const struct gate_result *result)
{
    struct text text = {0};
    unsigned fail = gate_rules(gate)->fail;
    bool not_measured =
        result->missing > 0 || result->outcomes[OUTCOME_NOT_MEASURED] > 0;

    if ((result->suspects[WEIGHT_REGRESSION] > 0 ||
         result->suspects[WEIGHT_OPEN] > 0) &&
        fail & JOB_FAIL_REGRESSED)
        text_add(&text, reasons->reasons[0].text);
    else if (result->code == GATE_REGRESSED)
        text_printf(&text, "%zu %s improved, and gate.fail lists `improved`",
                    reasons->improved_count,
                    reasons->improved_count == 1 ? "point" : "points");
    else if (fail & JOB_FAIL_NOT_MEASURED && not_measured)
        add_not_measured(&text, gate, result);
    else if (result->decidable == 0)
        text_add(&text, "undecided: no cell of both jobs could be compared");
    else if (result->large_quarantine)
        text_printf(&text, "undecided: %zu of %zu cells are in quarantine",
                    result->quarantined, result->quarantined + result->decidable);
    else if (result->too_many_undecided)
        add_undecided(&text, gate, result);
    else
        add_passed(&text, gate, result);
    return text_take(&text);
}
