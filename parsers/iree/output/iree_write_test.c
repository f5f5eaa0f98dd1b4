#include "parsers/iree/output/iree_write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/iree/output/iree_figures.h"
#include "parsers/iree/output/iree_folder.h"
#include "tests/support/unit.h"

static struct iree_dump *open_sample(const char *name)
{
    struct iree_dump *dump;
    char path[80];
    struct err err;

    snprintf(path, sizeof(path), "../samples/%s", name);
    if (iree_dump_open(&dump, path, &err) < 0)
        fail_msg("%s", err.text);
    return dump;
}

/* Returns what a writer writes to a descriptor; the caller frees it. */
static char *written(int (*write)(const struct iree_dump *, int, struct err *),
                     const struct iree_dump *dump)
{
    char path[] = "/tmp/muster-iree-XXXXXX", *bytes;
    int fd = mkstemp(path);
    size_t size;
    struct err err;

    assert_int_equal(write(dump, fd, &err), 0);
    close(fd);
    assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
    unlink(path);
    return bytes;
}

static const struct iree_table *find_table(const char *name)
{
    const struct iree_table *table = iree_tables;

    while (strcmp(table->name, name) != 0)
        table++;
    return table;
}

static const char *table_of_test;

static int write_table(const struct iree_dump *dump, int fd, struct err *err)
{
    return iree_write_csv(find_table(table_of_test), dump, fd, err);
}

static void assert_csv(const char *sample, const char *table, const char *expected)
{
    struct iree_dump *dump = open_sample(sample);
    char *csv;

    table_of_test = table;
    csv = written(write_table, dump);
    assert_string_equal(csv, expected);
    free(csv);
    iree_dump_close(dump);
}

static void csv_tables_have_the_figures_of_the_samples(void **ctx)
{
    (void)ctx;
    assert_csv("plain.idb", "functions",
               "module,function,name,target,sites,layout,source\n"
               "0,0,mul,tgt,1,,src\n"
               "0,1,add,tgt,1,,src\n");
    assert_csv("wrap.idb", "sites",
               "ring,site,function,workgroups,count_x,count_y,count_z,grid_changes,"
               "iterations_min,iterations_max,incomplete_ids,processors,imbalance,"
               "loads,load_bytes,stores,store_bytes,address_first,address_last,"
               "cache_lines,conflicts,first_conflict,values,prints,lower_bound\n"
               "0,0,mul,6,9,1,1,no,0,1,4,6,1,1,4,0,0,0xaaa0,0xaaa3,1,,,0,0,yes\n"
               "0,1,add,1,9,1,1,no,0,1,8,1,1,0,0,1,8,0xbbb0,0xbbb7,1,0,,0,0,yes\n");
    assert_csv("wrap.idb", "rings",
               "ring,module,offset,bytes,head,lost_bytes,cut_bytes,holes,hole_bytes,"
               "bad_bytes,doubtful,lost_owners,workgroups,prints,values,loads,stores\n"
               "0,0,192,256,288,32,0,0,0,0,1,0,7,0,0,1,1\n");
    assert_csv("plain.idb", "values",
               "ring,site,function,ordinal,type,count,nan,min,max,mean\n"
               "0,0,mul,1,f32,1,0,1.5,1.5,1.5\n");
    assert_csv("plain.idb", "processors",
               "ring,site,function,processor,workgroups\n0,0,mul,3,1\n0,1,add,4,1\n");
    assert_csv("task.ireeprof", "devices",
               "profile,device,name,uuid,queues,clock\n0,0,local-task,,1,unknown\n");
    assert_csv("task.ireeprof", "profiles",
               "profile,offset,bytes,version,records,dropped,truncated,missing_bytes,"
               "ended,status\n0,0,1534,1.6,6,0,0,0,yes,0\n");
    assert_csv(
        "task.ireeprof", "operations",
        "profile,source,operation,device,events,operations,payload_bytes,failed,timed,"
        "total_us,mean_us,min_us,max_us,clock\n"
        "0,queue-events,fill,0,1,1,65536,0,0,,,,,\n"
        "0,queue-events,copy,0,1,1,4096,0,0,,,,,\n"
        "0,host-execution-events,fill,0,1,1,65536,0,1,37.661000000000001,"
        "37.661000000000001,37.661000000000001,37.661000000000001,host\n"
        "0,host-execution-events,copy,0,1,1,4096,0,1,1.4830000000000001,"
        "1.4830000000000001,1.4830000000000001,1.4830000000000001,host\n");
}

static void the_json_document_has_every_table(void **ctx)
{
    static const char *const samples[] = {"plain.idb", "task.ireeprof"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct iree_dump *dump = open_sample(samples[i]);
        struct arena *arena = arena_create(65536);
        char *text = written(iree_write_json, dump);
        const struct json_node *root;
        const char *schema;
        struct err err;

        assert_int_equal(json_tree_parse(&root, "json", text, strlen(text),
                                         JSON_TREE_LIMITS, arena, &err),
                         0);
        assert_true(json_tree_text(json_tree_get(root, "schema"), &schema));
        assert_string_equal(schema, "muster.iree.v1");
        for (const struct iree_table *table = iree_tables; table->name; table++) {
            assert_non_null(json_tree_get(root, table->name));
            assert_int_equal(json_tree_get(root, table->name)->count > 0,
                             iree_table_has_rows(table, dump));
        }
        assert_int_equal(json_tree_get(root, "problems")->count, 0);
        free(text);
        arena_destroy(arena);
        iree_dump_close(dump);
    }
}

static void the_timeline_begins_at_the_first_event(void **ctx)
{
    struct iree_dump *dump = open_sample("task.ireeprof");
    char *text = written(iree_write_trace, dump);

    (void)ctx;
    assert_true(iree_has_times(dump));
    /* the first queue event is the origin; its operation is ready 4779 ns later */
    assert_non_null(strstr(text, "\"dur\":4.779,\"name\":\"fill\",\"ph\":\"X\","
                                 "\"pid\":\"profile 0 device 0 local-task\","
                                 "\"tid\":\"queue 0 waits for dependencies\","
                                 "\"ts\":0"));
    /* 2640651008872 - 2640615321230 ns */
    assert_non_null(strstr(text, "\"dur\":37.661,\"name\":\"fill\""));
    assert_non_null(strstr(text, "\"tid\":\"queue 0 host-execution-events\","
                                 "\"ts\":35687.642"));
    free(text);
    iree_dump_close(dump);
    dump = open_sample("plain.idb");
    assert_false(iree_has_times(dump));
    iree_dump_close(dump);
}

struct kept {
    char text[2000];
};

static void keep_figure(const struct iree_figure *figure, void *arg)
{
    struct kept *kept = arg;
    size_t used = strlen(kept->text);

    snprintf(kept->text + used, sizeof(kept->text) - used, "%zu %s %s=%g %s\n",
             figure->row, figure->kernel, figure->metric, figure->value, figure->unit);
}

static void figures_are_those_of_the_tables(void **ctx)
{
    struct iree_dump *dump = open_sample("plain.idb");
    struct kept kept = {""};

    (void)ctx;
    iree_figures_each(dump, keep_figure, &kept);
    assert_non_null(strstr(kept.text, "0 mul iree_workgroups=1 count\n"));
    assert_non_null(strstr(kept.text, "0 mul iree_store_bytes=16 B\n"));
    assert_non_null(strstr(kept.text, "0 mul iree_cache_lines=2 count\n"));
    assert_non_null(strstr(kept.text, "0 mul iree_conflicts=0 count\n"));
    assert_non_null(strstr(kept.text, "1 add iree_iterations_max=1 count\n"));
    iree_dump_close(dump);
    kept.text[0] = '\0';
    dump = open_sample("task.ireeprof");
    iree_figures_each(dump, keep_figure, &kept);
    assert_string_equal(kept.text, "0 fill duration_us=37.661 us\n"
                                   "0 fill iree_events=1 count\n"
                                   "0 fill iree_total_us=37.661 us\n"
                                   "0 fill iree_min_us=37.661 us\n"
                                   "0 fill iree_max_us=37.661 us\n"
                                   "0 fill iree_payload_bytes=65536 B\n"
                                   "1 copy duration_us=1.483 us\n"
                                   "1 copy iree_events=1 count\n"
                                   "1 copy iree_total_us=1.483 us\n"
                                   "1 copy iree_min_us=1.483 us\n"
                                   "1 copy iree_max_us=1.483 us\n"
                                   "1 copy iree_payload_bytes=4096 B\n");
    iree_dump_close(dump);
}

static void add_name(const char *name, void *arg)
{
    struct kept *kept = arg;
    size_t used = strlen(kept->text);

    snprintf(kept->text + used, sizeof(kept->text) - used, "%s ", name);
}

static void a_folder_gets_the_tables_that_have_rows(void **ctx)
{
    char folder[] = "/tmp/muster-iree-XXXXXX";
    struct iree_dump *dump = open_sample("plain.idb");
    struct kept kept = {""};
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(iree_folder_write(dump, folder, add_name, &kept, &err), 0);
    assert_string_equal(kept.text, "parts.csv functions.csv rings.csv sites.csv "
                                   "processors.csv values.csv iree.json ");
    iree_dump_close(dump);
    kept.text[0] = '\0';
    dump = open_sample("task.ireeprof");
    assert_int_equal(iree_folder_write(dump, folder, add_name, &kept, &err), 0);
    assert_string_equal(kept.text, "parts.csv profiles.csv devices.csv operations.csv "
                                   "events.csv iree.json trace.json ");
    iree_dump_close(dump);
    assert_int_equal(folder_remove(folder, &err), 0);
}

static void files_that_are_not_read_have_their_own_errors(void **ctx)
{
    static const struct {
        const char *bytes, *expected;
    } files[] = {
        {"", "is empty: IREE writes an empty file when"},
        {"IRRP0000", "is a replay file of IREE (IRRP)"},
        {"IRPA0000", "is a parameter archive of IREE (IRPA)"},
        {"hello", "is neither an IREE dump (IDB0) nor an IREE profile (IRPF)"},
    };
    char path[] = "/tmp/muster-iree-XXXXXX";
    struct iree_dump *dump;
    struct err err;

    (void)ctx;
    close(mkstemp(path));
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(file_write(path, files[i].bytes, strlen(files[i].bytes), &err),
                         0);
        assert_int_equal(iree_dump_open(&dump, path, &err), -1);
        assert_non_null(strstr(err.text, files[i].expected));
        assert_non_null(strstr(err.text, path));
    }
    unlink(path);
    assert_int_equal(iree_dump_open(&dump, "/tmp", &err), -1);
    assert_non_null(strstr(err.text, "is not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_tables_have_the_figures_of_the_samples),
        cmocka_unit_test(the_json_document_has_every_table),
        cmocka_unit_test(the_timeline_begins_at_the_first_event),
        cmocka_unit_test(figures_are_those_of_the_tables),
        cmocka_unit_test(a_folder_gets_the_tables_that_have_rows),
        cmocka_unit_test(files_that_are_not_read_have_their_own_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
