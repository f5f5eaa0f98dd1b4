#include "cli/query/result_filter.h"

#include <stdlib.h>
#include <string.h>

#include "cli/query/point_axes.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/wire/messages.h"

static int compile_where(struct result_condition *condition,
                         const char *text,
                         const struct point_axes *axes,
                         struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, ERR_INPUT,
                       "--where '%s' is not AXIS=VALUE, such as n=65536", text);
    char *name = xasprintf("%.*s", (int)(equals - text), text);
    int result = point_axes_find(axes, name, &condition->axis, err);
    free(name);
    condition->value = equals + 1;
    return result;
}

static int compile_card(struct result_filter *filter, struct err *err)
{
    const char *colon = strrchr(filter->card, ':');
    size_t length = colon ? (size_t)(colon - filter->card) : 0;
    uint64_t number;

    if (!num_parse_u64(colon ? colon + 1 : filter->card, &number) ||
        number > INT32_MAX || length >= sizeof(filter->host) || colon == filter->card)
        return err_set(err, ERR_INPUT,
                       "--card '%s' is neither a number nor HOST:NUMBER, such as 3 or "
                       "node0:3",
                       filter->card);
    memcpy(filter->host, filter->card, length);
    filter->host[length] = '\0';
    filter->card_number = (int64_t)number;
    return 0;
}

int result_filter_compile(struct result_filter *filter,
                          const struct point_axes *axes,
                          struct err *err)
{
    filter->conditions = xcalloc(filter->where.count + 1, sizeof(*filter->conditions));
    for (size_t i = 0; i < filter->where.count; i++)
        if (compile_where(&filter->conditions[i], filter->where.items[i], axes, err) <
            0)
            return -1;
    if (filter->card && compile_card(filter, err) < 0)
        return -1;
    if (filter->rank && !num_parse_u64(filter->rank, &filter->rank_number))
        return err_set(err, ERR_INPUT, "--rank '%s' is not a number from 0",
                       filter->rank);
    return 0;
}

void result_filter_clear(struct result_filter *filter)
{
    free(filter->where.items);
    free(filter->conditions);
    *filter = (struct result_filter){0};
}

/* Numbers are compared by value, so that 0.5 selects 0.50. */
static bool is_value(const char *value, const char *wanted)
{
    double left, right;

    if (strcmp(value, wanted) == 0 || text_matches(value, wanted))
        return true;
    return num_parse_double(value, &left) && num_parse_double(wanted, &right) &&
           left == right;
}

bool result_filter_has_point(const struct result_filter *filter,
                             struct point_axes *axes,
                             uint64_t point)
{
    const char *const *values;

    if (filter->where.count == 0)
        return true;
    values = point_axes_values(axes, point);
    for (size_t i = 0; values && i < filter->where.count; i++) {
        size_t axis = filter->conditions[i].axis;
        bool selected = false;

        for (size_t k = 0; k < filter->where.count && !selected; k++)
            selected = filter->conditions[k].axis == axis &&
                       is_value(values[axis], filter->conditions[k].value);
        if (!selected)
            return false;
    }
    return values != NULL;
}

static bool is_card(const struct result_filter *filter, const char *host, int64_t card)
{
    if (!filter->card)
        return true;
    return card == filter->card_number &&
           (!*filter->host || strcmp(host, filter->host) == 0);
}

bool result_filter_has_figure(const struct result_filter *filter,
                              const struct msg_result_row *row)
{
    return is_card(filter, row->host, row->card) &&
           (!filter->kernel || text_matches(row->kernel, filter->kernel)) &&
           (!filter->rank || row->rank == filter->rank_number);
}

bool result_filter_has_task(const struct result_filter *filter,
                            const struct msg_task_row *row)
{
    return !filter->card ||
           (row->attempt > 0 && is_card(filter, row->host, (int64_t)row->card));
}
