#include "parsers/framework_db/rank_files.h"

#include "lib/base/mem.h"
#include "parsers/framework_db/analysis_db.h"
#include "parsers/framework_db/rank_db.h"

/* The object that a function of the table below fills. */
struct target {
    void *out;
    struct names *names;
    const struct intervals *idle;
    int32_t device;
    struct trace_words words;
};

typedef int source_fn(const struct target *target, const char *path, struct err *err);

static int trace_of_text(const struct target *target, const char *path, struct err *err)
{
    return trace_view_read(target->out, target->names, target->idle, &target->words,
                           path, err);
}

static int trace_of_db(const struct target *target, const char *path, struct err *err)
{
    return rank_db_read_trace(target->out, target->names, path, target->device, err);
}

static int steps_of_text(const struct target *target, const char *path, struct err *err)
{
    return step_trace_read(target->out, path, err);
}

static int steps_of_db(const struct target *target, const char *path, struct err *err)
{
    return analysis_db_read_steps(target->out, path, err);
}

static int comm_of_text(const struct target *target, const char *path, struct err *err)
{
    return comm_ops_read(target->out, target->names, path, err);
}

static int comm_of_db(const struct target *target, const char *path, struct err *err)
{
    return analysis_db_read_comm(target->out, target->names, path, err);
}

static int
matrix_of_text(const struct target *target, const char *path, struct err *err)
{
    return comm_matrix_read(target->out, target->names, path, err);
}

static int matrix_of_db(const struct target *target, const char *path, struct err *err)
{
    return analysis_db_read_matrix(target->out, target->names, path, err);
}

static int info_of_text(const struct target *target, const char *path, struct err *err)
{
    return profiler_info_read(target->out, path, err);
}

static int
metadata_of_text(const struct target *target, const char *path, struct err *err)
{
    return profiler_metadata_read(target->out, path, err);
}

static int
metadata_of_db(const struct target *target, const char *path, struct err *err)
{
    return analysis_db_read_metadata(target->out, path, err);
}

/* The sources of each file of the text export, the best first. */
static const struct source {
    enum rank_file of, file;
    source_fn *read;
} sources[] = {
    {RANK_TRACE, RANK_TRACE, trace_of_text},
    {RANK_TRACE, RANK_DATABASE, trace_of_db},
    {RANK_STEP_TRACE, RANK_STEP_TRACE, steps_of_text},
    {RANK_STEP_TRACE, RANK_ANALYSIS_DB, steps_of_db},
    {RANK_COMM, RANK_COMM, comm_of_text},
    {RANK_COMM, RANK_ANALYSIS_DB, comm_of_db},
    {RANK_COMM_MATRIX, RANK_COMM_MATRIX, matrix_of_text},
    {RANK_COMM_MATRIX, RANK_ANALYSIS_DB, matrix_of_db},
    {RANK_INFO, RANK_INFO, info_of_text},
    {RANK_METADATA, RANK_METADATA, metadata_of_text},
    {RANK_METADATA, RANK_DATABASE, metadata_of_db},
};

/* A damaged source is reported, and the next one is tried. */
static bool read_first(enum rank_file of,
                       const struct target *target,
                       const struct rank_folder *folder,
                       struct text *limitations)
{
    bool is_damaged = false;

    for (size_t i = 0; i < COUNT(sources); i++) {
        const char *path = folder->files[sources[i].file];
        struct err err;

        if (sources[i].of != of || !path)
            continue;
        if (sources[i].read(target, path, &err) == 0)
            return true;
        if (err.code == ERR_NOT_FOUND) /* the database lacks the table */
            continue;
        is_damaged = true;
        text_printf(limitations, "%s; %s\n", err.text, rank_file_purpose(of));
    }
    if (!is_damaged)
        text_printf(limitations, "%s is missing; %s\n", rank_file_name(of),
                    rank_file_purpose(of));
    return false;
}

bool rank_files_read_trace(struct trace_view *trace,
                           struct names *names,
                           const struct intervals *idle,
                           const struct rank_folder *folder,
                           struct text *limitations)
{
    return read_first(RANK_TRACE,
                      &(struct target){.out = trace,
                                       .names = names,
                                       .idle = idle,
                                       .device = folder->device,
                                       .words = {folder->marker, folder->layer}},
                      folder, limitations);
}

bool rank_files_read_steps(struct step_trace *steps,
                           const struct rank_folder *folder,
                           struct text *limitations)
{
    return read_first(RANK_STEP_TRACE, &(struct target){.out = steps}, folder,
                      limitations);
}

bool rank_files_read_comm(struct comm_ops *ops,
                          struct names *names,
                          const struct rank_folder *folder,
                          struct text *limitations)
{
    return read_first(RANK_COMM, &(struct target){.out = ops, .names = names}, folder,
                      limitations);
}

bool rank_files_read_matrix(struct comm_matrix *matrix,
                            struct names *names,
                            const struct rank_folder *folder,
                            struct text *limitations)
{
    return read_first(RANK_COMM_MATRIX, &(struct target){.out = matrix, .names = names},
                      folder, limitations);
}

bool rank_files_read_info(struct profiler_info *info,
                          const struct rank_folder *folder,
                          struct text *limitations)
{
    return read_first(RANK_INFO, &(struct target){.out = info}, folder, limitations);
}

bool rank_files_read_metadata(struct profiler_metadata *metadata,
                              const struct rank_folder *folder,
                              struct text *limitations)
{
    return read_first(RANK_METADATA, &(struct target){.out = metadata}, folder,
                      limitations);
}

void rank_files_read_host(struct rank_host *host,
                          const struct rank_folder *folder,
                          struct text *limitations)
{
    const char *path = folder->files[RANK_DATABASE];
    struct err err;

    *host = (struct rank_host){.device = folder->device};
    if (path && rank_host_read(host, path, folder->device, &err) < 0)
        text_printf(limitations, "%s; the host and the chip are unknown\n", err.text);
}
