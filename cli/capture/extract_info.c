#include "cli/capture/extract_info.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/capture/extract_launches.h"
#include "lib/base/file.h"

/* Shortens a mangled name as the vendor's tool does: "_Z<n>" and n characters give
 * these characters. */
static void cut_name(char *out, size_t size, const char *kernel)
{
    const char *mangled = strstr(kernel, "_Z"), *name = kernel;
    size_t length = strlen(kernel);
    char *end;

    if (mangled) {
        unsigned long characters = strtoul(mangled + 2, &end, 10);

        if (end != mangled + 2 && characters && characters <= strlen(end)) {
            name = end;
            length = characters;
        }
    }
    snprintf(out, size, "%.*s", (int)length, name);
}

static void add_mhz(struct text *text, const char *key, uint32_t mhz)
{
    if (mhz)
        text_printf(text, "%s=%" PRIu32 "\n", key, mhz);
    else
        text_printf(text, "%s=NA\n", key);
}

int extract_info_write(const struct extract_launch *launch,
                       const struct record_run_clock *clock,
                       struct err *err)
{
    const struct record_launch *record = &launch->record;
    struct text text = {0};
    char path[PATH_MAX], name[256];
    int result;

    cut_name(name, sizeof(name), record->kernel);
    text_printf(&text,
                "Op Name=%s\nBlock Dim=%" PRIu32 "\nRun Soc Version=%s\n"
                "Device Id=%" PRIu32 "\nPid=%" PRIu32 "\n",
                name, record->block_dim, clock->soc, record->device, record->pid);
    add_mhz(&text, "Current Freq",
            launch->core_mhz ? launch->core_mhz : clock->core_mhz_current);
    add_mhz(&text, "Rated Freq", clock->core_mhz_rated);
    text_printf(&text, "Is MC2=%d\nIs Lccl=%d\nHas Simt=%d\n", record->is_mc2 != 0,
                record->is_lccl != 0, record->has_simt != 0);
    text_printf(&text,
                "Metrics=%.*s\nSimulated=%" PRIu32 "\nTicks Khz=%" PRIu32
                "\nCore Count=%" PRIu32 "\nHbm Maker=%" PRIu32 "\n%s",
                (int)sizeof(record->metrics) - 1, record->metrics, clock->simulated,
                clock->ticks_khz, clock->core_count, clock->hbm_maker,
                text_get(&launch->lists));
    snprintf(path, sizeof(path), "%s/op_basic_info.txt", launch->folder);
    result = file_write(path, text_get(&text), text.length, err);
    text_clear(&text);
    return result;
}
