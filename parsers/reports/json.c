#include "parsers/reports/json.h"

#include <inttypes.h>

#include "lib/base/clock.h"
#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/gang_report/gang_json.h"
#include "parsers/reports/model.h"

static void member_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void member_u64(struct json_write *json, const char *key, uint64_t value)
{
    json_write_key(json, key);
    json_write_u64(json, value);
}

static void member_double(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

static void member_bool(struct json_write *json, const char *key, bool value)
{
    json_write_key(json, key);
    json_write_bool(json, value);
}

static void member_time(struct json_write *json, const char *key, uint64_t wall_ms)
{
    char when[32];

    json_write_key(json, key);
    if (wall_ms)
        json_write_text(json, clock_format(when, wall_ms * 1000000));
    else
        json_write_null(json);
}

static void write_job(struct json_write *json, const struct report_job *job)
{
    json_write_key(json, "job");
    json_write_object(json);
    member_u64(json, "id", job->job_id);
    member_text(json, "key", job->key);
    member_text(json, "name", job->name);
    member_text(json, "file", job->file_name);
    member_text(json, "user", job->user);
    member_text(json, "state", job->state);
    member_text(json, "reason", job->reason);
    member_time(json, "submitted", job->submitted_wall_ms);
    member_time(json, "ended", job->ended_wall_ms);
    json_write_object_end(json);
}

static void write_series(struct json_write *json, const struct report *report)
{
    size_t count;
    const struct report_series *it = report_series(report, &count);
    const struct report_card *cards = report_cards(report, &(size_t){0});

    json_write_key(json, "durations");
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_text(json, "kernel", it->kernel);
        member_text(json, "shape", it->shape);
        member_text(json, "host", cards[it->card].host);
        member_u64(json, "card", cards[it->card].card);
        member_text(json, "model", cards[it->card].model);
        member_u64(json, "count", it->count);
        member_double(json, "median_us", it->median_us);
        member_double(json, "least_us", it->values_us[0]);
        member_double(json, "most_us", it->values_us[it->count - 1]);
        member_double(json, "spread_ratio", it->spread);
        member_double(json, "to_all_cards_ratio", it->ratio);
        json_write_key(json, "values_us");
        json_write_array(json);
        for (size_t i = 0; i < it->count; i++)
            json_write_double(json, it->values_us[i]);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_cards(struct json_write *json, const struct report *report)
{
    size_t count;
    const struct report_card *it = report_cards(report, &count);

    json_write_key(json, "cards");
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_text(json, "host", it->host);
        member_u64(json, "card", it->card);
        member_text(json, "model", it->model);
        member_u64(json, "series", it->series_count);
        member_double(json, "to_all_cards_ratio", it->ratio);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Only jobs whose programs profiled themselves have steps. */
static void write_steps(struct json_write *json, const struct report *report)
{
    static const char *const names[] = {
        [STEP_MEASURE_COUNT] = "steps",
        [STEP_MEASURE_SERVICE] = "service_us",
        [STEP_MEASURE_BUSY] = "busy_ratio",
        [STEP_MEASURE_PRELAUNCH] = "prelaunch_us",
        [STEP_MEASURE_INTERNAL] = "internal_us",
        [STEP_MEASURE_TAIL] = "tail_us",
    };
    size_t count;
    const struct report_steps *it = report_steps(report, &count);

    if (count == 0)
        return;
    json_write_key(json, "steps");
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_text(json, "group", it->kernel);
        member_text(json, "shape", it->shape);
        member_u64(json, "point", it->point);
        member_u64(json, "repeat", it->repeat);
        member_u64(json, "rank", it->rank);
        for (size_t i = 0; i < STEP_MEASURES; i++)
            member_double(json, names[i], it->measures[i]);
        member_text(json, "anomalies", it->anomalies);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_kernels(struct json_write *json, const struct report *report)
{
    size_t count;
    const struct report_kernel *it = report_kernels(report, &count);

    json_write_key(json, "kernels");
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_text(json, "kernel", it->kernel);
        member_text(json, "group_found", it->group_found);
        member_text(json, "restored", it->restored);
        member_u64(json, "launches", it->launches);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Writes the advice, or the notes, as the member `key`. */
static void write_advice(struct json_write *json,
                         const char *key,
                         const struct report_advice *it,
                         size_t count)
{
    json_write_key(json, key);
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_u64(json, "point", it->point);
        member_text(json, "point_text", it->point_text);
        member_text(json, "kernel", it->kernel);
        member_u64(json, "launches", it->launches);
        member_text(json, "text", it->text);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_tasks_without_result(struct json_write *json,
                                       const struct report *report)
{
    size_t count;
    const struct report_task *it = report_bad_tasks(report, &count);

    json_write_key(json, "without_result");
    json_write_array(json);
    for (; count; count--, it++) {
        json_write_object(json);
        member_u64(json, "point", it->point);
        member_text(json, "point_text", it->point_text);
        member_u64(json, "repeat", it->repeat);
        member_text(json, "state", it->state);
        member_u64(json, "attempts", it->attempts);
        member_text(json, "reason", it->reason);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void report_to_json(const struct report *report, struct text *out)
{
    size_t advice_count, note_count;
    const struct report_advice *advice = report_advice(report, &advice_count);
    const struct report_advice *notes = report_notes(report, &note_count);
    struct json_write json = {0};
    struct err err;

    json_write_to_text(&json, out);
    json_write_pretty(&json);
    json_write_object(&json);
    member_text(&json, "schema", "muster.report.v4");
    member_text(&json, "muster", MUSTER_VERSION);
    member_text(&json, "verdict", report_verdict(report));
    member_bool(&json, "complete", report_is_complete(report));
    member_u64(&json, "tasks", report_task_count(report));
    member_u64(&json, "tasks_good", report_good_count(report));
    member_bool(&json, "has_simulated", report_has_simulated(report));
    member_bool(&json, "has_measured", report_has_measured(report));
    write_job(&json, report_job(report));
    write_cards(&json, report);
    write_series(&json, report);
    write_steps(&json, report);
    write_kernels(&json, report);
    write_advice(&json, "advice", advice, advice_count);
    write_advice(&json, "notes", notes, note_count);
    write_tasks_without_result(&json, report);
    if (report_gang(report))
        gang_json_write(report_gang(report), &json);
    json_write_object_end(&json);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
    text_add_char(out, '\n');
}
