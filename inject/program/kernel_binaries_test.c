/* kernel_binaries_test.c - finds sections in ELF files, and the handles of LCCL */
#include "inject/program/kernel_binaries.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

/* The test program has the section itself. */
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

static int free_self(void **ctx)
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

/* The section headers are at the end of the file. */
static void a_truncated_file_has_no_sections(void **ctx)
{
    size_t step = size / 200 + 1;

    (void)ctx;
    for (size_t cut = 0; cut < size; cut += step) {
        uint8_t *copy = malloc(cut + 1); /* a sanitizer checks the end of this block */

        memcpy(copy, bytes, cut);
        assert_false(elf_has_section(copy, cut, "Attr_Section_Lcal"));
        free(copy);
    }
}

/* Returns true when the section headers, or the header of the section with the names,
 * are not inside the file. */
static bool points_outside(const Elf64_Ehdr *head)
{
    return head->e_shoff > size ||
           head->e_shstrndx >= (size - head->e_shoff) / sizeof(Elf64_Shdr);
}

/* Returns true when the fields that the search uses are those of the file. */
static bool is_unchanged(const Elf64_Ehdr *head)
{
    const Elf64_Ehdr *original = (const Elf64_Ehdr *)bytes;

    return memcmp(head->e_ident, original->e_ident, EI_NIDENT) == 0 &&
           head->e_shoff == original->e_shoff &&
           head->e_shentsize == original->e_shentsize &&
           head->e_shnum == original->e_shnum &&
           head->e_shstrndx == original->e_shstrndx;
}

static void a_header_that_points_outside_the_file_has_no_sections(void **ctx)
{
    static const uint64_t values[] = {0,          1,          63,
                                      UINT32_MAX, UINT64_MAX, UINT64_MAX - 63};
    uint8_t *copy = malloc(size);
    unsigned outside = 0, unchanged = 0;

    (void)ctx;
    for (size_t at = 0; at < sizeof(Elf64_Ehdr); at += 2)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            size_t room = sizeof(Elf64_Ehdr) - at;
            Elf64_Ehdr head;
            bool found;

            memcpy(copy, bytes, size);
            memcpy(copy + at, &values[i], room < 8 ? room : 8);
            memcpy(&head, copy, sizeof(head));
            found = elf_has_section(copy, size, "Attr_Section_Lcal");
            if (points_outside(&head)) {
                assert_false(found);
                outside++;
            } else if (is_unchanged(&head)) {
                assert_true(found);
                unchanged++;
            }
        }
    free(copy);
    assert_true(outside >= 12 && unchanged >= 12);
}

static void functions_of_an_lccl_binary_count_as_lccl(void **ctx)
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
    /* The runtime reuses the handle for another object. */
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
        cmocka_unit_test(a_truncated_file_has_no_sections),
        cmocka_unit_test(a_header_that_points_outside_the_file_has_no_sections),
        cmocka_unit_test(functions_of_an_lccl_binary_count_as_lccl),
    };
    (void)mark;
    return cmocka_run_group_tests(tests, read_self, free_self);
}
