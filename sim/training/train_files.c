#include "sim/training/train_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a time in us, with a TAB behind it as the profiler does. */
static void put_us(FILE *out, uint64_t ns, const char *end)
{
    fprintf(out, "%" PRIu64 ".%03u%s", ns / 1000, (unsigned)(ns % 1000), end);
}

static void put_name(FILE *out, const struct train_task *task)
{
    if (task->collective == UINT32_MAX)
        fprintf(out, "%s,%s", task->name, task->type);
    else
        fprintf(out, "%s_" TRAIN_GROUP_TAIL "_%" PRIu32 "_1,%s", task->name,
                task->collective, task->type);
}

static void write_kernels(FILE *out, const struct train_rank *rank)
{
    uint64_t until = rank->task_count ? rank->tasks[0].start : 0;

    fputs("Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,"
          "Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,"
          "Mix Block Dim,Input Shapes,Input Data Types\n",
          out);
    for (size_t i = 0; i < rank->task_count; i++) {
        const struct train_task *task = &rank->tasks[i];

        fprintf(out, "%" PRIu32 ",0,4294967295,", task->step + TRAIN_FIRST_STEP);
        if (task->collective == UINT32_MAX)
            fprintf(out, "%zu,%" PRIu32 ",", i, task->stream);
        else
            fputs("N/A,N/A,", out);
        put_name(out, task);
        fprintf(out, ",dynamic,%s,", task->unit);
        put_us(out, task->start, "\t,");
        put_us(out, task->end - task->start, ",");
        put_us(out, task->start > until ? task->start - until : 0, ",");
        if (task->collective == UINT32_MAX)
            fprintf(out, "24,0,\"\"\"%" PRIu32 ",2048\"\"\",DT_BF16\n", task->tokens);
        else
            fputs("0,0,N/A,N/A\n", out);
        until = task->end;
    }
}

static void write_steps(FILE *out, const struct train_model *model, uint32_t number)
{
    const struct train_rank *rank = &model->ranks[number];

    fputs("Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,"
          "Communication,Free,Stage,Bubble,"
          "Communication(Not Overlapped and Exclude Receive),Preparing\n",
          out);
    for (uint32_t step = 0; step < model->options.steps; step++) {
        uint64_t compute = train_rank_covered(rank, step, SHARE_COMPUTE);
        uint64_t comm = train_rank_covered(rank, step, SHARE_COMM);
        uint64_t all = train_rank_covered(rank, step, SHARE_ALL);
        uint64_t start = UINT64_MAX, end = 0;

        for (size_t i = 0; i < rank->task_count; i++) {
            if (rank->tasks[i].step != step)
                continue;
            start = start < rank->tasks[i].start ? start : rank->tasks[i].start;
            end = end > rank->tasks[i].end ? end : rank->tasks[i].end;
        }
        fprintf(out, "0,%" PRIu32 ",", step + TRAIN_FIRST_STEP);
        put_us(out, compute, ",");
        put_us(out, all - compute, ",");
        put_us(out, compute + comm - all, ",");
        put_us(out, comm, ",");
        put_us(out, end - start - all, ",");
        put_us(out, end - start, ",0,");
        put_us(out, all - compute, ",");
        put_us(out, start - rank->steps[step].start, "\n");
    }
}

static void write_info(FILE *out, const struct train_rank *rank, uint32_t number)
{
    fprintf(
        out,
        "{\"config\": {\"common_config\": {\"record_shapes\": true, \"with_stack\": "
        "false}, \"experimental_config\": {\"_profiler_level\": \"Level1\", "
        "\"_export_type\": [\"text\"]}}, \"end_info\": {\"collectionTimeEnd\": %" PRIu64
        "}, \"rank_id\": %" PRIu32 "}\n",
        rank->host, number);
}

static void write_metadata(FILE *out, const struct train_model *model, uint32_t number)
{
    fprintf(out,
            "{\"distributed_args\": {\"tensor_model_parallel_size\": 1, "
            "\"pipeline_model_parallel_size\": 1, \"data_parallel_size\": %" PRIu32
            ", \"context_parallel_size\": 1, \"rank\": %" PRIu32
            ", \"world_size\": %" PRIu32 "}, \"parallel_group_info\": {\"group_name_0\""
            ": {\"group_name\": \"default_group\", \"group_rank\": %" PRIu32
            ", \"global_ranks\": [",
            model->options.ranks, number, model->options.ranks, number);
    for (uint32_t i = 0; i < model->options.ranks; i++)
        fprintf(out, "%s%" PRIu32, i ? ", " : "", i);
    fputs("]}}}\n", out);
}

enum { PATH_BYTES = 4096 };

static int failed(const char *path)
{
    fprintf(stderr, "train_like: %s: %s\n", path, strerror(errno));
    return -1;
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777) < 0 && errno != EEXIST ? failed(path) : 0;
}

enum file {
    FILE_INFO,
    FILE_METADATA,
    FILE_KERNELS,
    FILE_STEPS,
    FILE_TRACE,
    FILE_COMM,
    FILE_MATRIX,
    FILE_COUNT,
};

static void
write_file(FILE *out, enum file file, const struct train_model *model, uint32_t number)
{
    const struct train_rank *rank = &model->ranks[number];

    switch (file) {
    case FILE_INFO:
        write_info(out, rank, number);
        break;
    case FILE_METADATA:
        write_metadata(out, model, number);
        break;
    case FILE_KERNELS:
        write_kernels(out, rank);
        break;
    case FILE_STEPS:
        write_steps(out, model, number);
        break;
    case FILE_TRACE:
        train_trace_write(out, rank);
        break;
    case FILE_COMM:
        train_comm_write(out, model, number);
        break;
    case FILE_MATRIX:
        train_comm_matrix_write(out, model, number);
        break;
    case FILE_COUNT:
        break;
    }
}

int train_files_write(const struct train_model *model, uint32_t rank, const char *dir)
{
    static const char *const names[] = {
        [FILE_INFO] = "",
        [FILE_METADATA] = "profiler_metadata.json",
        [FILE_KERNELS] = "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        [FILE_STEPS] = "ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
        [FILE_TRACE] = "ASCEND_PROFILER_OUTPUT/trace_view.json",
        [FILE_COMM] = "ASCEND_PROFILER_OUTPUT/communication.json",
        [FILE_MATRIX] = "ASCEND_PROFILER_OUTPUT/communication_matrix.json",
    };
    char path[PATH_BYTES], folder[PATH_BYTES - 64];

    if (snprintf(folder, sizeof(folder), "%s/rank%" PRIu32 "_ascend_pt", dir, rank) >=
        (int)sizeof(folder)) {
        errno = ENAMETOOLONG;
        return failed(dir);
    }
    snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT", folder);
    if (make_folder(dir) < 0 || make_folder(folder) < 0 || make_folder(path) < 0)
        return -1;
    for (enum file file = FILE_INFO; file < FILE_COUNT; file++) {
        bool has_peers = model->options.ranks > 1;
        FILE *out;

        if ((file == FILE_COMM || file == FILE_MATRIX) && !has_peers)
            continue;
        if (file == FILE_INFO)
            snprintf(path, sizeof(path), "%s/profiler_info_%" PRIu32 ".json", folder,
                     rank);
        else
            snprintf(path, sizeof(path), "%s/%s", folder, names[file]);
        out = fopen(path, "w");
        if (!out)
            return failed(path);
        write_file(out, file, model, rank);
        if (fclose(out) != 0)
            return failed(path);
    }
    return 0;
}
