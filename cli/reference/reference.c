#include "cli/reference/reference.h"

#include <stdlib.h>

#include "cli/reference/reference_internal.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

static const struct page {
    const char *name;
    int (*print)(struct text *out, const char *schema, struct err *err);
} pages[] = {
    {"commands.md", reference_commands},
    {"settings.md", reference_settings},
    {"job-keys.md", reference_job_keys},
    {"muster-job.5", reference_job_manual},
};

int reference_write(const char *folder, const char *schema, struct err *err)
{
    int result = folder_create(folder, err);

    for (size_t i = 0; i < COUNT(pages) && result == 0; i++) {
        char *path = xasprintf("%s/%s", folder, pages[i].name);
        struct text out = {0};

        result = pages[i].print(&out, schema, err);
        if (result == 0)
            result = file_write(path, text_get(&out), out.length, err);
        text_clear(&out);
        free(path);
    }
    return result;
}
