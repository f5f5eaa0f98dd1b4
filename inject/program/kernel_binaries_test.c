/* kernel_binaries_test.c - which binaries are LCCL's, and what is no binary at all */
#include "inject/program/kernel_binaries.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

/* This program itself has the section. */
__attribute__((section("Attr_Section_Lcal"), used)) static int mark = 1;

static uint8_t *bytes;
static size_t size;

static int read_self(void **ctx)
{
    FILE *file = fopen("/proc/self/exe", "r");

    (void)ctx;
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size);
    if (fread(bytes, 1, size, file) != size)
        return -1;
    return fclose(file);
}

static int drop_self(void **ctx)
{
    (void)ctx;
    free(bytes);
    return 0;
}

static void a_section_is_found_by_its_whole_name(void **ctx)
{
    (void)ctx;
    assert_true(elf_has_section(bytes, size, "Attr_Section_Lcal"));
    assert_true(elf_has_section(bytes, size, ".text"));
    assert_false(elf_has_section(bytes, size, "Attr_Section"));
    assert_false(elf_has_section(bytes, size, "Attr_Section_Lcal_"));
}

/* The section table stands at the end of the file: without it nothing is found. */
static void what_is_cut_off_has_no_sections(void **ctx)
{
    size_t step = size / 200 + 1;

    (void)ctx;
    for (size_t cut = 0; cut < size; cut += step) {
        uint8_t *copy = malloc(cut + 1); /* so that a sanitizer sees the end */

        memcpy(copy, bytes, cut);
        assert_false(elf_has_section(copy, cut, "Attr_Section_Lcal"));
        free(copy);
    }
}

static void numbers_that_lie_are_not_followed(void **ctx)
{
    static const uint64_t lies[] = {0, 1, 63, UINT32_MAX, UINT64_MAX, UINT64_MAX - 63};
    uint8_t *copy = malloc(size);

    (void)ctx;
    for (size_t at = 0; at < sizeof(Elf64_Ehdr); at += 2)
        for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
            size_t room = sizeof(Elf64_Ehdr) - at;

            memcpy(copy, bytes, size);
            memcpy(copy + at, &lies[i], room < 8 ? room : 8);
            elf_has_section(copy, size, "Attr_Section_Lcal");
        }
    free(copy);
}

static void parts_of_a_binary_are_like_it(void **ctx)
{
    static char binary, other, function, stub;

    (void)ctx;
    assert_false(kernel_binary_is_lccl(&binary));
    kernel_binary_add_file(&binary, "/proc/self/exe");
    kernel_binary_add_bytes(&other, "no ELF at all", 13);
    kernel_binary_add_part(&binary, &function);
    kernel_binary_add_part(&other, &stub);
    assert_true(kernel_binary_is_lccl(&binary));
    assert_true(kernel_binary_is_lccl(&function));
    assert_false(kernel_binary_is_lccl(&other));
    assert_false(kernel_binary_is_lccl(&stub));
    /* the handle is used again, for something else */
    kernel_binary_add_part(&other, &function);
    kernel_binary_remove(&binary);
    assert_false(kernel_binary_is_lccl(&function));
    assert_false(kernel_binary_is_lccl(&binary));
    kernel_binary_add_file(&binary, "/no/such/file");
    assert_false(kernel_binary_is_lccl(&binary));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_is_found_by_its_whole_name),
        cmocka_unit_test(what_is_cut_off_has_no_sections),
        cmocka_unit_test(numbers_that_lie_are_not_followed),
        cmocka_unit_test(parts_of_a_binary_are_like_it),
    };
    (void)mark;
    return cmocka_run_group_tests(tests, read_self, drop_self);
}
