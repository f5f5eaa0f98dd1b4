#include "lib/compare/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/comparison_internal.h"
#include "lib/compare/method.h"

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

struct cell_identity comparison_without_card(const struct compared *cell)
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

bool comparison_methods_differ(const struct comparison *comparison,
                               uint32_t base,
                               uint32_t fresh)
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
        const struct cell_identity identity = comparison_without_card(cell);

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

    if (comparison_methods_differ(comparison, method, expected)) {
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
