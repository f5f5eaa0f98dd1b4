/* block_csv_test.c - CSV tables of generated blocks */
#include "parsers/container/block_csv.h"

#include <string.h>

#include "parsers/container/bin.h"
#include "parsers/container/tracekit.h"
#include "tests/support/unit.h"

static struct text tables_text;

static int
append_table(const char *name, const struct text *csv, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&tables_text, "[%s]\n%s", name, text_get(csv));
    return 0;
}

static void add(struct text *file, enum bin_type type, const char *json)
{
    struct text payload = {0};

    text_add(&payload, json);
    bin_add(file, type, &payload);
    text_clear(&payload);
}

static int convert(const struct text *file, struct err *err)
{
    text_reset(&tables_text);
    return block_csv_each((const uint8_t *)text_get(file), file->length, append_table,
                          NULL, err);
}

static int clear(void **ctx)
{
    (void)ctx;
    text_clear(&tables_text);
    return 0;
}

/* Line is one value for all cores, Cycles a list. Columns of type 0 are hidden. */
static void lines_have_one_row_per_core(void **ctx)
{
    struct text file = {0};
    struct err err;
    (void)ctx;
    add(&file, BIN_FILES,
        "{\"Cores\":[\"core0.veccore0\",\"core1.veccore0\"],"
        "\"Files Dtype\":{\"Lines\":{\"Line\":1,\"Address Range\":0,\"Cycles\":1}},"
        "\"Files\":[{\"Source\":\"/a,b.cpp\",\"Lines\":[{\"Line\":7,\"Cycles\":[3,4]},"
        "{\"Line\":9,\"Cycles\":[5]}]}]}");
    assert_int_equal(convert(&file, &err), 0);
    assert_string_equal(text_get(&tables_text), "[lines]\n"
                                                "Core,Source,Line,Cycles\n"
                                                "core0.veccore0,\"/a,b.cpp\",7,3\n"
                                                "core1.veccore0,\"/a,b.cpp\",7,4\n"
                                                "core0.veccore0,\"/a,b.cpp\",9,5\n"
                                                "core1.veccore0,\"/a,b.cpp\",9,5\n");
    text_clear(&file);
}

static void instructions_show_shares_without_details(void **ctx)
{
    struct text file = {0};
    struct err err;
    (void)ctx;
    add(&file, BIN_INSTRUCTIONS,
        "{\"Cores\":[\"ALL\"],\"Instructions Dtype\":{\"Instructions\":{\"Address\":3,"
        "\"Stall\":100}},\"Instructions\":[{\"Address\":\"0x10\",\"Stall\":"
        "{\"Percent\":0.5,\"Details\":{}}}]}");
    add(&file, BIN_STALLS, "{\"top_stall_reason_table\":{\"IBuf_Empty\":12}}");
    assert_int_equal(convert(&file, &err), 0);
    assert_string_equal(text_get(&tables_text), "[instructions]\nCore,Address,Stall\n"
                                                "ALL,0x10,0.5\n"
                                                "[stall_reasons]\nreason,count\n"
                                                "IBuf_Empty,12\n");
    text_clear(&file);
}

static void cells_can_come_from_lists_and_nested_objects(void **ctx)
{
    struct text file = {0};
    struct err err;
    (void)ctx;
    add(&file, BIN_ROOFLINE,
        "{\"multiple_rooflines\":[{\"title\":\"GM/L2\",\"rooflines\":[{\"bw\":1.6,"
        "\"point\":[2,\"3\"]},{}]}]}");
    add(&file, BIN_CACHELINES,
        "{\"Cacheline Records\":[{\"Cacheline Id\":4,\"Hit\":{\"Value\":[9,0.9]}}]}");
    assert_int_equal(convert(&file, &err), 0);
    assert_non_null(
        strstr(text_get(&tables_text), "\nGM/L2,,1.6,,,2,3,\nGM/L2,,,,,,,\n"));
    assert_non_null(strstr(text_get(&tables_text), "\n4,9,0.9,,\n"));
    text_clear(&file);
}

static void every_type_of_block_becomes_a_table(void **ctx)
{
    static const uint8_t set[TRACEKIT_BYTES] = {3, 0, 0, 0, 2, 0, 0, 0, 77};
    struct tracekit_record record = {TRACEKIT_LOAD, 5, 1, 1, 9, 0x1000, 512, 0x40};
    uint8_t bytes[TRACEKIT_BYTES];
    struct text file = {0}, payload = {0};
    struct err err;
    (void)ctx;
    add(&file, BIN_TRACE,
        "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":\"BLOCK\",\"tid\":\"core0\",\"name\":"
        "\"WAIT\",\"ts\":1.5,\"dur\":0.25,\"args\":{\"pc_addr\":\"0x00000040\"}}]}");
    add(&file, BIN_MEMORY_MAP,
        "{\"core_memory_map\":[{\"core_no\":\"2\",\"L2cache\":{\"hit\":3,\"miss\":1,"
        "\"total_request\":4,\"hit_ratio\":75},\"Vector\":{\"cycle\":10,"
        "\"total_cycles\":40,\"ratio\":25},\"memory_unit\":[],"
        "\"advice\":[\"one\",\"two, three\"]}]}");
    add(&file, BIN_ROOFLINE, "{\"multiple_rooflines\":[],\"advice\":\"memory bound\"}");
    text_add(&payload, "int a;\r\n\nlast, line");
    assert_true(bin_add_code(&file, "/a.cpp", &payload));
    text_reset(&payload);
    tracekit_put_record(bytes, &record);
    text_add_bytes(&payload, bytes, sizeof(bytes));
    bin_add(&file, BIN_MEMORY_RECORDS, &payload);
    text_reset(&payload);
    text_add_bytes(&payload, set, sizeof(set));
    bin_add(&file, BIN_CACHE_SETS, &payload);
    bin_add(&file, (enum bin_type)0x33, &payload); /* unknown: skipped */
    assert_int_equal(convert(&file, &err), 0);
    assert_string_equal(
        text_get(&tables_text),
        "[timeline]\nph,pid,tid,name,ts,dur,id,cat,args.name,args.pc_addr\n"
        "X,BLOCK,core0,WAIT,1.5,0.25,,,,0x00000040\n"
        "[l2_cache]\n"
        "core_no,L2cache.hit,L2cache.miss,L2cache.total_request,L2cache.hit_ratio\n"
        "2,3,1,4,75\n"
        "[units]\ncore_no,Cube.cycle,Cube.total_cycles,Cube.ratio,Vector.cycle,"
        "Vector.total_cycles,Vector.ratio,Vector1.cycle,Vector1.total_cycles,"
        "Vector1.ratio\n2,,,,10,40,25,,,\n"
        "[memory_records]\naccess,core,space,unit,number,address,bytes,pc\n"
        "load,5,GM,cube,9,0x1000,512,0x40\n"
        "[cache_sets]\nline,loads,stores,hits,misses,allocated,written_back,dropped\n"
        "77,3,2,0,0,0,0,0\n"
        "[code]\nSource,Line,Text\n/a.cpp,1,int a;\n/a.cpp,2,\n"
        "/a.cpp,3,\"last, line\"\n"
        "[advice]\nabout,block_id,advice\nmemory map,2,one\n"
        "memory map,2,\"two, three\"\nroofline,,memory bound\n");
    text_clear(&payload);
    text_clear(&file);
}

static void a_bad_block_does_not_stop_the_others(void **ctx)
{
    struct text file = {0};
    struct err err;
    (void)ctx;
    add(&file, BIN_OCCUPANCY, "{not json");
    add(&file, BIN_STALLS, "{\"top_stall_reason_table\":{\"Others\":1}}");
    assert_int_equal(convert(&file, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "block 0 type 0x0C"));
    assert_string_equal(text_get(&tables_text),
                        "[stall_reasons]\nreason,count\nOthers,1\n");
    text_clear(&file);
}

/* Unexpected JSON gives empty cells or no table. */
static void unexpected_json_is_survived(void **ctx)
{
    static const char *const shapes[] = {
        "[]",
        "3",
        "{}",
        "{\"Files\":3,\"Files Dtype\":{\"Lines\":[]},\"Cores\":{}}",
        "{\"multiple_rooflines\":[[],3,{\"rooflines\":{}}]}",
        "{\"table_per_block\":[{\"table_detail\":[{\"row\":[{\"value\":[1]},2]}]}]}",
    };
    static const enum bin_type types[] = {BIN_BASIC_INFO,   BIN_FILES,
                                          BIN_INSTRUCTIONS, BIN_ROOFLINE,
                                          BIN_MEMORY_TABLE, BIN_STALLS};
    struct text file = {0};
    struct err err;
    (void)ctx;
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
            add(&file, types[t], shapes[s]);
    assert_int_equal(convert(&file, &err), 0);
    assert_non_null(strstr(text_get(&tables_text), "\n,,,,1\n"));
    text_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_one_row_per_core),
        cmocka_unit_test(instructions_show_shares_without_details),
        cmocka_unit_test(cells_can_come_from_lists_and_nested_objects),
        cmocka_unit_test(every_type_of_block_becomes_a_table),
        cmocka_unit_test(a_bad_block_does_not_stop_the_others),
        cmocka_unit_test(unexpected_json_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, clear);
}
