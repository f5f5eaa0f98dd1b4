#include "parsers/records/pipe_timeline.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

enum { BUSY = 15, FIXP = 10 };

static void read_all(struct pipe_timeline *pipes, const struct text *file)
{
    pipe_timeline_read(pipes, PIPE_MARKS_OF_PROGRAM,
                       (struct core_container){.bytes = (const uint8_t *)text_get(file),
                                               .size = file->length});
}

static const struct pipe_span *find(const struct pipe_timeline *pipes,
                                    enum pipe_span_kind kind,
                                    enum pipe pipe,
                                    unsigned n)
{
    for (size_t i = 0; i < pipes->count; i++)
        if (pipes->spans[i].kind == kind && pipes->spans[i].pipe == pipe && n-- == 0)
            return &pipes->spans[i];
    return NULL;
}

static void assert_span(const struct pipe_span *span, uint64_t start, uint64_t end)
{
    assert_non_null(span);
    assert_int_equal(span->start_cycle, start);
    assert_int_equal(span->end_cycle, end);
}

/* The clock continues over the units of one channel. Another channel starts at 0. */
static void a_pipe_is_busy_from_one_mask_to_the_next(void **ctx)
{
    struct text data = {0}, more = {0}, other = {0}, file = {0};
    struct pipe_timeline pipes;
    (void)ctx;
    sample_entry(&data, 100, BUSY, 1 << PIPE_MTE2 | 1 << PIPE_SCALAR);
    sample_entry(&data, 7, 8, 0); /* unknown: its cycles do not count */
    sample_entry(&data, 20, BUSY, 1 << PIPE_SCALAR | 1 << PIPE_FIXP);
    sample_entry(&more, 30, BUSY, 0);
    sample_entry(&other, 5, BUSY, 1 << PIPE_CUBE);
    sample_entry(&other, 5, BUSY, 1 << PIPE_CUBE);
    sample_entry(&other, 5, BUSY, 0);
    sample_unit(&file, 1, 2, &data);
    sample_unit(&file, 0, 0, &other);
    sample_unit(&file, 1, 2, &more);
    sample_unit(&file, 6, 0, &other);
    text_add_bytes(&file, "tail", 4);
    read_all(&pipes, &file);
    assert_span(find(&pipes, PIPE_BUSY, PIPE_MTE2, 0), 100, 120);
    assert_span(find(&pipes, PIPE_BUSY, PIPE_SCALAR, 0), 100, 150);
    assert_span(find(&pipes, PIPE_BUSY, PIPE_FIXP, 0), 120, 150);
    assert_span(find(&pipes, PIPE_BUSY, PIPE_CUBE, 0), 5, 15);
    assert_int_equal(find(&pipes, PIPE_BUSY, PIPE_MTE2, 0)->channel, 5);
    assert_int_equal(pipes.count, 4);
    assert_int_equal(pipes.unknown, 1);
    assert_int_equal(pipes.invalid, 1);
    assert_int_equal(pipes.tail_bytes, 4);
    pipe_timeline_clear(&pipes);
    text_clear(&data);
    text_clear(&more);
    text_clear(&other);
    text_clear(&file);
}

static void a_region_lies_between_two_marks(void **ctx)
{
    struct text data = {0}, file = {0};
    struct pipe_timeline pipes;
    (void)ctx;
    sample_entry(&data, 10, PIPE_VECTOR, 0x400 | 33);
    sample_entry(&data, 10, PIPE_VECTOR, 0x400 | 33); /* the later start is used */
    sample_entry(&data, 10, PIPE_VECTOR, 0xC00 | 33);
    sample_entry(&data, 10, PIPE_VECTOR, 0xC00 | 33); /* a second end */
    sample_entry(&data, 10, FIXP, 0x400 | 1);         /* never ends */
    sample_entry(&data, 10, PIPE_MTE3, 7);            /* only a mark */
    sample_unit(&file, 0, 0, &data);
    read_all(&pipes, &file);
    assert_span(find(&pipes, PIPE_REGION, PIPE_VECTOR, 0), 20, 30);
    assert_int_equal(find(&pipes, PIPE_REGION, PIPE_VECTOR, 0)->id, 33);
    assert_null(find(&pipes, PIPE_REGION, PIPE_VECTOR, 1));
    assert_span(find(&pipes, PIPE_MARK, PIPE_MTE3, 0), 60, 60);
    assert_null(find(&pipes, PIPE_REGION, PIPE_FIXP, 0));
    assert_int_equal(pipes.unpaired, 3);
    pipe_timeline_clear(&pipes);
    text_clear(&data);
    text_clear(&file);
}

static size_t marks_of(const unsigned *values, size_t count)
{
    struct text data = {0}, file = {0};
    struct pipe_timeline pipes;
    size_t marks = 0;

    for (size_t i = 0; i < count; i++) {
        sample_entry(&data, 1, PIPE_SCALAR, values[i]);
        sample_entry(&data, 1, BUSY, i & 1);
    }
    sample_unit(&file, 0, 0, &data);
    read_all(&pipes, &file);
    while (find(&pipes, PIPE_MARK, PIPE_SCALAR, (unsigned)marks))
        marks++;
    pipe_timeline_clear(&pipes);
    text_clear(&data);
    text_clear(&file);
    return marks;
}

/* The end marks are removed, also incomplete ones, unless another mark follows. */
static void end_marks_of_the_tool_are_removed(void **ctx)
{
    static const unsigned whole[] = {5,     0xD88, 0xD99, 0xDAA, 0xDBB,
                                     0xDCC, 0xDDD, 0xDEE, 0xDFF};
    static const unsigned first[] = {5, 6, 0xD88, 0xD99};
    static const unsigned not_last[] = {5, 0xD88, 0xD99, 7};
    static const unsigned wrong_order[] = {0xD99, 0xD88, 0xDAA};
    static const unsigned again[] = {0xD88, 0xD99, 0xD88, 0xD99};
    (void)ctx;
    assert_int_equal(marks_of(whole, 9), 1);
    assert_int_equal(marks_of(first, 4), 2);
    assert_int_equal(marks_of(not_last, 4), 4);
    assert_int_equal(marks_of(wrong_order, 3), 3);
    assert_int_equal(marks_of(again, 4), 2);
}

/* The same mark starts and ends an instruction. One of zero cycles stays open. */
static void an_instruction_lies_between_two_equal_marks(void **ctx)
{
    struct text data = {0}, file = {0};
    struct pipe_timeline pipes;
    (void)ctx;
    sample_entry(&data, 10, PIPE_MTE2, 0x601);
    sample_entry(&data, 10, PIPE_MTE3, 0x601);
    sample_entry(&data, 10, PIPE_MTE2, 0xE01); /* another instruction */
    sample_entry(&data, 10, PIPE_MTE2, 0x601);
    sample_entry(&data, 10, PIPE_MTE2, 0xE01);
    sample_entry(&data, 10, PIPE_MTE3, 0x601);
    sample_entry(&data, 10, PIPE_SCALAR, 0x600); /* none of these are instructions */
    sample_entry(&data, 10, PIPE_SCALAR, 0x600);
    sample_entry(&data, 10, PIPE_CUBE, 0x400);
    sample_entry(&data, 10, PIPE_CUBE, 0x400);
    sample_entry(&data, 10, BUSY, 1 << PIPE_CUBE);
    sample_entry(&data, 10, FIXP, 0x7FF);
    sample_entry(&data, 0, FIXP, 0x7FF);
    sample_entry(&data, 10, FIXP, 0x7FF);
    sample_entry(&data, 10, FIXP, 0x7FF); /* never ends */
    sample_unit(&file, 0, 0, &data);
    pipe_timeline_read(
        &pipes, PIPE_MARKS_OF_INSTRUCTIONS,
        (struct core_container){.bytes = (const uint8_t *)text_get(&file),
                                .size = file.length});
    assert_span(find(&pipes, PIPE_INSTRUCTION, PIPE_MTE2, 0), 10, 40);
    assert_int_equal(find(&pipes, PIPE_INSTRUCTION, PIPE_MTE2, 0)->id, 0x601);
    assert_span(find(&pipes, PIPE_INSTRUCTION, PIPE_MTE2, 1), 30, 50);
    assert_int_equal(find(&pipes, PIPE_INSTRUCTION, PIPE_MTE2, 1)->id, 0xE01);
    assert_span(find(&pipes, PIPE_INSTRUCTION, PIPE_MTE3, 0), 20, 60);
    assert_span(find(&pipes, PIPE_INSTRUCTION, PIPE_FIXP, 0), 120, 130);
    assert_int_equal(pipes.count, 4);
    assert_int_equal(pipes.unpaired, 1);
    pipe_timeline_clear(&pipes);
    text_clear(&data);
    text_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_is_busy_from_one_mask_to_the_next),
        cmocka_unit_test(a_region_lies_between_two_marks),
        cmocka_unit_test(end_marks_of_the_tool_are_removed),
        cmocka_unit_test(an_instruction_lies_between_two_equal_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
