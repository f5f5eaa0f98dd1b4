#include "parsers/reports/reports.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store.h"
#include "parsers/reports/html.h"
#include "parsers/reports/json.h"
#include "parsers/reports/junit.h"
#include "parsers/reports/load.h"
#include "parsers/reports/model.h"

static const struct {
    const char *file;
    void (*write)(const struct report *report, struct text *out);
} reports[] = {
    {"report.json", report_to_json},
    {"junit.xml", report_to_junit},
    {"report.html", report_to_html}, /* last: when it exists, the others do too */
};

/* Writes a report under a temporary name. */
static int write_report(struct file_new **out,
                        const char *folder,
                        const char *name,
                        const struct text *text,
                        struct err *err)
{
    char *path = xasprintf("%s/%s", folder, name);
    int result = file_new_create(out, path, err);

    if (result == 0 && fd_write_all(file_new_fd(*out), text->bytes, text->length) < 0)
        result = err_errno(err, "writing %s", path);
    free(path);
    return result;
}

/* Commits all files together, so that they are written to disk in one wait. */
static int write_all(const struct report *report, const char *folder, struct err *err)
{
    struct file_new *files[COUNT(reports)] = {NULL};
    struct text text = {0};
    int result = 0;

    for (size_t i = 0; result == 0 && i < COUNT(reports); i++) {
        text_reset(&text);
        reports[i].write(report, &text);
        result = write_report(&files[i], folder, reports[i].file, &text, err);
    }
    text_clear(&text);
    if (result == 0)
        return file_new_commit_all(files, COUNT(files), err);
    for (size_t i = 0; i < COUNT(files); i++)
        file_new_abandon(&files[i]);
    return -1;
}

int reports_write(const char *store_folder,
                  uint64_t job_id,
                  const char *out_folder,
                  struct err *err)
{
    struct store *store = NULL;
    struct report *report = NULL;
    int result = -1, folder_fd;

    if (store_open(&store, store_folder, STORE_READ, err) == 0 &&
        report_load(&report, store, job_id, err) == 0 &&
        folder_create(out_folder, err) == 0 &&
        folder_hold(&folder_fd, out_folder, err) == 0) {
        result = write_all(report, out_folder, err);
        close(folder_fd);
    }
    report_destroy(report);
    store_close(store);
    return result < 0 ? err_wrap(err, "writing the reports of job %llu",
                                 (unsigned long long)job_id)
                      : 0;
}
