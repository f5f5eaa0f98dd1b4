#include "parsers/cluster_files/cluster_files.h"

#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "parsers/cluster/time_summary.h"
#include "parsers/cluster_files/cluster_files_internal.h"

typedef void json_fn(struct json_write *json, const struct comm_sets *sets);

static int write_text(const char *folder,
                      const char *name,
                      const struct text *text,
                      struct err *err)
{
    char *path = xasprintf("%s/%s", folder, name);
    int result = file_write(path, text_get(text), text->length, err);

    free(path);
    return result;
}

static int write_json(const char *folder,
                      const char *name,
                      const struct comm_sets *sets,
                      json_fn *fn,
                      struct err *err)
{
    struct text text = {0};
    struct json_write json;
    int result;

    json_write_to_text(&json, &text);
    json_write_pretty(&json);
    fn(&json, sets);
    result = json_write_finish(&json, err);
    text_add(&text, "\n");
    if (result == 0)
        result = write_text(folder, name, &text, err);
    text_clear(&text);
    return result;
}

static int write_all(const char *folder, const struct cluster *cluster, struct err *err)
{
    static const struct {
        const char *name;
        json_fn *fn;
    } files[] = {
        {"communication_group.json", groups_json_write},
        {"cluster_communication.json", comm_json_write},
        {"cluster_communication_matrix.json", matrix_json_write},
    };
    struct comm_sets *sets = comm_sets_create(cluster);
    struct text csv = {0};
    int result;

    step_times_write_csv(&csv, cluster);
    result = write_text(folder, "cluster_step_trace_time.csv", &csv, err);
    text_reset(&csv);
    time_summary_csv(&csv, cluster);
    if (result == 0 && cluster->time_count > 0)
        result = write_text(folder, "cluster_time_summary.csv", &csv, err);
    text_clear(&csv);
    for (size_t i = 0; i < COUNT(files) && result == 0; i++)
        result = write_json(folder, files[i].name, sets, files[i].fn, err);
    if (result == 0)
        result = cluster_db_write(folder, sets, err);
    comm_sets_destroy(sets);
    return result;
}

int cluster_files_write(const char *to, const struct cluster *cluster, struct err *err)
{
    char *folder = xasprintf("%s/cluster_analysis_output", to);
    int result = folder_create(folder, err);

    if (result == 0)
        result = write_all(folder, cluster, err);
    free(folder);
    return result;
}
