#include "parsers/reports/reports.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "parsers/reports/html.h"
#include "parsers/reports/json.h"
#include "parsers/reports/load.h"
#include "parsers/reports/model.h"
#include "store/store.h"

static const struct {
    const char *file;
    void (*make)(const struct report *report, struct text *out);
} reports[] = {
    {"report.json", report_to_json},
    {"junit.xml", report_to_junit},
    {"report.html", report_to_html}, /* last: who sees it finds the others */
};

static int write_all(const struct report *report, const char *folder, struct err *err)
{
    struct text text = {0};
    int result = 0;

    for (size_t i = 0; result == 0 && i < COUNT(reports); i++) {
        char *path = xasprintf("%s/%s", folder, reports[i].file);

        text_reset(&text);
        reports[i].make(report, &text);
        result = file_write(path, text_get(&text), text.length, err);
        free(path);
    }
    text_clear(&text);
    return result;
}

int reports_write(const char *store_folder,
                  uint64_t job_id,
                  const char *out_folder,
                  struct err *err)
{
    struct store *store = NULL;
    struct report *report = NULL;
    int result = -1;

    if (store_open(&store, store_folder, STORE_READ, err) == 0 &&
        report_load(&report, store, job_id, err) == 0 &&
        folder_create(out_folder, err) == 0) {
        folder_sweep(out_folder); /* of one that was killed here before */
        result = write_all(report, out_folder, err);
    }
    report_destroy(report);
    store_close(store);
    return result < 0
               ? err_wrap(err, "reporting on job %llu", (unsigned long long)job_id)
               : 0;
}
