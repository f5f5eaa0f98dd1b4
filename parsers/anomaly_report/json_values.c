#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly_report/report_json_internal.h"

enum { MS_DECIMALS = 6, US_DECIMALS = 3 };

void json_put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void json_put_bool(struct json_write *json, const char *key, bool value)
{
    json_write_key(json, key);
    json_write_bool(json, value);
}

void json_put_count(struct json_write *json, const char *key, uint64_t value)
{
    json_write_key(json, key);
    json_write_u64(json, value);
}

void json_put_ms(struct json_write *json, const char *key, int64_t ns)
{
    json_write_key(json, key);
    json_write_scaled(json, ns, MS_DECIMALS);
}

void json_put_us(struct json_write *json, const char *key, int64_t ns)
{
    json_write_key(json, key);
    json_write_scaled(json, ns, US_DECIMALS);
}

void json_put_ratio(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    if (isfinite(value))
        json_write_fixed(json, value, MS_DECIMALS);
    else
        json_write_null(json);
}

void json_put_group(struct json_write *json, const char *key, size_t group)
{
    char *id = group == SIZE_MAX ? NULL : xasprintf("group_%zu", group);

    json_put_text(json, key, id);
    free(id);
}

void json_put_labels(struct json_write *json, const char *key, unsigned labels)
{
    json_write_key(json, key);
    json_write_array(json);
    for (enum label label = 0; label < LABEL_COUNT; label++)
        if (labels >> label & 1)
            json_write_text(json, label_name(label));
    json_write_array_end(json);
}

void json_put_tags(struct json_write *json, const char *key, unsigned tags)
{
    json_write_key(json, key);
    json_write_array(json);
    for (enum tag tag = 0; tag < TAG_COUNT; tag++)
        if (tags >> tag & 1)
            json_write_text(json, tag_name(tag));
    json_write_array_end(json);
}

static int compare_streams(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return left < right ? -1 : left > right;
}

void json_write_streams(struct json_write *json,
                        const struct analysis *analysis,
                        const struct step *step)
{
    const struct kernel *rows = &analysis->input->kernels.rows[step->window.first];
    int32_t *streams = xcalloc(step->window.count + 1, sizeof(*streams));
    size_t used = 0;

    for (size_t i = 0; i < step->window.count; i++)
        if (rows[i].stream >= 0)
            streams[used++] = rows[i].stream;
    qsort(streams, used, sizeof(*streams), compare_streams);
    json_write_array(json);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || streams[i] != streams[i - 1])
            json_write_i64(json, streams[i]);
    json_write_array_end(json);
    free(streams);
}
