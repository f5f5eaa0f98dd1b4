/* simlog_test.c - reads genuine logs of three kinds, and single lines of every form */
#include "parsers/simlog/simlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

struct logs {
    struct sim_core core;
    char *ended, *popped;
    size_t ended_bytes, popped_bytes;
};

static char *read_sample(const char *folder, const char *name, size_t *size)
{
    char path[256], *bytes;
    struct err err;

    snprintf(path, sizeof(path), "../samples/sim/%s/core0.veccore0.%s_log.dump", folder,
             name);
    if (file_read(&bytes, size, path, 1 << 20, &err) < 0)
        fail_msg("%s", err.text);
    return bytes;
}

static void logs_open(struct logs *logs, const char *folder, bool keep_flags)
{
    logs->ended = read_sample(folder, "instr", &logs->ended_bytes);
    logs->popped = read_sample(folder, "instr_popped", &logs->popped_bytes);
    simlog_read(&logs->core, logs->ended, logs->ended_bytes, logs->popped,
                logs->popped_bytes, keep_flags);
    simlog_count_registers(&logs->core);
}

static void logs_close(struct logs *logs)
{
    simlog_clear(&logs->core);
    free(logs->ended);
    free(logs->popped);
}

struct expected {
    uint64_t pc;
    const char *pipe, *name;
    uint64_t start, end;
    uint32_t registers;
};

static void
expect_rows(const struct sim_core *core, const struct expected *rows, size_t count)
{
    assert_int_equal(core->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct sim_instruction *row = &core->rows[i];

        assert_int_equal(row->pc, rows[i].pc);
        assert_string_equal(sim_pipe_name(row->pipe), rows[i].pipe);
        assert_true(sim_span_is(row->name, rows[i].name));
        assert_int_equal(row->start, rows[i].start);
        assert_int_equal(row->end, rows[i].end);
        assert_int_equal(row->registers, rows[i].registers);
    }
}

static void a_log_of_the_910b_gives_its_instructions(void **ctx)
{
    static const struct expected rows[] = {
        {0x10f86000, "SCALAR", "MOV_XD_IMM", 11035, 11036, 1},
        {0x10f86004, "SCALAR", "MOVK", 11036, 11037, 1},
        {0x10f86008, "SCALAR", "MOV_XD_SPR", 11036, 11037, 2},
        {0x10f8600c, "SCALAR", "ADD", 11037, 11038, 2},
        {0x10f86084, "MTE2", "SET_FLAG", 11416, 11690, 0},
        {0x10f86088, "SCALAR", "WAIT_FLAG", 11416, 11691, 0},
    };
    struct logs logs;
    size_t size;
    char *misses;

    (void)ctx;
    logs_open(&logs, "910B", true);
    expect_rows(&logs.core, rows, COUNT(rows));
    assert_int_equal(logs.core.unknown_lines, 0);
    assert_false(logs.core.has_block);
    assert_int_equal(logs.core.mark_count, 1);
    assert_int_equal(logs.core.marks[0].number, 1);
    assert_int_equal(logs.core.marks[0].start, 11746);
    assert_int_equal(logs.core.marks[0].end, 14010);
    misses = read_sample("910B", "ifu.icache", &size);
    simlog_read_misses(&logs.core, misses, size);
    assert_int_equal(logs.core.miss_count, 3);
    assert_int_equal(logs.core.misses[0].cycle, 23071);
    assert_int_equal(logs.core.misses[1].address, 0x10f86b00);
    assert_int_equal(logs.core.misses[2].cycle, 23074);
    assert_int_equal(logs.core.misses[2].address, 0x10f86ad8);
    free(misses);
    logs_close(&logs);
    logs_open(&logs, "910B", false);
    expect_rows(&logs.core, rows, 4);
    logs_close(&logs);
}

static void a_log_of_the_950_is_joined_by_number(void **ctx)
{
    static const struct expected rows[] = {
        {0x11bbe03c, "SCALAR", "ADD_IMM", 745, 749, 0},
        {0x11bbe040, "SCALAR", "MOV_XD_SPR", 745, 749, 0},
        {0x11bbe044, "SCALAR", "MOVK", 746, 750, 0},
    };
    struct logs logs;

    (void)ctx;
    logs_open(&logs, "91095", false);
    expect_rows(&logs.core, rows, COUNT(rows));
    assert_int_equal(logs.core.rows[0].id, 123);
    assert_int_equal(logs.core.rows[2].id, 125);
    logs_close(&logs);
}

static void lines_of_both_styles_are_read(void **ctx)
{
    static const struct {
        uint64_t pc, start, end;
        const char *pipe, *name;
    } rows[] = {
        {0x10ce8000, 181, 181, "SCALAR", "scalar_mov_xd_imme16"},
        {0x10ce8004, 182, 182, "SCALAR", "scalar_neg"},
        {0x10cfa000, 253, 254, "SCALAR", "MOV_XD_IMM"},
        {0x10cfa008, 256, 258, "VECTOR", "MOVEMASK"},
        {0x10cfa058, 276, 545, "MTE2", "DMA_MOV"},
    };
    struct logs logs;

    (void)ctx;
    logs_open(&logs, "mixed", false);
    assert_int_equal(logs.core.count, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(logs.core.rows[i].pc, rows[i].pc);
        assert_int_equal(logs.core.rows[i].start, rows[i].start);
        assert_int_equal(logs.core.rows[i].end, rows[i].end);
        assert_string_equal(sim_pipe_name(logs.core.rows[i].pipe), rows[i].pipe);
        assert_true(sim_span_is(logs.core.rows[i].name, rows[i].name));
    }
    assert_int_equal(logs.core.unpaired, 2); /* one line only in each log */
    logs_close(&logs);
}

static bool parse(const char *text, struct sim_line *line)
{
    return simlog_parse_line(text, strlen(text), line);
}

static void every_form_of_a_line_is_read_or_refused(void **ctx)
{
    struct sim_line line;

    (void)ctx;
    assert_true(parse("[12](PC: 0xa)@CORE7 VEC0 ISSUE", &line));
    assert_true(line.cycle == 12 && line.pc == 10 && line.pipe == SIM_VECTOR);
    assert_true(
        parse("[1] (PC: 0x1) FIX_PIPE IB ISSUE  : (Binary: 0x        ) X-Y", &line));
    assert_true(line.pipe == SIM_FIXP && sim_span_is(line.name, "X-Y"));
    assert_true(parse("[1] (PC: 0x1) FC : (Binary: 0x00000000) JUMP  a(b)c", &line));
    assert_true(line.pipe == SIM_FLOWCTRL && sim_span_is(line.detail, "a(b"));
    assert_true(
        parse("[1] (PC: 0x1) ODD : (Binary: 0x00000000) scalar_ld_x(q)", &line));
    assert_true(line.pipe == SIM_SCALAR);
    assert_true(parse("[1] (PC: 0x1) ODD : (Binary: 0x00000000) other", &line));
    assert_true(line.pipe == SIM_ALL && line.detail.length == 0);
    assert_true(
        parse("[1] (PC: 0x1) MTE2 : (Binary: 0x00000000) A  b poped from IQ 3", &line));
    assert_true(line.is_dropped);
    assert_true(
        parse("[1] (PC: 0x1) MTE2 : (Binary: 0x00000000) A  b) pop success 3", &line));
    assert_false(line.is_dropped);

    assert_false(parse("", &line));
    assert_false(parse("[x] (PC: 0x1) MTE2", &line));
    assert_false(parse("[1] (PC: 0x) MTE2", &line));
    assert_false(parse("[1] (PC: 0x11112222333344445) MTE2", &line));
    assert_false(parse("[99999999999999999999] (PC: 0x1) MTE2", &line));
    assert_false(parse("[1] (PC: 0x1)MTE2", &line));
    assert_false(parse("[1] (PC: 0x1) MTE2 : (Binary: 0x123) A", &line));
    assert_false(parse("[1] (PC: 0x1) MTE2 : (Binary: 0x12345678) ", &line));
}

static void read_texts(struct sim_core *core, const char *ended, const char *popped)
{
    simlog_read(core, ended, strlen(ended), popped, strlen(popped), false);
}

#define LINE(cycle, pc, rest)                                                          \
    "[" cycle "] (PC: 0x" pc ") SCALAR : (Binary: 0x00000000) " rest "\n"

static void lines_repeated_per_unit_are_one_instruction(void **ctx)
{
    struct sim_core core;

    (void)ctx;
    /* three end lines at most 8 cycles apart are one; the fourth is 70 cycles later */
    read_texts(&core,
               LINE("10", "1", "A") LINE("18", "1", "A") LINE("20", "1", "A")
                   LINE("90", "1", "A"),
               LINE("5", "1", "A") LINE("80", "1", "A"));
    assert_int_equal(core.count, 2);
    assert_true(core.rows[0].start == 5 && core.rows[0].end == 20);
    assert_true(core.rows[1].start == 80 && core.rows[1].end == 90);
    simlog_clear(&core);
    /* more start lines than end lines: those 1 cycle apart are one */
    read_texts(&core, LINE("50", "1", "A"), LINE("5", "1", "A") LINE("6", "1", "A"));
    assert_int_equal(core.count, 1);
    assert_int_equal(core.rows[0].start, 6);
    simlog_clear(&core);
    /* an end before the start is no instruction */
    read_texts(&core, LINE("4", "1", "A"), LINE("5", "1", "A"));
    assert_int_equal(core.count, 0);
    simlog_clear(&core);
}

static void marks_and_block_numbers_are_read(void **ctx)
{
    struct sim_core core;

    (void)ctx;
    read_texts(
        &core,
        LINE("1", "1", "MOV_XD_SPR  XD:X1=0x1f,SPR:BLOCKID,")
            LINE("2", "2", "MOV_XD_SPR  XD:X1=0x1, SPR:SUBBLOCKID,")
                LINE("3", "3", "MOV_SPR_XN  SPR:LPCNT, XN:X6=0x80000002,")
                    LINE("4", "4", "MOV_SPR_XN  SPR:LPCNT, XN:X6=0x80000003,") LINE(
                        "5", "5", "NOP_PIPE")
                        LINE("6", "6", "MOV_SPR_XN  SPR:LPCNT, XN:X6=0x80000003,") LINE(
                            "7", "7", "MOV_SPR_XN  SPR:LPCNT, XN:X6=0xc0000003,")
                            LINE("8", "8", "MOV_SPR_XN  SPR:LPCNT, XN:X6=0xc0000002,"),
        "");
    assert_true(core.has_block);
    assert_int_equal(core.block, 0x1f);
    assert_int_equal(core.sub_block, 1);
    /* mark 3 was started twice, so it is dropped */
    assert_int_equal(core.mark_count, 1);
    assert_int_equal(core.marks[0].number, 2);
    assert_int_equal(core.marks[0].start, 5);
    assert_int_equal(core.marks[0].end, 8);
    simlog_clear(&core);
}

static void a_register_is_not_live_between_last_use_and_next_write(void **ctx)
{
    struct sim_core core;
    const char *log =
        LINE("1", "1", "MOV  XD:X1=0x1,") LINE("2", "2", "ADD  XD:X2=0x1, XN:X1=0x1,")
            LINE("3", "3", "MOV  XD:X3=0x1,") LINE("4", "4", "MOV  XD:X1=0x1,")
                LINE("5", "5", "ADD  XD:X4=0x1, XN:X1=0x1,");

    (void)ctx;
    read_texts(&core, log, log);
    simlog_count_registers(&core);
    assert_int_equal(core.count, 5);
    /* X1 is live from 1 to 2 and from 4 to 5; X2 and X3 are never used */
    assert_int_equal(core.rows[0].registers, 1);
    assert_int_equal(core.rows[1].registers, 2);
    assert_int_equal(core.rows[2].registers, 1);
    assert_int_equal(core.rows[3].registers, 1);
    assert_int_equal(core.rows[4].registers, 2);
    simlog_clear(&core);
}

/* The kernel's arguments arrive in registers, and a log can begin late. */
static void a_register_that_is_first_read_is_live_from_that_read(void **ctx)
{
    struct sim_core core;
    const char *log =
        "[1] (PC: 0x1) MTE2 : (Binary: 0x00000000) DMA_MOV  Src:OUT, Dst:UB, "
        "XD:X1=0x10, XN:X2=0x20, XM:X3=0x30,\n" LINE("2", "2",
                                                     "ADD  XD:X1=0x1, XN:X2=0x1,");

    (void)ctx;
    read_texts(&core, log, log);
    simlog_count_registers(&core);
    assert_int_equal(core.count, 2);
    assert_int_equal(core.rows[0].registers, 3);
    assert_int_equal(core.rows[1].registers, 2); /* X3 is not used again */
    simlog_clear(&core);
}

static void operands_have_no_blanks_and_their_names_no_values(void **ctx)
{
    static const struct {
        const char *logged, *operands, *names;
    } rows[] = {
        {"Src:OUT, Dst:UB, XD:X1=0x10,", "Src:OUT,Dst:UB,XD:X1=0x10,",
         "Src:OUT,Dst:UB,XD:X1,"},
        {"x[0]= 0x1, imme16:0x1 ", "x[0]=0x1,imme16:0x1", "x[0],imme16"},
        {"PIPE:MTE2, TRIGGER PIPE:SCALAR, FLAG ID:0,",
         "PIPE:MTE2,TRIGGER PIPE:SCALAR,FLAG ID:0,",
         "PIPE:MTE2,TRIGGER PIPE:SCALAR,FLAG ID:0,"},
        {"", "", ""},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sim_span span = {rows[i].logged, (uint32_t)strlen(rows[i].logged)};
        struct text text = {0};

        simlog_add_operands(&text, span);
        assert_string_equal(text_get(&text), rows[i].operands);
        text_reset(&text);
        simlog_add_operand_names(&text, span);
        assert_string_equal(text_get(&text), rows[i].names);
        text_clear(&text);
    }
}

static void a_damaged_log_never_gives_more_instructions(void **ctx)
{
    static const char *const folders[] = {"910B", "91095", "mixed"};

    (void)ctx;
    for (size_t f = 0; f < COUNT(folders); f++) {
        struct logs logs;

        logs_open(&logs, folders[f], true);
        for (size_t cut = 0; cut < logs.ended_bytes; cut += 7) {
            struct sim_core core;
            char *exact = xmemdup(logs.ended, cut ? cut : 1);

            if (cut > 0)
                exact[cut / 2] = (char)(exact[cut / 2] ^ 0x11);
            simlog_read(&core, exact, cut, logs.popped, logs.popped_bytes, true);
            simlog_count_registers(&core);
            simlog_read_misses(&core, exact, cut);
            assert_true(core.count <= logs.core.count + 1);
            simlog_clear(&core);
            free(exact);
        }
        logs_close(&logs);
    }
}

/* The reader looks only at the first part of a line; a match after it is not a miss. */
static void a_match_after_the_cut_of_a_long_line_is_ignored(void **ctx)
{
    struct sim_core core = {0};
    char line[1000];
    (void)ctx;
    memset(line, ' ', sizeof(line));
    memcpy(line, "[info] 12", 9);
    snprintf(line + 700, sizeof(line) - 700,
             "icache read address is 0x10, size is 0x20, status is MISS\n");
    simlog_read_misses(&core, line, strlen(line));
    assert_int_equal(core.miss_count, 0);
    free(core.misses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_of_the_910b_gives_its_instructions),
        cmocka_unit_test(a_log_of_the_950_is_joined_by_number),
        cmocka_unit_test(lines_of_both_styles_are_read),
        cmocka_unit_test(every_form_of_a_line_is_read_or_refused),
        cmocka_unit_test(lines_repeated_per_unit_are_one_instruction),
        cmocka_unit_test(marks_and_block_numbers_are_read),
        cmocka_unit_test(a_register_is_not_live_between_last_use_and_next_write),
        cmocka_unit_test(a_register_that_is_first_read_is_live_from_that_read),
        cmocka_unit_test(operands_have_no_blanks_and_their_names_no_values),
        cmocka_unit_test(a_damaged_log_never_gives_more_instructions),
        cmocka_unit_test(a_match_after_the_cut_of_a_long_line_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
