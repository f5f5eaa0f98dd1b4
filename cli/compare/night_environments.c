#include "cli/compare/night_environments.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/row_cells.h"
#include "lib/base/mem.h"

static const struct row_output_column columns[] = {
    {"job_key", CELL_TEXT},  {"ranks", CELL_U64},        {"chip", CELL_TEXT},
    {"hbm_maker", CELL_U64}, {"cann", CELL_TEXT},        {"driver", CELL_TEXT},
    {"firmware", CELL_TEXT}, {"host_kernel", CELL_TEXT}, {"measurement", CELL_TEXT},
};

struct night {
    uint64_t job_id;
    char *key;
};

struct night_list {
    struct night *nights;
    size_t count;
};

static void keep_night(const void *row, void *arg)
{
    const struct msg_baseline_night_row *night = row;
    struct night_list *list = arg;

    if (!night->used)
        return;
    list->nights = xreallocarray(list->nights, list->count + 1, sizeof(*list->nights));
    list->nights[list->count++] =
        (struct night){night->job_id, xstrdup(night->job_key)};
}

/* An environment of the present night. */
struct environment {
    uint64_t id;
    uint64_t ranks;
    uint64_t hbm_maker;
    char *chip, *cann, *driver, *firmware, *host_kernel, *measurement;
};

struct environment_list {
    struct environment *all;
    size_t count;
};

static void count_rank(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;
    struct environment_list *list = arg;

    if (!rank->accepted)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].id == rank->environment_id) {
            list->all[i].ranks++;
            return;
        }
    list->all = xreallocarray(list->all, list->count + 1, sizeof(*list->all));
    list->all[list->count++] = (struct environment){
        .id = rank->environment_id,
        .ranks = 1,
        .hbm_maker = rank->hbm_maker,
        .chip = xstrdup(rank->chip ? rank->chip : ""),
        .cann = xstrdup(rank->cann ? rank->cann : ""),
        .driver = xstrdup(rank->driver ? rank->driver : ""),
        .firmware = xstrdup(rank->firmware ? rank->firmware : ""),
        .host_kernel = xstrdup(rank->host_kernel ? rank->host_kernel : ""),
        .measurement = xstrdup(rank->measurement ? rank->measurement : ""),
    };
}

static void print_row(struct row_output *output,
                      const struct night *night,
                      const struct environment *environment)
{
    struct cell cells[] = {
        text_cell(night->key),
        count_cell(environment->ranks),
        text_cell(environment->chip),
        count_cell(environment->hbm_maker),
        text_cell(environment->cann),
        text_cell(environment->driver),
        text_cell(environment->firmware),
        text_cell(environment->host_kernel),
        text_cell(environment->measurement),
    };

    cells[3].none = environment->hbm_maker == 0;
    row_output_row(output, cells);
}

static void list_clear(struct environment_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->all[i].chip);
        free(list->all[i].cann);
        free(list->all[i].driver);
        free(list->all[i].firmware);
        free(list->all[i].host_kernel);
        free(list->all[i].measurement);
    }
    free(list->all);
}

static int print_night(struct row_source *source,
                       struct row_output *output,
                       const struct night *night,
                       struct err *err)
{
    struct environment_list list = {0};
    int result =
        row_source_each(source, MSG_RANK_ROW, night->job_id, count_rank, &list, err);

    for (size_t i = 0; result == 0 && i < list.count; i++)
        print_row(output, night, &list.all[i]);
    list_clear(&list);
    return result;
}

int night_environments_print(struct row_source *source,
                             const char *baseline,
                             enum row_output_format format,
                             struct err *err)
{
    struct night_list list = {0};
    struct row_output *output;
    int result = row_source_baselines(source, MSG_BASELINE_NIGHT_ROW, baseline,
                                      keep_night, &list, err);

    output = row_output_create(format, "muster.baseline-environments.v1", columns,
                               COUNT(columns), stdout);
    for (size_t i = 0; result == 0 && i < list.count; i++)
        result = print_night(source, output, &list.nights[i], err);
    if (result == 0)
        result = row_output_finish(&output, err);
    else
        row_output_destroy(&output);
    for (size_t i = 0; i < list.count; i++)
        free(list.nights[i].key);
    free(list.nights);
    return result;
}
