#include "parsers/records/region_map.h"

#include <string.h>

#include "tests/support/unit.h"

static void each_line_names_an_instruction(void **ctx)
{
    static const char text[] =
        "region_id=1537,pipe=mte2,file=a.cpp,line=7,pc=0x1A0,opcode=MOV_OUT_TO_UB.x\n"
        "[info] region_id=3,pipe=CUBE,x,pc=0X10,opcode=MMAD\r\n"
        "\n"
        "region_id=1537,pipe=mte3,x,pc=0x20,opcode=MMAD\n"
        "region_id=1537,pipe=mte2,x,pc=0x1a4,opcode=later\n"
        "region_id=4095,pipe=fixp,x,pc=0xffffffff,opcode=last";
    struct region_map map = {0};
    const struct region *region;
    (void)ctx;
    region_map_read(&map, text, sizeof(text) - 1);
    assert_int_equal(map.unknown_lines, 0);
    assert_int_equal(map.count, 4);
    region = region_map_find(&map, PIPE_MTE2, 1537);
    assert_string_equal(region->opcode, "later");
    assert_int_equal(region->pc, 0x1a4);
    region = region_map_find(&map, PIPE_CUBE, 3);
    assert_string_equal(region->opcode, "MMAD");
    assert_int_equal(region->kind, region_map_find(&map, PIPE_MTE3, 1537)->kind);
    assert_int_equal(region_map_find(&map, PIPE_FIXP, 4095)->pc, 0xffffffff);
    assert_null(region_map_find(&map, PIPE_CUBE, 1537));
    assert_null(region_map_find(&map, PIPE_CUBE, REGION_IDS));
    region_map_clear(&map);
    assert_null(region_map_find(&map, PIPE_CUBE, 3));
}

static void unknown_lines_are_counted(void **ctx)
{
    static const char *const lines[] = {
        "region_id=15370,pipe=mte2,x,pc=0x10,opcode=A", /* five digits */
        "region_id=4096,pipe=mte2,x,pc=0x10,opcode=A",  /* ids are below 4096 */
        "region_id=1,pipe=scalar,x,pc=0x10,opcode=A",
        "region_id=1,pipe=mte4,x,pc=0x10,opcode=A",
        "region_id=1,pipe=mte2,x,pc=10,opcode=A",
        "region_id=1,pipe=mte2,x,pc=0x123456789,opcode=A",
        "region_id=1,pipe=mte2,x,pc=0x,opcode=A",
        "region_id=1,pipe=mte2,x,pc=0x10,opcode=",
        "pipe=mte2,region_id=1,pc=0x10,opcode=A",
        "region_id=1",
    };
    (void)ctx;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct region_map map = {0};

        region_map_read(&map, lines[i], strlen(lines[i]));
        if (map.count || map.unknown_lines != 1)
            fail_msg("%s", lines[i]);
        region_map_clear(&map);
    }
}

static void the_log_names_full_pipes(void **ctx)
{
    static const char text[] =
        "TUNE-ERROR: all dfx ids consumed[pipe=mte2]\n"
        "TUNE-ERROR:all dfx ids consumed, function f [pipe=CUBE]\n"
        "TUNE-ERROR: all dfx ids consumed[pipe=mte9]\n"
        "TUNE-INFO: all dfx ids consumed[pipe=mte1]\n"
        "TUNE-ERROR: something else[pipe=fixp]\n"
        "TUNE-ERROR: all dfx ids consumed[pipe=vector";
    struct region_map map = {0};
    (void)ctx;
    region_map_read_log(&map, text, sizeof(text) - 1);
    assert_int_equal(map.full_pipes, 1 << PIPE_MTE2 | 1 << PIPE_CUBE);
    region_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_names_an_instruction),
        cmocka_unit_test(unknown_lines_are_counted),
        cmocka_unit_test(the_log_names_full_pipes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
