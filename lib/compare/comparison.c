#include "lib/compare/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/asked_tasks.h"
#include "lib/compare/baseline.h"
#include "lib/compare/cell_values.h"
#include "lib/compare/disturbed.h"
#include "lib/compare/method.h"
#include "lib/compare/metric_direction.h"
#include "lib/compare/point_key.h"
#include "lib/verdict/cell.h"

/* The card that all new figures of a cell come from. */
struct placement {
    const char *serial, *host; /* NULL: no figure; "": several cards */
};

/* The texts belong to the figure keys. */
struct compared {
    const char *point, *task_point, *kernel, *metric, *unit, *card, *host;
    uint64_t rank;
    struct figure_numbers numbers;
    struct repeat_values sides[2];
    size_t left_out[2];    /* repeats of each side */
    uint32_t methods[2];   /* of each side; 0: unknown */
    uint32_t other_method; /* of nights that were left out for their method; 0: none */
    struct repeat_values nights; /* of the base; those of a baseline are its side */
    double *night_medians;
    struct placement placement;
    struct comparison_rule rule;
    struct cell cell;
    enum comparison_outcome outcome;
    size_t missing;
    char *reason;           /* NULL: that of the verdict */
    const char *quarantine; /* "": none */
};

struct comparison {
    char *metric;
    struct comparison_settings settings;
    struct figure_keys *keys;
    struct cell_identities *index; /* the number is that of the cell */
    struct arena *memory;          /* of the cells */
    struct compared **cells;
    size_t count, room;
    struct asked_tasks *asked;
    struct disturbed *disturbed;
    /* The cells that the new job measured, on any card: they distinguish a card that
     * is gone from a missing figure. The point is that of the task. */
    struct cell_identities *measured;
    struct names *methods;
    uint32_t last_method;
    const char *last_text;   /* that gave it, in this job only; NULL: none */
    const char *last_metric; /* of a figure that is compared; NULL: none */
    size_t night;            /* number of the present night; 0: none */
    uint64_t night_job_id;
    size_t totals[OUTCOME_COUNT];
    size_t quarantined;
    size_t missing;
};

enum { CELL_BYTES = 256 * 1024 }; /* a block of the memory of the cells */

struct comparison *comparison_create(const struct comparison_settings *settings)
{
    struct comparison *comparison = xcalloc(1, sizeof(*comparison));

    comparison->metric = xstrdup(settings->metric);
    comparison->settings = *settings;
    comparison->index = cell_identities_create();
    comparison->memory = arena_create(CELL_BYTES);
    comparison->keys = figure_keys_create();
    comparison->asked = asked_tasks_create();
    comparison->disturbed = disturbed_create();
    comparison->measured = cell_identities_create();
    comparison->methods = names_create();
    return comparison;
}

static void clear_cell(struct compared *cell)
{
    for (int side = 0; side < 2; side++)
        repeat_values_clear(&cell->sides[side]);
    repeat_values_clear(&cell->nights);
    free(cell->night_medians);
    free(cell->reason);
}

void comparison_destroy(struct comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t i = 0; i < comparison->count; i++)
        clear_cell(comparison->cells[i]);
    asked_tasks_destroy(comparison->asked);
    disturbed_destroy(comparison->disturbed);
    cell_identities_destroy(comparison->measured);
    names_destroy(comparison->methods);
    cell_identities_destroy(comparison->index);
    arena_destroy(comparison->memory);
    figure_keys_destroy(comparison->keys);
    free(comparison->cells);
    free(comparison->metric);
    free(comparison);
}

const char *comparison_metric(const struct comparison *comparison)
{
    return comparison->metric;
}

const struct verdict_limits *comparison_limits(const struct comparison *comparison)
{
    const struct verdict_limits *limits = comparison->settings.limits;

    return limits ? limits : &verdict_limits_default;
}

void comparison_add_task(struct comparison *comparison,
                         enum comparison_side side,
                         const struct comparison_task *task)
{
    comparison->last_text = NULL; /* another job: its texts may have equal addresses */
    asked_tasks_add(comparison->asked, side == COMPARISON_NEW,
                    figure_task_point_number(comparison->keys, task->point),
                    task->repeat, task->done);
}

/* Stores a text of a figure once. */
static const char *keep(const struct comparison *comparison, const char *text)
{
    return figure_text(comparison->keys, figure_text_number(comparison->keys, text));
}

static struct compared *add_cell(struct comparison *comparison,
                                 const struct figure_numbers *numbers,
                                 const struct comparison_figure *figure)
{
    struct compared *cell = arena_calloc(comparison->memory, 1, sizeof(*cell));
    const struct figure_keys *keys = comparison->keys;

    cell->numbers = *numbers;
    cell->point = figure_text(keys, numbers->cell.point);
    cell->task_point = figure_task_point(keys, numbers->task_point);
    cell->kernel = figure_text(keys, numbers->cell.kernel);
    cell->metric = figure_text(keys, numbers->cell.metric);
    cell->unit = keep(comparison, figure->unit);
    cell->card = figure_text(keys, numbers->cell.card);
    cell->host = cell->card[0] ? keep(comparison, figure->host) : "";
    cell->rank = figure->rank;
    cell->quarantine = "";
    if (comparison->count == comparison->room) {
        comparison->room = comparison->room ? comparison->room * 2 : 64;
        comparison->cells = xreallocarray(comparison->cells, comparison->room,
                                          sizeof(*comparison->cells));
    }
    comparison->cells[comparison->count++] = cell;
    return cell;
}

static struct compared *find_or_add_cell(struct comparison *comparison,
                                         const struct figure_numbers *numbers,
                                         const struct comparison_figure *figure)
{
    uint32_t number = cell_identities_add(comparison->index, &numbers->cell);

    return number < comparison->count ? comparison->cells[number]
                                      : add_cell(comparison, numbers, figure);
}

/* Keeps the texts while all figures have them. */
static void place(struct comparison *comparison,
                  struct placement *placement,
                  const struct comparison_figure *figure)
{
    if (figure->card < 0)
        return;
    if (!placement->serial) {
        placement->serial =
            keep(comparison, figure_card_name(comparison->keys, figure));
        placement->host = keep(comparison, figure->host);
        return;
    }
    if (strcmp(placement->host, figure->host) != 0)
        placement->host = placement->serial = "";
    else if (figure->serial[0] && strcmp(placement->serial, figure->serial) != 0)
        placement->serial = "";
}

/* Names a figure by everything except its card. */
static struct cell_identity without_card(const struct compared *cell)
{
    struct cell_identity identity = cell->numbers.cell;

    identity.point = cell->numbers.task_point;
    identity.card = 0;
    return identity;
}

static struct launch_value launch_value_of(const struct comparison_figure *figure)
{
    return (struct launch_value){figure->value, figure->simulated, figure->tick_ns};
}

/* Most figures have the metric of the one before. */
static bool is_compared(struct comparison *comparison, const char *metric)
{
    if (comparison->last_metric && strcmp(metric, comparison->last_metric) == 0)
        return true;
    if (!text_matches_any(metric, comparison->metric))
        return false;
    comparison->last_metric = keep(comparison, metric);
    return true;
}

/* Returns false when the figure is to be compared: it describes no disturbance. */
static bool add_disturbance(struct comparison *comparison,
                            bool is_new,
                            const struct comparison_figure *figure,
                            uint64_t repeat)
{
    if (!disturbance_has_metric(figure->metric))
        return false;
    if (strcmp(figure->metric, disturbed_metric) != 0)
        return true;
    struct figure_identity identity = figure_identity_of(comparison->keys, figure);
    disturbed_add(comparison->disturbed,
                  &(struct disturbed_tasks){identity.point, identity.card, is_new},
                  repeat, figure_card_name(comparison->keys, figure), figure->value);
    return true;
}

/* Most figures have the method of the one before. */
static uint32_t method_of(struct comparison *comparison,
                          const struct comparison_figure *figure)
{
    const char *method = figure->method ? figure->method : "";

    if (method != comparison->last_text)
        comparison->last_method = names_add(comparison->methods, method);
    comparison->last_text = method;
    return comparison->last_method;
}

static bool
methods_differ(const struct comparison *comparison, uint32_t base, uint32_t fresh)
{
    return base != fresh && method_differs(names_text(comparison->methods, base),
                                           names_text(comparison->methods, fresh));
}

void comparison_add_figure(struct comparison *comparison,
                           enum comparison_side side,
                           const struct comparison_figure *figure)
{
    struct compared *cell;
    struct repeat_values *into;

    if (add_disturbance(comparison, side == COMPARISON_NEW, figure, figure->repeat) ||
        !is_compared(comparison, figure->metric))
        return;
    const struct figure_numbers numbers = figure_numbers_of(comparison->keys, figure);

    if (asked_tasks_is_unfinished(comparison->asked, side == COMPARISON_NEW,
                                  numbers.task_point, figure->repeat))
        return;
    cell = find_or_add_cell(comparison, &numbers, figure);
    into = &cell->sides[side];
    if (side == COMPARISON_NEW && cell->card[0] && repeat_values_is_empty(into)) {
        const struct cell_identity identity = without_card(cell);

        cell_identities_add(comparison->measured, &identity);
    }
    const struct launch_value value = launch_value_of(figure);
    repeat_values_add(into, figure->repeat, &value);
    cell->methods[side] = method_of(comparison, figure);
    if (side == COMPARISON_NEW)
        place(comparison, &cell->placement, figure);
}

void comparison_begin_night(struct comparison *comparison, uint64_t job_id)
{
    comparison->last_text = NULL;
    comparison->night++;
    comparison->night_job_id = job_id;
}

/* Returns true when the figure was measured as the cell's base, or as its new figures
 * when nights are the base. */
static bool has_method(struct comparison *comparison,
                       struct compared *cell,
                       const struct comparison_figure *figure)
{
    bool is_base = comparison->settings.baseline != NULL;
    uint32_t method = method_of(comparison, figure);
    uint32_t expected = cell->methods[is_base ? COMPARISON_NEW : COMPARISON_BASE];

    if (methods_differ(comparison, method, expected)) {
        if (is_base)
            cell->other_method = method;
        return false;
    }
    if (is_base)
        cell->methods[COMPARISON_BASE] = method;
    return true;
}

/* Returns the cell of a figure of the night, or NULL when the night does not count for
 * it. */
static struct compared *find_night_cell(struct comparison *comparison,
                                        const struct comparison_figure *figure)
{
    const struct baseline *baseline = comparison->settings.baseline;
    const struct figure_numbers numbers = figure_numbers_of(comparison->keys, figure);
    const char *point = figure_text(comparison->keys, numbers.cell.point);

    if (!baseline) {
        uint32_t found = cell_identities_find(comparison->index, &numbers.cell);

        return found == CELL_IDENTITY_NONE ? NULL : comparison->cells[found];
    }
    return baseline_uses(baseline, point, comparison->night_job_id,
                         comparison->settings.new_job_id)
               ? find_or_add_cell(comparison, &numbers, figure)
               : NULL;
}

void comparison_add_night(struct comparison *comparison,
                          const struct comparison_figure *figure)
{
    struct compared *cell;
    uint64_t repeat = repeat_of_night(comparison->night, figure->repeat);

    if (add_disturbance(comparison, false, figure, repeat) ||
        !is_compared(comparison, figure->metric) ||
        !(cell = find_night_cell(comparison, figure)) ||
        !has_method(comparison, cell, figure))
        return;
    const struct launch_value value = launch_value_of(figure);
    repeat_values_add(comparison->settings.baseline ? &cell->sides[COMPARISON_BASE]
                                                    : &cell->nights,
                      repeat, &value);
}

/* Returns true when all nights of the base were left out for their method. */
static bool has_only_other_nights(const struct compared *cell)
{
    return cell->other_method && cell->cell.base_count == 0 &&
           cell->left_out[COMPARISON_BASE] == 0;
}

/* Simulated and measured figures cannot be compared, and neither can those of different
 * methods. */
static bool measured_otherwise(const struct comparison *comparison,
                               const struct compared *cell)
{
    const struct repeat_values *base = &cell->sides[COMPARISON_BASE];
    const struct repeat_values *fresh = &cell->sides[COMPARISON_NEW];

    return base->measured != fresh->measured || base->simulated != fresh->simulated ||
           methods_differ(comparison, cell->methods[COMPARISON_BASE],
                          cell->methods[COMPARISON_NEW]);
}

static struct comparison_rule rule_of(const struct comparison *comparison,
                                      const struct compared *compared)
{
    const struct comparison_settings *settings = &comparison->settings;
    struct comparison_rule rule = {settings->tolerance,
                                   metric_more_is_better(compared->metric)};

    if (settings->rule)
        settings->rule(&rule, compared->task_point, compared->metric,
                       settings->rule_arg);
    return rule;
}

/* Ends the repeats of one side, or of its nights, and leaves out the disturbed ones. */
static struct disturbed_repeats end_repeats(const struct comparison *comparison,
                                            const struct compared *cell,
                                            struct repeat_values *values,
                                            enum comparison_side side)
{
    const struct disturbed_tasks tasks = {cell->point, cell->card,
                                          side == COMPARISON_NEW};

    repeat_values_end(values);
    return disturbed_leave_out(comparison->disturbed, &tasks, values);
}

/* Adds the disturbed repeats of the side to the reason. */
static void end_side(const struct comparison *comparison,
                     struct compared *cell,
                     enum comparison_side side)
{
    struct disturbed_repeats repeats =
        end_repeats(comparison, cell, &cell->sides[side], side);

    cell->left_out[side] = repeats.left_out;
    if (repeats.left_out == 0)
        return;
    char *before = cell->reason;
    char *reason = disturbed_reason(&repeats, side == COMPARISON_NEW);

    disturbed_repeats_clear(&repeats);
    if (!before) {
        cell->reason = reason;
        return;
    }
    cell->reason = xasprintf("%s; %s", before, reason);
    free(reason);
    free(before);
}

/* Returns the number of nights, and their medians in the cell. */
static size_t end_nights(const struct comparison *comparison, struct compared *cell)
{
    struct repeat_values *nights = &cell->nights;

    if (comparison->settings.baseline) {
        nights = &cell->sides[COMPARISON_BASE];
    } else {
        struct disturbed_repeats left_out =
            end_repeats(comparison, cell, nights, COMPARISON_BASE);

        disturbed_repeats_clear(&left_out);
    }
    return repeat_values_nights(nights, &cell->night_medians);
}

static void fill_cell(const struct comparison *comparison, struct compared *compared)
{
    size_t base_nights = comparison->settings.baseline ? 0 : 1; /* 0: all */

    compared->rule = rule_of(comparison, compared);
    end_side(comparison, compared, COMPARISON_BASE);
    end_side(comparison, compared, COMPARISON_NEW);
    size_t nights = end_nights(comparison, compared);
    compared->cell = (struct cell){
        .base = compared->sides[COMPARISON_BASE].values,
        .fresh = compared->sides[COMPARISON_NEW].values,
        .base_count = compared->sides[COMPARISON_BASE].count,
        .fresh_count = compared->sides[COMPARISON_NEW].count,
        .tolerance = compared->rule.tolerance,
        .tick = metric_tick(compared->metric, compared->unit,
                            fmax(compared->sides[COMPARISON_BASE].tick_ns,
                                 compared->sides[COMPARISON_NEW].tick_ns)),
        .nights = nights > 0
                      ? night_noise_of(compared->night_medians, nights, base_nights)
                      : (struct night_noise){0},
        .measured_otherwise = measured_otherwise(comparison, compared),
    };
}

static bool is_quarantined(const struct compared *cell)
{
    return cell->quarantine[0] != '\0';
}

static int order_by_family(const void *left, const void *right)
{
    const struct compared *a = *(struct compared *const *)left;
    const struct compared *b = *(struct compared *const *)right;
    int order = strcmp(a->metric, b->metric);

    return order ? order : is_quarantined(a) - is_quarantined(b);
}

static bool has_both(const struct compared *cell)
{
    return cell->cell.base_count > 0 && cell->cell.fresh_count > 0;
}

/* The cells of one metric are one family, whose probabilities are adjusted together.
 * Those in quarantine are another. */
static void
judge_family(struct compared **cells, size_t count, const struct verdict_limits *limits)
{
    struct cell **family = xcalloc(count, sizeof(struct cell *));
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        if (has_both(cells[i]))
            family[size++] = &cells[i]->cell;
    family_judge(family, size, cells[0]->rule.more_is_better, limits);
    free(family);
}

static enum comparison_outcome outcome_of(const struct comparison *comparison,
                                          const struct compared *cell)
{
    static const enum comparison_outcome outcomes[] = {
        [VERDICT_INCONCLUSIVE] = OUTCOME_INCONCLUSIVE,
        [VERDICT_SAME] = OUTCOME_SAME,
        [VERDICT_IMPROVED] = OUTCOME_IMPROVED,
        [VERDICT_REGRESSED] = OUTCOME_REGRESSED,
    };
    if (has_both(cell))
        return outcomes[cell->cell.verdict.kind];
    if (cell->cell.fresh_count == 0 && cell->left_out[COMPARISON_NEW] > 0)
        return OUTCOME_NOT_MEASURED;
    if (has_only_other_nights(cell))
        return OUTCOME_INCONCLUSIVE;
    if (cell->cell.base_count == 0)
        return cell->left_out[COMPARISON_BASE] > 0 ? OUTCOME_NOT_MEASURED
                                                   : OUTCOME_ADDED;
    if (asked_tasks_new(comparison->asked, cell->numbers.task_point) == 0)
        return OUTCOME_GONE;
    return OUTCOME_NOT_MEASURED;
}

/* Returns true when the new job measured the cell's point completely on another card.
 */
static bool has_other_card(const struct comparison *comparison,
                           const struct compared *cell)
{
    const struct cell_identity identity = without_card(cell);

    return cell->card[0] && cell->left_out[COMPARISON_NEW] == 0 &&
           cell_identities_find(comparison->measured, &identity) != CELL_IDENTITY_NONE;
}

/* Changed cells come first, equal ones last. */
static int rank_of(enum comparison_outcome outcome)
{
    static const int ranks[OUTCOME_COUNT] = {
        [OUTCOME_REGRESSED] = 0,    [OUTCOME_IMPROVED] = 1, [OUTCOME_NOT_MEASURED] = 2,
        [OUTCOME_INCONCLUSIVE] = 3, [OUTCOME_GONE] = 4,     [OUTCOME_ADDED] = 5,
        [OUTCOME_SAME] = 6,
    };

    return ranks[outcome];
}

static int order_by_outcome(const void *left, const void *right)
{
    const struct compared *a = *(struct compared *const *)left;
    const struct compared *b = *(struct compared *const *)right;
    double one = fabs(a->cell.shift.theta), other = fabs(b->cell.shift.theta);
    int order;

    if (is_quarantined(a) != is_quarantined(b))
        return is_quarantined(a) - is_quarantined(b);
    if (a->outcome != b->outcome)
        return rank_of(a->outcome) < rank_of(b->outcome) ? -1 : 1;
    if (has_both(a) && has_both(b) && one != other)
        return one > other ? -1 : 1;
    if ((order = text_compare_names(a->point, b->point)) ||
        (order = text_compare_names(a->kernel, b->kernel)) ||
        (order = text_compare_names(a->card, b->card)) ||
        (order = strcmp(a->metric, b->metric)))
        return order;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Returns the reason of the quarantine of a point, or "". */
static const char *quarantine_of(const struct comparison *comparison, const char *point)
{
    const char *reason = comparison->settings.baseline
                             ? baseline_quarantine(comparison->settings.baseline, point)
                             : NULL;

    return reason ? reason : "";
}

static void count_missing(struct comparison *comparison)
{
    for (uint32_t i = 0; i < asked_tasks_end(comparison->asked); i++) {
        size_t missing = asked_tasks_missing(comparison->asked, i);
        bool pinned;
        char *key;

        if (missing == 0)
            continue;
        key = point_key(figure_task_point(comparison->keys, i), &pinned);
        if (!quarantine_of(comparison, key)[0])
            comparison->missing += missing;
        free(key);
    }
}

/* Adds how the methods of both sides differ to the reason. */
static void add_methods(const struct comparison *comparison, struct compared *cell)
{
    bool only_others = has_only_other_nights(cell) && cell->cell.fresh_count > 0;
    uint32_t base = only_others ? cell->other_method : cell->methods[COMPARISON_BASE];
    char *difference =
        cell->cell.measured_otherwise || only_others
            ? method_difference(
                  names_text(comparison->methods, base),
                  names_text(comparison->methods, cell->methods[COMPARISON_NEW]))
            : NULL;

    if (!difference)
        return;
    char *before = cell->reason;
    cell->reason = xasprintf("%s%s%s%s", only_others ? "measured-otherwise; " : "",
                             difference, before ? "; " : "", before ? before : "");
    cell->cell.measured_otherwise = true;
    free(difference);
    free(before);
}

/* Puts the reason of the verdict before the repeats that were left out. */
static void complete_reason(const struct comparison *comparison, struct compared *cell)
{
    const char *reason = verdict_reason_name(cell->cell.verdict.reason);

    add_methods(comparison, cell);
    if (!cell->reason || !has_both(cell) || !reason[0])
        return;
    char *left_out = cell->reason;
    cell->reason = xasprintf("%s; %s", reason, left_out);
    free(left_out);
}

void comparison_judge(struct comparison *comparison)
{
    struct compared **cells = comparison->cells;
    size_t count = comparison->count;

    for (size_t i = 0; i < count; i++) {
        fill_cell(comparison, cells[i]);
        cells[i]->quarantine = quarantine_of(comparison, cells[i]->point);
    }
    if (count > 0)
        qsort(cells, count, sizeof(*cells), order_by_family);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && order_by_family(&cells[first], &cells[end]) == 0;)
            end++;
        judge_family(&cells[first], end - first, comparison_limits(comparison));
    }
    for (size_t i = 0; i < count; i++) {
        complete_reason(comparison, cells[i]);
        cells[i]->outcome = outcome_of(comparison, cells[i]);
        cells[i]->missing =
            asked_tasks_missing(comparison->asked, cells[i]->numbers.task_point);
        if (cells[i]->outcome == OUTCOME_NOT_MEASURED && cells[i]->missing == 0 &&
            has_other_card(comparison, cells[i]))
            cells[i]->outcome = OUTCOME_GONE;
        if (is_quarantined(cells[i]))
            comparison->quarantined++;
        else
            comparison->totals[cells[i]->outcome]++;
    }
    count_missing(comparison);
    if (count > 0)
        qsort(cells, count, sizeof(*cells), order_by_outcome);
}

size_t comparison_count(const struct comparison *comparison)
{
    return comparison->count;
}

struct comparison_row comparison_row(const struct comparison *comparison, size_t index)
{
    const struct compared *compared = comparison->cells[index];
    const struct cell *cell = &compared->cell;
    const struct repeat_values *base = &compared->sides[COMPARISON_BASE];
    const struct repeat_values *fresh = &compared->sides[COMPARISON_NEW];
    struct comparison_row row = {
        .outcome = compared->outcome,
        .point = compared->point,
        .kernel = compared->kernel,
        .metric = compared->metric,
        .unit = compared->unit,
        .card = compared->card,
        .host = compared->host,
        .task_point = compared->task_point,
        .placed_serial = compared->placement.serial ? compared->placement.serial : "",
        .placed_host = compared->placement.host ? compared->placement.host : "",
        .more_is_better = compared->rule.more_is_better,
        .rank = compared->rank,
        .base_count = base->count,
        .new_count = fresh->count,
        .missing = compared->missing,
        .base_median = stats_median(base->values, base->count),
        .new_median = stats_median(fresh->values, fresh->count),
        .shift = NAN,
        .low = NAN,
        .high = NAN,
        .p_worse = NAN,
        .p_better = NAN,
        .p_worse_adjusted = NAN,
        .p_better_adjusted = NAN,
        .margin = NAN,
        .measured_otherwise = cell->measured_otherwise,
        .reason = compared->reason ? compared->reason : "",
        .leaning = "",
        .quarantine = compared->quarantine,
        .simulated = base->simulated || fresh->simulated,
    };

    if (!has_both(compared))
        return row;
    row.shift = cell->shift.theta;
    row.low = cell->shift.low;
    row.high = cell->shift.high;
    row.p_worse = cell->shift.p_worse;
    row.p_better = cell->shift.p_better;
    row.p_worse_adjusted = cell->p_worse_adjusted;
    row.p_better_adjusted = cell->p_better_adjusted;
    row.margin = cell->delta;
    row.nights = cell->nights.nights;
    row.night_spread = cell->nights.s;
    row.night_noise = cell->nights.h;
    row.usual_night_noise = cell->nights.w;
    if (!compared->reason)
        row.reason = verdict_reason_name(cell->verdict.reason);
    row.leaning = verdict_side_name(cell->verdict.leaning);
    row.differs = cell->verdict.differs != SIDE_NONE;
    row.nights_unknown = cell->verdict.nights_unknown;
    row.more = cell->verdict.more.more;
    return row;
}

size_t comparison_total(const struct comparison *comparison,
                        enum comparison_outcome outcome)
{
    return comparison->totals[outcome];
}

size_t comparison_quarantined(const struct comparison *comparison)
{
    return comparison->quarantined;
}

size_t comparison_missing(const struct comparison *comparison)
{
    return comparison->missing;
}

bool comparison_is_simulated(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison_count(comparison); i++)
        if (comparison_row(comparison, i).simulated)
            return true;
    return false;
}

const char *comparison_outcome_name(enum comparison_outcome outcome)
{
    static const char *const names[OUTCOME_COUNT] = {
        [OUTCOME_REGRESSED] = "regressed",
        [OUTCOME_IMPROVED] = "improved",
        [OUTCOME_SAME] = "same",
        [OUTCOME_INCONCLUSIVE] = "inconclusive",
        [OUTCOME_NOT_MEASURED] = "not-measured",
        [OUTCOME_GONE] = "gone",
        [OUTCOME_ADDED] = "added",
    };

    return names[outcome];
}
