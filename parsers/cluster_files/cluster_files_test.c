/* cluster_files_test.c - the files of the comparison of a genuine capture */
#include "parsers/cluster_files/cluster_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/sqlite/foreign_db.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"
#define DP_CP   "5862276114690318097"

static char folder[] = "/tmp/muster-cluster-files-XXXXXX";
static struct arena *arena;
static struct err err;

static void write_files(const char *path)
{
    char *paths[] = {(char *)path};
    struct rank_folders folders;
    struct cluster *cluster;

    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    cluster = cluster_create(&folders);
    assert_int_equal(cluster_files_write(folder, cluster, &err), 0);
    cluster_destroy(cluster);
    rank_list_clear(&folders);
}

static char *path_of(const char *name)
{
    return xasprintf("%s/cluster_analysis_output/%s", folder, name);
}

static const struct json_node *read_json(const char *name)
{
    const struct json_node *root;
    char *path = path_of(name);

    assert_int_equal(json_tree_parse_file(&root, path, arena, &err), 0);
    free(path);
    return root;
}

static const struct json_node *get(const struct json_node *node,
                                   const char *const *keys)
{
    for (; *keys; keys++) {
        node = json_tree_get(node, *keys);
        if (!node)
            fail_msg("no key %s", *keys);
    }
    return node;
}

#define GET(root, ...) get(root, (const char *const[]){__VA_ARGS__, NULL})

static double number(const struct json_node *node)
{
    double value;

    assert_true(json_tree_double(node, &value));
    return value;
}

static void step_times_of_ranks_and_stages(void **ctx)
{
    static const char expected[] =
        "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,"
        "Communication,Free,Stage,Bubble,Communication(Not Overlapped and Exclude "
        "Receive),Preparing,DP Index,PP Index,TP Index\n"
        "13,rank,0,231290.09999999995,420174.2600000001,0,420174.2600000001,"
        "158558.00000000032,810022.25,0,420174.2600000001,206.25,0,0,0\n"
        "13,rank,1,";
    static const char stage[] = "\n13,stage,\"(0, 1)\",231290.09999999995,441708.3";
    char *path = path_of("cluster_step_trace_time.csv"), *bytes;
    size_t size;
    (void)ctx;
    write_files(SAMPLES "qwen3_pp2dp2_level2_text");
    assert_int_equal(file_read(&bytes, &size, path, 1 << 20, &err), 0);
    assert_memory_equal(bytes, expected, strlen(expected));
    assert_non_null(memmem(bytes, size, stage, strlen(stage)));
    assert_non_null(memmem(bytes, size, ",1,0,0\n", 7));
    assert_memory_equal(bytes + size - 4, ",,,\n", 4);
    free(bytes);
    free(path);
}

/* Compares an array of arrays with their numbers, in the form "0,1;0". */
static void check_sets(const struct json_node *node, const char *expected)
{
    struct text text = {0};

    for (const struct json_node *set = node->first; set; set = set->next) {
        text_add(&text, set == node->first ? "" : ";");
        for (const struct json_node *rank = set->first; rank; rank = rank->next)
            text_printf(&text, "%s%d", rank == set->first ? "" : ",",
                        (int)number(rank));
    }
    assert_string_equal(text_get(&text), expected);
    text_clear(&text);
}

static void groups_have_ranks_with_files_and_all_ranks(void **ctx)
{
    const struct json_node *root, *all = NULL;
    (void)ctx;
    write_files(SAMPLES "qwen3_pp2dp2_level2_text");
    root = read_json("communication_group.json");
    check_sets(GET(root, "collective"), "0,1;0;0,1;0;1;1");
    check_sets(GET(root, "p2p"), "0;1");
    for (const struct json_node *group = GET(root, "comm_group_parallel_info")->first;
         group; group = group->next) {
        const char *name, *type;

        assert_true(json_tree_text(GET(group, "pg_name"), &name));
        assert_true(json_tree_text(GET(group, "type"), &type));
        if (strcmp(name, "default_group") == 0)
            all = GET(group, "rank_set");
        if (strcmp(type, "p2p") == 0) {
            assert_string_equal(name, "pp");
            assert_int_equal(GET(group, "rank_set")->count, 2);
        }
    }
    assert_non_null(all);
    assert_int_equal(all->count, 4);
}

static void collectives_of_each_rank_and_their_totals(void **ctx)
{
    const struct json_node *root, *group, *op, *sizes;
    (void)ctx;
    write_files(SAMPLES "qwen3_pp2dp2_level2_text");
    root = read_json("cluster_communication.json");
    group = GET(root, "(0, 1)", "step13");
    op = GET(group, "hcom_reduceScatter__097_4_1@" DP_CP, "0");
    sizes = GET(op, "Communication Bandwidth Info", "HCCS", "Size Distribution",
                "125.82912");
    assert_true(number(sizes->first) == 3 && number(sizes->first->next) == 20.19634);
    assert_true(number(GET(op, "Communication Bandwidth Info", "HCCS",
                           "Large Packet Ratio")) == 1);
    for (int rank = 0; rank < 2; rank++) {
        const struct json_node *total =
            GET(group, "Total Op Info@" DP_CP, rank == 0 ? "0" : "1");

        assert_true(
            fabs(number(GET(total, "Communication Time Info", "Elapse Time(ms)")) -
                 (rank == 0 ? 65.41234 : 76.78024)) < 1e-9);
        assert_true(number(GET(total, "Communication Bandwidth Info", "HCCS",
                               "Bandwidth(GB/s)")) == (rank == 0 ? 18.9444 : 18.9439));
    }
    group = GET(root, "(0,)", "step13", "Total Op Info@3985310405473756128", "0");
    assert_true(number(GET(group, "Communication Time Info", "Wait Time Ratio")) == 1);
    assert_true(fabs(number(GET(group, "Communication Time Info", "Idle Time(ms)")) -
                     155.37232) < 1e-9);
}

static void links_have_ranks_of_the_program(void **ctx)
{
    static const struct {
        const char *link;
        double size_mb, time_ms, gb_per_s;
    } expected[] = {
        {"0-1", 1127.447, 59.51352, 18.9444},
        {"1-0", 1127.447, 59.51492, 18.9439},
        {"0-0", 2254.8942, 24.98072, 90.2654},
        {"1-1", 2254.8942, 25.02284, 90.1134},
    };
    const struct json_node *root, *total;
    const char *name;
    (void)ctx;
    write_files(SAMPLES "qwen3_pp2dp2_level2_text");
    root = read_json("cluster_communication_matrix.json");
    total = GET(root, "(0, 1)", "step13", "Total Op Info@" DP_CP);
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct json_node *link = GET(total, expected[i].link);

        assert_true(fabs(number(GET(link, "Transit Size(MB)")) - expected[i].size_mb) <
                    5e-4);
        assert_true(fabs(number(GET(link, "Transit Time(ms)")) - expected[i].time_ms) <
                    5e-6);
        assert_true(number(GET(link, "Bandwidth(GB/s)")) == expected[i].gb_per_s);
    }
    /* the other rank of the pipeline has no folder */
    assert_true(
        json_tree_text(GET(root, "(0,)", "step13",
                           "batchsendrecv-top1@3985310405473756128", "0-2", "Op Name"),
                       &name));
    assert_string_equal(name, "hcom_batchSendRecv__128_5_1");
}

static int note_number(void *arg, const struct foreign_row *row, struct err *error)
{
    (void)error;
    assert_true(foreign_row_double(row, 0, arg));
    return 0;
}

static double query(const char *sql)
{
    char *path = path_of("cluster_analysis.db");
    struct foreign_db *db;
    double value = NAN;

    assert_int_equal(foreign_db_open(&db, path, &err), 0);
    assert_int_equal(foreign_db_select(db, sql, note_number, &value, &err), 0);
    foreign_db_close(db);
    free(path);
    return value;
}

static void the_database_has_the_same(void **ctx)
{
    static const struct {
        const char *sql;
        double value;
    } expected[] = {
        {"select count(*) from CommunicationGroupMapping where rank_set = '(0,2)' and "
         "type = 'p2p' and pg_name = 'pp'",
         1},
        {"select elapsed_time from ClusterCommunicationTime where hccl_op_name = "
         "'Total "
         "Op Info' and group_name = '" DP_CP "' and rank_id = 1",
         76.78024},
        {"select sum(count) from ClusterCommunicationBandwidth where hccl_op_name = "
         "'hcom_reduceScatter__097_4_1' and rank_id = 0 and band_type = 'HCCS'",
         4},
        {"select bandwidth from ClusterCommunicationMatrix where group_name = '" DP_CP
         "' and hccl_op_name = 'allreduce-total' and src_rank = '0' and dst_rank = '1'",
         NAN},
        {"select computing from ClusterStepTraceTime where type = 'stage' and "
         "\"index\" = '(0,1)'",
         231290.1},
        {"select dp_index from ClusterStepTraceTime where \"index\" = '1'", 1},
        {"select count(*) from RankDeviceMap where profilePath like '%ascend_pt'", 2},
        {"select count(*) from RankDeviceMap where deviceId is null", 2},
        {"select count(*) = 0 from HostInfo", 1},
        {"select count(*) from ClusterBaseInfo", 1},
    };
    (void)ctx;
    write_files(SAMPLES "qwen3_pp2dp2_level2_text");
    for (size_t i = 0; i < COUNT(expected); i++) {
        double value = query(expected[i].sql);

        if (isnan(expected[i].value))
            assert_true(isnan(value));
        else
            assert_true(fabs(value - expected[i].value) < 1e-9 * fabs(value));
    }
}

/* The database of the profiler gives the same layout. */
static void databases_give_the_same_files(void **ctx)
{
    const struct json_node *root;
    (void)ctx;
    write_files(SAMPLES "alexnet_ddp_level1_db");
    root = read_json("cluster_communication.json");
    assert_int_equal(
        GET(root, "(0, 1)", "step50", "hcom_allReduce__210_0_1@17148521525495523210")
            ->count,
        2);
    assert_true(query("select count(*) from ClusterCommunicationTime") == 10);
    assert_true(query("select free from ClusterStepTraceTime where \"index\" = '0'") ==
                25258.144);
    assert_true(query("select hostUid from HostInfo where hostName = 'ubuntu'") ==
                3538958389648580163.0);
    assert_true(query("select count(*) from HostInfo") == 1);
    assert_true(query("select deviceId from RankDeviceMap where rankId = 1 and hostUid "
                      "= '3538958389648580163'") == 1);
}

static int set_up(void **ctx)
{
    (void)ctx;
    arena = arena_create(1 << 16);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    arena_destroy(arena);
    return folder_remove(folder, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_times_of_ranks_and_stages),
        cmocka_unit_test(groups_have_ranks_with_files_and_all_ranks),
        cmocka_unit_test(collectives_of_each_rank_and_their_totals),
        cmocka_unit_test(links_have_ranks_of_the_program),
        cmocka_unit_test(the_database_has_the_same),
        cmocka_unit_test(databases_give_the_same_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
