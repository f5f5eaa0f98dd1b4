#include "parsers/framework/kernel_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"

enum { SKIPPED_SHOWN = 5, RESERVED_MAX = 4 << 20 };

void kernel_list_init(struct kernel_list *list, struct names *names)
{
    *list = (struct kernel_list){.names = names, .has_wait = true};
}

void kernel_list_clear(struct kernel_list *list)
{
    free(list->rows);
    text_clear(&list->skipped);
    *list = (struct kernel_list){0};
}

static void set_room(struct kernel_list *list, size_t room)
{
    list->room = room;
    list->rows = xregrow(list->rows, list->count * sizeof(*list->rows),
                         list->room * sizeof(*list->rows));
}

void kernel_list_reserve(struct kernel_list *list, uint64_t count)
{
    if (count > RESERVED_MAX)
        count = RESERVED_MAX;
    if (list->count + count > list->room)
        set_room(list, list->count + (size_t)count);
}

void kernel_list_add(struct kernel_list *list, const struct kernel *kernel)
{
    if (list->count == list->room)
        set_room(list, list->room ? list->room * 2 : 256);
    list->rows[list->count++] = *kernel;
}

void kernel_list_skip(struct kernel_list *list, const char *reason)
{
    if (list->rows_skipped++ < SKIPPED_SHOWN)
        text_printf(&list->skipped, "%s\n", reason);
}

static int compare_start(const void *a, const void *b)
{
    const struct kernel *left = a, *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->end != right->end)
        return left->end < right->end ? -1 : 1;
    return 0;
}

static bool is_sorted(const struct kernel_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (compare_start(&list->rows[i - 1], &list->rows[i]) > 0)
            return false;
    return true;
}

void kernel_list_sort(struct kernel_list *list)
{
    if (!is_sorted(list))
        qsort(list->rows, list->count, sizeof(*list->rows), compare_start);
    if (list->has_wait)
        return;
    for (size_t i = 1; i < list->count; i++) {
        int64_t gap = list->rows[i].start - list->rows[i - 1].end;

        list->rows[i].wait = gap > 0 ? gap : 0;
    }
}

bool kernel_name_is_comm(const char *name)
{
    if (name[0] != 'h' && name[0] != 'H') /* decides most names without a call */
        return false;
    return strncasecmp(name, "hcom_", 5) == 0 || strncmp(name, "Hcom", 4) == 0;
}

enum unit_class unit_class_of(const char *unit, const char *name)
{
    static const struct {
        const char *unit;
        enum unit_class class;
    } units[] = {
        {"AI_CORE", UNIT_CORE},       {"AI_VECTOR_CORE", UNIT_CORE},
        {"MIX_AIC", UNIT_CORE},       {"MIX_AIV", UNIT_CORE},
        {"FFTS_PLUS", UNIT_CORE},     {"DSA_SQE", UNIT_CORE},
        {"AI_CPU", UNIT_AICPU},       {"HCCL", UNIT_COMM},
        {"COMMUNICATION", UNIT_COMM}, {"N/A", UNIT_UNKNOWN},
        {"", UNIT_UNKNOWN},
    };

    if (kernel_name_is_comm(name))
        return UNIT_COMM;
    for (size_t i = 0; i < COUNT(units); i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].class;
    return UNIT_OTHER;
}

const char *unit_class_name(enum unit_class class)
{
    static const char *const names[] = {
        [UNIT_CORE] = "core",          [UNIT_AICPU] = "aicpu",
        [UNIT_COMM] = "communication", [UNIT_OTHER] = "other",
        [UNIT_UNKNOWN] = "unknown",
    };

    return names[class];
}
