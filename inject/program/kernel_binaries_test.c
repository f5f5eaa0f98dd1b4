/* kernel_binaries_test.c - finds sections in ELF files, and the handles of LCCL */
#include "inject/program/kernel_binaries.h"

#include <elf.h>
#include <stddef.h>
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

/* A file of three sections: none, "Attr_Section_Lcal", and the names. */
struct small_elf {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    char names[24];
};

static struct small_elf small_elf(void)
{
    struct small_elf file = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                 .e_shoff = offsetof(struct small_elf, sections),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 3,
                 .e_shstrndx = 2},
        .sections = {{.sh_name = 0},
                     {.sh_name = 1},
                     {.sh_name = 0,
                      .sh_offset = offsetof(struct small_elf, names),
                      .sh_size = sizeof("xAttr_Section_Lcal")}},
        .names = "xAttr_Section_Lcal"};

    return file;
}

/* Copies the bytes into memory of their own size: a sanitizer checks its end. */
static bool is_lccl_file(const struct small_elf *file, size_t length)
{
    static char binary;
    uint8_t *copy = malloc(length);

    memcpy(copy, file, length);
    kernel_binary_add_bytes(&binary, copy, length);
    bool is_lccl = kernel_binary_is_lccl(&binary);
    kernel_binary_remove(&binary);
    assert_int_equal(elf_has_section(copy, length, "Attr_Section_Lcal"), is_lccl);
    free(copy);
    return is_lccl;
}

static void each_field_of_the_headers_is_checked(void **ctx)
{
    static const struct {
        size_t at, size;
        uint64_t value;
        bool found;
    } cases[] = {
#define HEAD(member, value, found)                                                     \
    {offsetof(struct small_elf, head.member),                                          \
     sizeof(((struct small_elf *)0)->head.member), value, found}
#define SECTION(i, member, value, found)                                               \
    {                                                                                  \
        offsetof(struct small_elf, sections[i].member),                                \
            sizeof(((struct small_elf *)0)->sections[i].member), value, found          \
    }
        HEAD(e_type, 7, true),
        HEAD(e_ident[EI_MAG0], 'x', false),
        HEAD(e_ident[EI_MAG3], 'x', false),
        HEAD(e_ident[EI_CLASS], ELFCLASS32, false),
        HEAD(e_shentsize, sizeof(Elf64_Shdr) - 1, false),
        HEAD(e_shentsize, sizeof(Elf64_Shdr) + 1, false),
        HEAD(e_shnum, 1, false),
        HEAD(e_shnum, 2, true),
        HEAD(e_shstrndx, 1, false),
        HEAD(e_shstrndx, UINT16_MAX, false),
        HEAD(e_shoff, sizeof(struct small_elf), false),
        HEAD(e_shoff, UINT64_MAX - 2 * sizeof(Elf64_Shdr) + 1, false),
        SECTION(1, sh_name, 0, false),
        SECTION(1, sh_name, 19, false),
        SECTION(1, sh_name, 20, false),
        SECTION(1, sh_name, UINT32_MAX, false),
        SECTION(2, sh_size, 18, false), /* without the NUL */
        SECTION(2, sh_size, 24, true),
        SECTION(2, sh_size, 25, false), /* beyond the file */
        SECTION(2, sh_size, 0, false),
        SECTION(2, sh_offset, UINT64_MAX, false),
    };
    const struct small_elf good = small_elf();

    (void)ctx;
    assert_true(is_lccl_file(&good, sizeof(good)));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct small_elf file = good;

        memcpy((uint8_t *)&file + cases[i].at, &cases[i].value, cases[i].size);
        if (is_lccl_file(&file, sizeof(file)) != cases[i].found)
            fail_msg("case %zu", i);
    }
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
        cmocka_unit_test(each_field_of_the_headers_is_checked),
        cmocka_unit_test(functions_of_an_lccl_binary_count_as_lccl),
    };
    (void)mark;
    return cmocka_run_group_tests(tests, read_self, free_self);
}
