/* structures_test.c - layers by the marks of a program, and variants of a layer */
#include "parsers/anomaly/structures.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { KERNELS_MAX = 512 };

static struct names *names;
static struct kernel_list kernels;
static uint32_t tokens[KERNELS_MAX], marks[KERNELS_MAX];
static struct structures structures;

static int set_up(void **ctx)
{
    (void)ctx;
    names = names_create();
    kernel_list_init(&kernels, names);
    memset(marks, 0, sizeof(marks));
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    structures_clear(&structures);
    kernel_list_clear(&kernels);
    names_destroy(names);
    return 0;
}

/* Adds a kernel of 8 us after the last one for each word of the text. */
static void add(const char *words, uint32_t mark)
{
    char *copy = xstrdup(words), *rest = copy, *word;

    while ((word = strsep(&rest, " "))) {
        int64_t start = (int64_t)kernels.count * 10000;

        marks[kernels.count] = mark;
        tokens[kernels.count] = names_add(names, word);
        kernel_list_add(&kernels, &(struct kernel){.start = start,
                                                   .end = start + 8000,
                                                   .name = tokens[kernels.count],
                                                   .type = tokens[kernels.count]});
    }
    free(copy);
}

/* Checks types, numbers and sizes of the parts: "prologue_0:2 layer_0:3". */
static void check(bool with_marks, const char *expected)
{
    struct text text = {0};

    structures_find(&structures, &kernels, tokens, with_marks ? marks : NULL, 0,
                    kernels.count);
    for (size_t i = 0; i < structures.count; i++) {
        const struct structure *row = &structures.rows[i];

        text_add(&text, i > 0 ? " " : "");
        structure_add_type(&text, row);
        text_printf(&text, "_%u:%zu", row->number, row->count);
    }
    assert_string_equal(text_get(&text), expected);
    text_clear(&text);
}

static void marked_layers_come_before_attention(void **ctx)
{
    (void)ctx;
    add("Cast Mul", 0);
    add("Norm FlashAttentionScore Add", 1);
    add("Late", 0); /* a kernel that no call of the layer started */
    add("Add", 1);
    add("Norm FlashAttentionScore", 2);
    add("Add", 1); /* of the layer before, on another stream */
    add("Add Add", 2);
    add("Loss Grad", 0);
    check(true, "prologue_0:2 layer_0:5 layer_1:5 epilogue_0:2");
    assert_int_equal(structures.method, STRUCTURES_BY_MARKS);
    structures_clear(&structures);
    check(false, "prologue_0:3 layer_0:5 layer_1:2 epilogue_0:4");
    assert_int_equal(structures.method, STRUCTURES_BY_ATTENTION);
}

static void one_marked_layer_is_no_division(void **ctx)
{
    (void)ctx;
    add("Cast", 0);
    add("FlashAttentionScore Add", 1);
    add("FlashAttentionScore Add", 0);
    check(true, "prologue_0:1 layer_0:2 layer_1:2");
    assert_int_equal(structures.method, STRUCTURES_BY_ATTENTION);
}

/* The first layers of a mixture of experts are often dense. */
static void unlike_layers_next_to_each_other_are_a_variant(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < 3; i++)
        add("FlashAttentionScore MatMul Swi MatMul", 0);
    for (int i = 0; i < 9; i++)
        add("FlashAttentionScore Gate Grouped Swi Grouped AllToAll", 0);
    add("FlashAttentionScore MatMul Softmax Loss Sum Mean", 0); /* ends the pass */
    check(false,
          "layer_b_0:4 layer_b_1:4 layer_b_2:4 layer_0:6 layer_1:6 layer_2:6 "
          "layer_3:6 layer_4:6 layer_5:6 layer_6:6 layer_7:6 layer_8:6 layer_9:1 "
          "epilogue_0:5");
    assert_int_equal(structures.pass_count, 1);
    assert_int_equal(structures.passes[0].layers, 13);
}

static void alternating_layers_are_two_variants(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < 3; i++) {
        add("FlashAttentionScore MatMul Swi MatMul", 0);
        add("FlashAttentionScore Gate Grouped Swi Grouped AllToAll", 0);
    }
    add("FlashAttentionScore MatMul Swi MatMul", 0);
    check(false, "layer_0:4 layer_b_0:6 layer_1:4 layer_b_1:6 layer_2:4 layer_b_2:6 "
                 "layer_3:4");
    assert_int_equal(structures.pass_count, 1);
}

/* Two passes of four layers: their ends are equal, but no layers of their own. */
static void equal_ends_of_passes_are_no_variant(void **ctx)
{
    (void)ctx;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 3; i++)
            add("FlashAttentionScore MatMul Swi MatMul", 0);
        add("FlashAttentionScore MatMul Send Receive Loss", 0);
    }
    check(false, "layer_0:4 layer_1:4 layer_2:4 layer_3:2 between_pass_0:3 layer_4:4 "
                 "layer_5:4 layer_6:4 layer_7:2 epilogue_0:3");
    assert_int_equal(structures.pass_count, 2);
    assert_int_equal(structures.passes[1].layers, 4);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(marked_layers_come_before_attention),
        CASE(one_marked_layer_is_no_division),
        CASE(unlike_layers_next_to_each_other_are_a_variant),
        CASE(alternating_layers_are_two_variants),
        CASE(equal_ends_of_passes_are_no_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
