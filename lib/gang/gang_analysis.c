#include "lib/gang/gang_analysis.h"

#include <string.h>

#include "lib/base/mem.h"

static const struct gang_analysis *const analyses[] = {
    &gang_overlap,     &gang_arrival,  &gang_scaling,
    &gang_collectives, &gang_rotation, &gang_links,
};

const struct gang_analysis *gang_analysis_at(size_t index)
{
    return index < COUNT(analyses) ? analyses[index] : NULL;
}

const struct gang_analysis *gang_analysis_find(const char *name)
{
    for (size_t i = 0; i < COUNT(analyses); i++)
        if (strcmp(analyses[i]->name, name) == 0)
            return analyses[i];
    return NULL;
}

struct gang_table gang_analysis_run(const struct gang_analysis *analysis,
                                    const struct gang_input *input)
{
    struct gang_table table = {.columns = analysis->columns,
                               .column_count = analysis->column_count};

    analysis->add_rows(input, &table);
    return table;
}
