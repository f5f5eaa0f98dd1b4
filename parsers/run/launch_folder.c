#include "parsers/run/launch_folder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/mem.h"

static bool is_same_kernel(const struct source_launch *a, const struct source_launch *b)
{
    return a->info.device == b->info.device && strcmp(a->kernel, b->kernel) == 0;
}

static bool has_one_process(const struct source *source)
{
    for (size_t i = 1; i < source->count; i++)
        if (source->launches[i]->shard != source->launches[0]->shard)
            return false;
    return true;
}

uint32_t *launch_folder_numbers(const struct source *source)
{
    uint32_t *numbers = xcalloc(source->count + 1, sizeof(*numbers));
    bool one_process = has_one_process(source);

    for (size_t i = 0; i < source->count; i++) {
        uint32_t next_free = 0;
        bool taken = false;

        numbers[i] = source->launches[i]->order;
        for (size_t before = 0; !one_process && before < i; before++) {
            if (!is_same_kernel(source->launches[before], source->launches[i]))
                continue;
            taken |= numbers[before] == numbers[i];
            next_free = numbers[before] >= next_free ? numbers[before] + 1 : next_free;
        }
        if (taken)
            numbers[i] = next_free;
    }
    return numbers;
}

void launch_folder_path(const struct source *source,
                        const struct source_launch *launch,
                        uint32_t number,
                        struct text *out)
{
    char host[80], kernel[201];

    text_to_path_part(host, sizeof(host), source->host);
    text_to_path_part(kernel, sizeof(kernel), launch->kernel);
    text_printf(out, "%s/device%" PRIu32 "/%s/%" PRIu32, host, launch->info.device,
                kernel, number);
}
