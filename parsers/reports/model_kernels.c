/* model_kernels.c - how the kernels of a report ran, and the advice on them */
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

/* Returns the advice with this text on the kernel that was added last, or NULL. */
static struct report_advice *find_advice(const struct report *report,
                                         const struct report_advice *wanted,
                                         const char *text,
                                         size_t length)
{
    struct report_advice *items = report->advice.items;

    for (size_t i = report->advice.count; i-- > 0;) {
        if (items[i].point != wanted->point ||
            strcmp(items[i].kernel, wanted->kernel) != 0)
            return NULL;
        if (strncmp(items[i].text, text, length) == 0 && items[i].text[length] == '\0')
            return &items[i];
    }
    return NULL;
}

void report_add_advice(struct report *report, const struct report_advice *advice)
{
    for (const char *line = advice->text; *line;) {
        size_t length = strcspn(line, "\n");
        struct report_advice *known = find_advice(report, advice, line, length);

        if (known) {
            known->launches += advice->launches;
        } else {
            struct report_advice *added = report_list_add(&report->advice);

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

const struct report_advice *report_advice(const struct report *report, size_t *count)
{
    *count = report->advice.count;
    return report->advice.items;
}
