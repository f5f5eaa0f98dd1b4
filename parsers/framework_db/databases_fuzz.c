/* databases_fuzz.c - any changes to a valid database: rows or an error
 *
 * A database with all tables is written once. The input is a list of changes, each of
 * two bytes for the place, in units of the size of the database, and one for the value.
 * The first byte cuts the file, because most changes of single bytes leave it valid. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/sqlite/table_file.h"
#include "parsers/framework/rank_devices.h"
#include "parsers/framework_db/analysis_db.h"
#include "parsers/framework_db/rank_db.h"

static const char tables[] =
    "PRAGMA page_size=512;"
    "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);"
    "CREATE TABLE META_DATA (name TEXT, value TEXT);"
    "CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);"
    "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, globalTaskId "
    "INTEGER, taskType INTEGER, streamId INTEGER, taskId INTEGER);"
    "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, "
    "taskType INTEGER, opType INTEGER, inputShapes INTEGER);"
    "CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER);"
    "CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid "
    "INTEGER, name INTEGER);"
    "CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, name "
    "INTEGER, type INTEGER);"
    "CREATE TABLE ENUM_API_TYPE (id INTEGER, name TEXT);"
    "CREATE TABLE StepTraceTime (step TEXT, computing NUMERIC, "
    "communication_not_overlapped NUMERIC, overlapped NUMERIC, communication NUMERIC, "
    "free NUMERIC);"
    "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, "
    "start_timestamp NUMERIC, elapse_time NUMERIC, step TEXT, type TEXT);"
    "CREATE TABLE CommAnalyzerBandwidth (hccl_op_name TEXT, group_name TEXT, "
    "transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC, package_size "
    "NUMERIC, count NUMERIC, total_duration NUMERIC, step TEXT);"
    "CREATE TABLE CommAnalyzerMatrix (hccl_op_name TEXT, group_name TEXT, src_rank "
    "TEXT, dst_rank TEXT, transport_type TEXT, transit_size NUMERIC, transit_time "
    "NUMERIC, step TEXT, op_name TEXT);";

static void add_rows(struct table_file *file)
{
    static const char *const texts[] = {"MatMul", "AI_CORE", "hcom_allReduce__1_0_1",
                                        "aten::to", "MEMCPY_ASYNC"};

    for (size_t i = 0; i < COUNT(texts); i++)
        table_file_add(file, "STRING_IDS", "IT", (int64_t)i + 1, texts[i]);
    table_file_add(file, "RANK_DEVICE_MAP", "II", (int64_t)3, (int64_t)0);
    table_file_add(file, "META_DATA", "TT", "parallel_group_info",
                   "{\"g\":{\"group_name\":\"dp\",\"global_ranks\":[0,1]}}");
    table_file_add(file, "STEP_TIME", "III", (int64_t)1, (int64_t)500, (int64_t)9000);
    for (int64_t i = 0; i < 4; i++) {
        table_file_add(file, "TASK", "IIIIIII", 1000 + i * 1000, 1500 + i * 1000,
                       (int64_t)0, i, (int64_t)5, (int64_t)2, i);
        table_file_add(file, "COMPUTE_TASK_INFO", "IIIII", (int64_t)1, i, (int64_t)2,
                       (int64_t)1, (int64_t)1);
    }
    table_file_add(file, "COMMUNICATION_OP", "III", (int64_t)3, (int64_t)1200,
                   (int64_t)1900);
    table_file_add(file, "CANN_API", "IIIII", (int64_t)800, (int64_t)900,
                   (int64_t)20000, (int64_t)7, (int64_t)4);
    table_file_add(file, "PYTORCH_API", "TTIII", "700", "950", (int64_t)7, (int64_t)4,
                   (int64_t)50001);
    table_file_add(file, "ENUM_API_TYPE", "IT", (int64_t)20000, "acl");
    table_file_add(file, "StepTraceTime", "TDDDDD", "1", 1., 2., 3., 4., 5.);
    table_file_add(file, "CommAnalyzerTime", "TTDDTT", "hcom_x", "7", 1.2, .7, "step1",
                   "collective");
    table_file_add(file, "CommAnalyzerBandwidth", "TTTDDDDDT", "hcom_x", "7", "HCCS",
                   10., 1., 5., 2., 1., "step1");
    table_file_add(file, "CommAnalyzerMatrix", "TTTTTDDTT", "allreduce-total", "7", "0",
                   "1", "HCCS", 10., 1., "step1", "hcom_x");
}

/* SQLite resolves links, so the file needs a name of its own. */
static char folder[] = "/tmp/muster-fuzz-db-XXXXXX";
static char *path;

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/* Returns the bytes of the valid database. */
static char *valid_database(size_t *size)
{
    struct table_file *file;
    char *bytes;
    struct err err;

    if (!mkdtemp(folder))
        abort();
    path = xasprintf("%s/changed.db", folder);
    atexit(remove_folder);
    if (table_file_create(&file, path, tables, &err) < 0)
        abort();
    add_rows(file);
    if (table_file_finish(file, &err) < 0 ||
        file_read(&bytes, size, path, 1 << 24, &err) < 0)
        abort();
    return bytes;
}

static void read_all(void)
{
    struct names *names = names_create();
    struct rank_device devices[RANK_DEVICES_MAX];
    struct kernel_list kernels;
    struct trace_view trace = {0};
    struct step_trace steps;
    struct comm_ops comm;
    struct comm_matrix matrix;
    struct profiler_metadata metadata;
    struct err err;

    kernel_list_init(&kernels, names);
    rank_devices_find(devices, path, &err);
    if (rank_db_read_kernels(&kernels, path, -1, &err) == 0)
        kernel_list_sort(&kernels);
    if (rank_db_read_trace(&trace, names, path, -1, &err) == 0)
        trace_view_clear(&trace);
    if (analysis_db_read_steps(&steps, path, &err) == 0)
        step_trace_clear(&steps);
    if (analysis_db_read_comm(&comm, names, path, &err) == 0)
        comm_ops_clear(&comm);
    if (analysis_db_read_matrix(&matrix, names, path, &err) == 0)
        comm_matrix_clear(&matrix);
    if (analysis_db_read_metadata(&metadata, path, &err) == 0)
        profiler_metadata_clear(&metadata);
    kernel_list_clear(&kernels);
    names_destroy(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char *valid;
    static size_t valid_size;
    size_t length;
    char *copy;
    int fd;

    if (!valid)
        valid = valid_database(&valid_size);
    if (size == 0)
        return 0;
    copy = xmemdup(valid, valid_size);
    for (size_t i = 1; i + 3 <= size; i += 3) {
        size_t place = ((size_t)bytes[i] << 8 | bytes[i + 1]) * valid_size >> 16;

        copy[place] = (char)bytes[i + 2];
    }
    length = bytes[0] < 0x80 ? valid_size : (bytes[0] - 0x80) * valid_size / 0x80;
    fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || fd_write_all(fd, copy, length) < 0)
        abort();
    close(fd);
    read_all();
    free(copy);
    return 0;
}
