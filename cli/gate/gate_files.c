#include "cli/gate/gate_files.h"

#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

static const struct {
    const char *name;
    void (*write)(const struct gate_report *report, struct text *out);
} files[] = {
    {"junit.xml", gate_to_junit},
    {"metrics.txt", gate_to_metrics},
    {"gate.html", gate_to_html},
    {"gate.json", gate_to_json}, /* last: when it is new, the others are too */
};

int gate_files_write(const struct gate_report *report,
                     const char *folder,
                     struct err *err)
{
    struct text text = {0};
    int result = folder_create(folder, err);

    for (size_t i = 0; result == 0 && i < COUNT(files); i++) {
        char *path = xasprintf("%s/%s", folder, files[i].name);

        text_reset(&text);
        files[i].write(report, &text);
        result = file_write(path, text.bytes, text.length, err);
        free(path);
    }
    text_clear(&text);
    return result;
}
