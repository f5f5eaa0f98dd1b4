#include "parsers/framework/rank_list.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const struct {
    const char *name, *msprof, *purpose;
} files[RANK_FILE_COUNT] = {
    [RANK_KERNELS] = {"kernel_details.csv", "op_summary_*.csv",
                      "without it, and without a database, the rank is not analysed"},
    [RANK_TRACE] = {"trace_view.json", "msprof_*.json",
                    "without it steps have no markers and gaps have no host evidence"},
    [RANK_STEP_TRACE] =
        {"step_trace_time.csv", "step_trace_time.csv",
         "without it steps of ranks are not compared, and a step without marker "
         "starts with its first kernel"},
    [RANK_COMM] =
        {"communication.json", "communication.json",
         "without it the wait inside collectives, groups and bandwidth are unknown"},
    [RANK_COMM_MATRIX] = {"communication_matrix.json", "communication_matrix.json",
                          "without it the bandwidth of each link is unknown"},
    [RANK_HOST_OPS] = {"operator_details.csv", "operator_details.csv",
                       "without it the operators with the most time on the host are "
                       "unknown"},
    [RANK_INFO] = {"profiler_info_<rank>.json", NULL,
                   "without it the settings of the profiler are unknown"},
    [RANK_METADATA] = {"profiler_metadata.json", NULL,
                       "without it parallel groups have no names"},
    [RANK_DATABASE] = {"ascend_pytorch_profiler_<rank>.db", NULL,
                       "without it only the text export is read"},
    [RANK_ANALYSIS_DB] = {"analysis.db", NULL,
                          "without it step times and collectives come from the text "
                          "export only"},
};

const char *rank_file_name(enum rank_file file)
{
    return files[file].name;
}

const char *rank_file_msprof_pattern(enum rank_file file)
{
    return files[file].msprof;
}

const char *rank_file_purpose(enum rank_file file)
{
    return files[file].purpose;
}

void rank_list_clear_folder(struct rank_folder *folder)
{
    for (size_t i = 0; i < RANK_FILE_COUNT; i++)
        free(folder->files[i]);
    for (size_t i = 0; i < folder->more_kernel_count; i++)
        free(folder->more_kernels[i]);
    free(folder->more_kernels);
    free(folder->path);
    free(folder->output);
}

void rank_list_add(struct rank_folders *folders, const struct rank_folder *folder)
{
    folders->rows =
        xreallocarray(folders->rows, folders->count + 1, sizeof(*folders->rows));
    folders->rows[folders->count++] = *folder;
}

void rank_list_clear(struct rank_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        rank_list_clear_folder(&folders->rows[i]);
    free(folders->rows);
    text_clear(&folders->warnings);
    *folders = (struct rank_folders){0};
}

void rank_list_remove(struct rank_folders *folders, size_t index)
{
    rank_list_clear_folder(&folders->rows[index]);
    memmove(&folders->rows[index], &folders->rows[index + 1],
            (folders->count - index - 1) * sizeof(*folders->rows));
    folders->count--;
}
