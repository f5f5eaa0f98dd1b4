#include "lib/gate/gate_reasons.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/gate/new_cards.h"

/* The place of a cause: its card, both cards of a link, or its host. */
struct culprit {
    const char *serial, *host, *peer_serial, *peer_host;
};

static struct culprit culprit_of(const struct suspect *suspect)
{
    const struct gang_cause *gang = &suspect->gang;
    const struct comparison_row *cell = &suspect->cell;
    bool is_gang = gang->cause != CAUSE_NONE && gang->cause == suspect->causes.first;

    switch (suspect->causes.first) {
    case CAUSE_LINK:
        return (struct culprit){gang->serial, gang->host, gang->peer_serial,
                                gang->peer_host};
    case CAUSE_CARD:
    case CAUSE_CODE_HERE:
        return (struct culprit){is_gang ? gang->serial : cell->placed_serial,
                                is_gang ? gang->host : cell->placed_host, "", ""};
    case CAUSE_HOST:
        return (struct culprit){"", cell->placed_host, "", ""};
    default:
        return (struct culprit){"", "", "", ""};
    }
}

/* Code and unknown causes belong to a kernel and a point; places belong to all. */
static bool is_of_code(enum cause cause)
{
    return cause != CAUSE_CARD && cause != CAUSE_HOST && cause != CAUSE_LINK &&
           cause != CAUSE_ENVIRONMENT;
}

static int order_of(const struct suspect *a, const struct suspect *b)
{
    struct culprit one = culprit_of(a), other = culprit_of(b);
    int order;

    if (a->causes.first != b->causes.first)
        return a->causes.first < b->causes.first ? -1 : 1;
    if (a->causes.second != b->causes.second)
        return a->causes.second < b->causes.second ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if ((order = strcmp(a->cell.metric, b->cell.metric)) ||
        (order = strcmp(one.host, other.host)) ||
        (order = strcmp(one.serial, other.serial)) ||
        (order = strcmp(one.peer_serial, other.peer_serial)))
        return order;
    return is_of_code(a->causes.first) ? strcmp(a->cell.kernel, b->cell.kernel) : 0;
}

static int by_reason(const void *left, const void *right)
{
    return order_of(*(const struct suspect *const *)left,
                    *(const struct suspect *const *)right);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static size_t count_different(const char **texts, size_t count)
{
    size_t different = 0;

    if (count > 0)
        qsort(texts, count, sizeof(*texts), by_text);
    for (size_t i = 0; i < count; i++)
        different += i == 0 || strcmp(texts[i - 1], texts[i]) != 0;
    return different;
}

static bool is_duration(const struct comparison_row *cell)
{
    return text_matches(cell->metric, "*duration*");
}

/* "point m=1 of kernel add", "kernel add", "3 points of kernel add", "3 points" */
static void
add_points(struct text *out, const struct comparison_row *cell, size_t points, bool one)
{
    if (points == 1 && cell->point[0])
        text_printf(out, "point %s of kernel %s is", cell->point, cell->kernel);
    else if (points == 1)
        text_printf(out, "kernel %s is", cell->kernel);
    else if (one)
        text_printf(out, "%zu points of kernel %s are", points, cell->kernel);
    else
        text_printf(out, "%zu points are", points);
}

/* "4.1 % slower", or "4.1 % worse (metric l2_hit_rate)" */
static void add_change(struct text *out,
                       const struct comparison_row *cell,
                       double shift,
                       bool better)
{
    text_printf(out, " %.1f %% ", 100 * expm1(fabs(shift)));
    if (is_duration(cell))
        text_add(out, better ? "faster" : "slower");
    else
        text_printf(out, "%s (metric %s)", better ? "better" : "worse", cell->metric);
}

static void add_card(struct text *out, const char *serial, const char *host)
{
    if (serial[0])
        text_printf(out, "card %s of host %s", serial, host);
    else
        text_add(out, "an unknown card");
}

/* Adds the rank that is slower on each of its cards. */
static void
add_slow_rank(struct text *out, const struct suspect *suspect, const char *before)
{
    if (suspect->gang.cause == CAUSE_CODE)
        text_printf(out, "%s rank %" PRIu64 " on each card", before,
                    suspect->gang.rank);
}

static void add_unknown(struct text *out, const struct suspect *suspect)
{
    text_add(out, "; the cause is unknown");
    add_slow_rank(out, suspect, ", slower in");
}

static void add_cause(struct text *out,
                      enum cause cause,
                      const struct suspect *suspect,
                      const struct culprit *culprit)
{
    switch (cause) {
    case CAUSE_CODE:
        text_add(out, "its code");
        add_slow_rank(out, suspect, " in");
        break;
    case CAUSE_CODE_HERE:
        text_add(out, "its code, on ");
        add_card(out, culprit->serial, culprit->host);
        text_add(out, " or its kind of card only");
        break;
    case CAUSE_CARD:
        add_card(out,
                 culprit->serial[0] ? culprit->serial : suspect->cell.placed_serial,
                 culprit->serial[0] ? culprit->host : suspect->cell.placed_host);
        break;
    case CAUSE_HOST:
        text_printf(out, "host %s",
                    culprit->host[0] ? culprit->host : suspect->cell.placed_host);
        break;
    case CAUSE_LINK:
        text_add(out, "the link between ");
        add_card(out, culprit->serial, culprit->host);
        text_add(out, " and ");
        add_card(out, culprit->peer_serial, culprit->peer_host);
        text_printf(out, " (ranks %" PRIu64 " and %" PRIu64 ")", suspect->gang.rank,
                    suspect->gang.peer);
        break;
    case CAUSE_ENVIRONMENT:
        text_add(out, "the environment (driver, firmware, CANN or cooling)");
        break;
    default:
        break;
    }
}

/* ", because of card S of host H and its code; not confirmed" */
static void add_because(struct text *out, const struct suspect *suspect, bool confirm)
{
    struct culprit culprit = culprit_of(suspect);

    if (suspect->causes.first == CAUSE_CONTRADICTORY)
        text_add(out, "; its alternating runs contradict each other");
    else if (suspect->causes.first == CAUSE_UNKNOWN)
        add_unknown(out, suspect);
    else if (suspect->causes.first != CAUSE_NOT_REPRODUCED) {
        text_add(out, ", because of ");
        add_cause(out, suspect->causes.first, suspect, &culprit);
        if (suspect->causes.second != CAUSE_NONE) {
            text_add(out, " and of ");
            add_cause(out, suspect->causes.second, suspect, &culprit);
        }
    }
    switch (suspect->state) {
    case SUSPECT_OPEN:
        text_add(out, confirm ? "; not confirmed yet" : "; not confirmed");
        break;
    case SUSPECT_CONFIRMED:
        text_add(out, "; confirmed");
        break;
    case SUSPECT_NOT_REPRODUCED:
        text_add(out, "; fresh runs did not reproduce this");
        break;
    case SUSPECT_UNDECIDED:
        text_add(out, "; fresh runs did not decide");
        break;
    case SUSPECT_BASE_GONE:
        text_add(out, suspect->nights_before > 0
                          ? "; seen in two nights running, because the program of the "
                            "base does not run any more"
                          : "; the program of the base does not run any more, so "
                            "another night must show the same");
        break;
    }
}

/* The number of different kernels, points and cards of some cells. */
struct extent {
    size_t kernels, points, cards;
    double shift; /* median */
};

static struct extent extent_of(const struct comparison_row *const *cells, size_t count)
{
    const char **texts = xcalloc(count + 1, sizeof(*texts));
    double *shifts = xcalloc(count + 1, sizeof(*shifts));
    char **points = xcalloc(count + 1, sizeof(*points));
    struct extent extent = {0};

    for (size_t i = 0; i < count; i++) {
        texts[i] = cells[i]->kernel;
        shifts[i] = cells[i]->shift;
        points[i] = xasprintf("%s\n%s", cells[i]->kernel, cells[i]->point);
    }
    extent.kernels = count_different(texts, count);
    for (size_t i = 0; i < count; i++)
        texts[i] = points[i];
    extent.points = count_different(texts, count);
    for (size_t i = 0; i < count; i++)
        texts[i] = cells[i]->placed_serial;
    extent.cards = count_different(texts, count);
    extent.shift = stats_median(shifts, count);
    for (size_t i = 0; i < count; i++)
        free(points[i]);
    free(points);
    free(shifts);
    free(texts);
    return extent;
}

/* A suspect may stand for a group of cells. */
static void include_groups(struct extent *extent,
                           const struct suspect *const *suspects,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct suspect *suspect = suspects[i];

        if (!suspect->is_group)
            continue;
        if (suspect->group_points > extent->points)
            extent->points = suspect->group_points;
        if (suspect->group_cards > extent->cards)
            extent->cards = suspect->group_cards;
        if (count == 1)
            extent->shift = suspect->group_shift;
    }
}

/* Adds " since night-7 (2026-11-17)" when all suspects show the change since then. */
static void
add_since(struct text *out, const struct suspect *const *suspects, size_t count)
{
    const char *since = suspects[0]->since;

    for (size_t i = 0; i < count; i++)
        if (!suspects[i]->since || strcmp(suspects[i]->since, since) != 0)
            return;
    text_printf(out, " since %s", since);
}

static struct gate_reason
reason_of(const struct gate *gate, const struct suspect **suspects, size_t count)
{
    const struct comparison_row **cells = xcalloc(count + 1, sizeof(*cells));
    const struct suspect *first = suspects[0];
    struct culprit culprit = culprit_of(first);
    struct text text = {0};

    for (size_t i = 0; i < count; i++)
        cells[i] = &suspects[i]->cell;
    struct extent extent = extent_of(cells, count);
    include_groups(&extent, suspects, count);
    add_points(&text, cells[0], extent.points, extent.kernels == 1);
    add_change(&text, cells[0], extent.shift, false);
    if (is_of_code(first->causes.first) && extent.cards > 1)
        text_printf(&text, " on %zu cards", extent.cards);
    else if (is_of_code(first->causes.first) && cells[0]->placed_serial[0]) {
        text_add(&text, " on ");
        add_card(&text, cells[0]->placed_serial, cells[0]->placed_host);
    }
    add_since(&text, suspects, count);
    add_because(&text, first, gate_rules(gate)->confirm);
    free(cells);
    return (struct gate_reason){
        .cause = first->causes.first,
        .second = first->causes.second,
        .state = first->state,
        .weight = gate_weigh(gate, first),
        .points = extent.points,
        .cards = extent.cards,
        .suspects = count,
        .shift = extent.shift,
        .serial = culprit.serial,
        .host = culprit.host,
        .text = text_take(&text),
    };
}

static int by_weight(const void *left, const void *right)
{
    const struct gate_reason *a = left, *b = right;

    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    if (a->suspects != b->suspects)
        return a->suspects > b->suspects ? -1 : 1;
    if (a->shift > b->shift || a->shift < b->shift)
        return a->shift > b->shift ? -1 : 1;
    return strcmp(a->text, b->text);
}

static void find_reasons(struct gate_reasons *reasons, const struct gate *gate)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);
    const struct suspect **sorted = xcalloc(count + 1, sizeof(*sorted));

    for (size_t i = 0; i < count; i++)
        sorted[i] = &suspects[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), by_reason);
    reasons->reasons = xcalloc(count + 1, sizeof(*reasons->reasons));
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && order_of(sorted[first], sorted[end]) == 0;)
            end++;
        reasons->reasons[reasons->count++] =
            reason_of(gate, sorted + first, end - first);
    }
    free(sorted);
    if (reasons->count > 0)
        qsort(reasons->reasons, reasons->count, sizeof(*reasons->reasons), by_weight);
}

static char *improvement_of(const struct improved_point *point)
{
    struct text text = {0};

    add_points(&text, point->cell, 1, true);
    add_change(&text, point->cell, point->shift, true);
    if (point->cards > 1)
        text_printf(&text, " on %zu cards", point->cards);
    text_add(&text, "; check that it still does the same work");
    return text_take(&text);
}

static void find_improvements(struct gate_reasons *reasons, const struct gate *gate)
{
    size_t count;
    const struct improved_point *points = gate_improved(gate, &count);

    reasons->improved = xcalloc(count + 1, sizeof(*reasons->improved));
    for (size_t i = 0; i < count; i++)
        reasons->improved[reasons->improved_count++] = improvement_of(&points[i]);
}

static void find_new_cards(struct gate_reasons *reasons, const struct gate *gate)
{
    size_t total, count;
    const struct comparison_row *rows = gate_rows(gate, &total);
    struct new_card *cards =
        new_cards_find(rows, total, gate_rules(gate)->suspects.metric, &count);

    reasons->new_cards = xcalloc(count + 1, sizeof(*reasons->new_cards));
    for (size_t i = 0; i < count; i++)
        reasons->new_cards[reasons->new_card_count++] = new_card_sentence(&cards[i]);
    free(cards);
}

void gate_reasons_init(struct gate_reasons *reasons, const struct gate *gate)
{
    *reasons = (struct gate_reasons){0};
    find_reasons(reasons, gate);
    find_improvements(reasons, gate);
    find_new_cards(reasons, gate);
}

void gate_reasons_clear(struct gate_reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++)
        free(reasons->reasons[i].text);
    for (size_t i = 0; i < reasons->improved_count; i++)
        free(reasons->improved[i]);
    for (size_t i = 0; i < reasons->new_card_count; i++)
        free(reasons->new_cards[i]);
    free(reasons->reasons);
    free(reasons->improved);
    free(reasons->new_cards);
    *reasons = (struct gate_reasons){0};
}
