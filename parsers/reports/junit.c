#include "parsers/reports/junit.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/html/escape.h"
#include "parsers/reports/model.h"

static bool has_failed(const struct report_task *task)
{
    return strcmp(task->state, "failed") == 0;
}

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    html_escape(out, value);
    text_add(out, "\"");
}

static void add_case(struct text *out, const char *job, const struct report_task *task)
{
    text_add(out, "    <testcase");
    add_attribute(out, "classname", job);
    text_add(out, " name=\"");
    if (*task->point_text) {
        html_escape(out, task->point_text);
        text_add(out, " ");
    }
    text_printf(out, "repeat %" PRIu64 "\" time=\"%.3f\"", task->repeat, task->seconds);
    if (report_task_is_good(task)) {
        text_add(out, "/>\n");
        return;
    }
    text_printf(out, "><%s", has_failed(task) ? "failure" : "error");
    add_attribute(out, "type", task->state);
    add_attribute(out, "message", *task->reason ? task->reason : task->state);
    text_add(out, "/></testcase>\n");
}

static void add_missing_tasks(struct text *out, const char *job)
{
    text_add(out, "    <testcase");
    add_attribute(out, "classname", job);
    text_add(out,
             " name=\"job\" time=\"0.000\"><error type=\"empty\" message=\"the job "
             "has no tasks\"/></testcase>\n");
}

void report_to_junit(const struct report *report, struct text *out)
{
    size_t count, failed = 0;
    const struct report_task *tasks = report_tasks(report, &count);
    const char *key = report_job(report)->key;
    size_t errors = count - report_good_count(report) + (count == 0);
    double seconds = 0;

    for (size_t i = 0; i < count; i++) {
        failed += has_failed(&tasks[i]);
        seconds += tasks[i].seconds;
    }
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", key);
    text_add(out, ">\n  <testsuite");
    add_attribute(out, "name", key);
    text_printf(out,
                " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" "
                "time=\"%.3f\">\n",
                count + (count == 0), failed, errors - failed, seconds);
    if (count == 0)
        add_missing_tasks(out, key);
    for (size_t i = 0; i < count; i++)
        add_case(out, report_job(report)->name, &tasks[i]);
    text_add(out, "  </testsuite>\n</testsuites>\n");
}
