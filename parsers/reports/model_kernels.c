/* model_kernels.c - how the kernels of a report ran, the advice on them, and notes */
#include <string.h>

#include "lib/base/arena.h"
#include "parsers/reports/model_internal.h"

void report_add_kernel(struct report *report, const struct report_kernel *kernel)
{
    struct report_kernel *added = report_list_add(&report->kernels);

    *added = (struct report_kernel){
        .kernel = arena_strdup(report->arena, kernel->kernel),
        .group_found = arena_strdup(report->arena, kernel->group_found),
        .restored = arena_strdup(report->arena, kernel->restored),
        .launches = kernel->launches,
    };
}

const struct report_kernel *report_kernels(const struct report *report, size_t *count)
{
    *count = report->kernels.count;
    return report->kernels.items;
}

/* Returns the item with this text on the kernel that was added last, or NULL. */
static struct report_advice *find_advice(const struct report_list *list,
                                         const struct report_advice *wanted,
                                         const char *text,
                                         size_t length)
{
    struct report_advice *items = list->items;

    for (size_t i = list->count; i-- > 0;) {
        if (items[i].point != wanted->point ||
            strcmp(items[i].kernel, wanted->kernel) != 0)
            return NULL;
        if (strncmp(items[i].text, text, length) == 0 && items[i].text[length] == '\0')
            return &items[i];
    }
    return NULL;
}

/* Adds each line of the text to the list. */
static void add_lines(struct report *report,
                      struct report_list *list,
                      const struct report_advice *advice)
{
    for (const char *line = advice->text; *line;) {
        size_t length = strcspn(line, "\n");
        struct report_advice *known = find_advice(list, advice, line, length);

        if (known) {
            known->launches += advice->launches;
        } else {
            struct report_advice *added = report_list_add(list);

            *added = (struct report_advice){
                .point = advice->point,
                .point_text = arena_strdup(report->arena, advice->point_text),
                .kernel = arena_strdup(report->arena, advice->kernel),
                .text = arena_strndup(report->arena, line, length),
                .launches = advice->launches,
            };
        }
        line += length;
        line += *line == '\n';
    }
}

void report_add_advice(struct report *report, const struct report_advice *advice)
{
    add_lines(report, &report->advice, advice);
}

void report_add_note(struct report *report, const struct report_advice *note)
{
    add_lines(report, &report->notes, note);
}

const struct report_advice *report_notes(const struct report *report, size_t *count)
{
    *count = report->notes.count;
    return report->notes.items;
}

const struct report_advice *report_advice(const struct report *report, size_t *count)
{
    *count = report->advice.count;
    return report->advice.items;
}
