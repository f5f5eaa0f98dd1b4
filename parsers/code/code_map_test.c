#include "parsers/code/code_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { FRAMES_MAX = 16 };

struct sample {
    const char *path;
    char *elf;
    size_t size;
    struct code_map *map;
};

static int sample_open(void **state, const char *path)
{
    struct sample *sample = xcalloc(1, sizeof(*sample));
    struct err err;

    *state = sample;
    sample->path = path;
    if (file_read(&sample->elf, &sample->size, path, 1 << 20, &err) < 0 ||
        code_map_open(&sample->map, sample->elf, sample->size, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    return 0;
}

static int inlined_open(void **state)
{
    return sample_open(state, SAMPLE_INLINED);
}

static int relative_open(void **state)
{
    return sample_open(state, SAMPLE_RELATIVE);
}

static int sample_close(void **state)
{
    struct sample *sample = *state;

    code_map_close(sample->map);
    free(sample->elf);
    free(sample);
    return 0;
}

static const struct code_function *function_named(struct code_map *map,
                                                  const char *name)
{
    size_t count;
    const struct code_function *all = code_map_functions(map, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    fail_msg("no function %s", name);
    return NULL;
}

/* Compares the frames of an address with the output of addr2line: two lines per frame.
 */
static void
compare_with_addr2line(struct code_map *map, uint64_t address, FILE *addr2line)
{
    struct code_frame frames[FRAMES_MAX];
    size_t count = code_map_find(map, address, frames, FRAMES_MAX);
    char function[512], place[1024], ours[1024];

    assert_in_range(count, 1, FRAMES_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(fgets(function, sizeof(function), addr2line));
        assert_non_null(fgets(place, sizeof(place), addr2line));
        function[strcspn(function, "\n")] = '\0';
        place[strcspn(place, " \n")] = '\0'; /* also removes " (discriminator 3)" */
        assert_non_null(frames[i].function);
        if (i + 1 == count) /* for inlined frames addr2line prints another name */
            assert_string_equal(frames[i].function, function);
        snprintf(ours, sizeof(ours), "%s:%u", frames[i].file, frames[i].line);
        assert_string_equal(ours, place);
    }
}

static void every_address_gives_the_frames_of_addr2line(void **ctx)
{
    static const char *const names[] = {"_ZN6sample6lengthEPKii",
                                        "_ZN6sample6lengthEPKdi", "sample_total"};
    struct sample *sample = *ctx;
    size_t inlined = 0;

    for (size_t i = 0; i < COUNT(names); i++) {
        const struct code_function *function = function_named(sample->map, names[i]);
        char command[512];
        FILE *addr2line;

        for (uint64_t at = 0; at < function->size; at++)
            inlined += code_map_find(sample->map, function->address + at, NULL, 0) > 2;
        /* one process per function, for all its addresses */
        snprintf(command, sizeof(command),
                 "seq %llu %llu | xargs printf '0x%%x\\n' | addr2line -Cfi -e '%s'",
                 (unsigned long long)function->address,
                 (unsigned long long)(function->address + function->size - 1),
                 sample->path);
        addr2line = popen(command, "r");
        assert_non_null(addr2line);
        for (uint64_t at = 0; at < function->size; at++)
            compare_with_addr2line(sample->map, function->address + at, addr2line);
        assert_int_equal(fgetc(addr2line), EOF);
        assert_int_equal(pclose(addr2line), 0);
    }
    assert_true(inlined > 0); /* the sample must have nested inlined calls */
}

/* Line 8 is the only line of its function, which is always inlined. */
static void an_inlined_frame_has_the_name_of_the_called_function(void **ctx)
{
    struct sample *sample = *ctx;
    const struct code_function *total = function_named(sample->map, "sample_total");
    size_t seen = 0;

    for (uint64_t at = 0; at < total->size; at++) {
        struct code_frame frames[FRAMES_MAX];
        size_t count =
            code_map_find(sample->map, total->address + at, frames, FRAMES_MAX);

        if (frames[0].line != 8)
            continue;
        assert_int_equal(count, 2);
        assert_string_equal(frames[0].function, "sample::square::of(int)");
        assert_string_equal(frames[1].function, "sample_total");
        seen++;
    }
    assert_true(seen > 0);
}

static void an_address_outside_is_not_found(void **ctx)
{
    struct sample *sample = *ctx;
    struct code_frame frame;

    assert_int_equal(code_map_find(sample->map, 0, &frame, 1), 0);
    assert_int_equal(code_map_find(sample->map, UINT64_MAX, &frame, 1), 0);
}

static void sections_are_found_by_name(void **ctx)
{
    struct sample *sample = *ctx;

    assert_true(code_map_has_section(sample->map, ".text"));
    assert_false(code_map_has_section(sample->map, "Attr_Section_Lcal"));
    assert_true(code_map_has_lines(sample->map));
}

/* Requires that all lookups in a damaged file give no more than what a file can have:
 * texts that end, and end before the file would. Returns how many frames were found. */
static size_t check_all_frames(struct code_map *map, size_t file_bytes)
{
    size_t found = 0;

    for (uint64_t pc = 0; pc < 0x2000; pc += 7) {
        struct code_frame frames[FRAMES_MAX] = {0};
        size_t count = code_map_find(map, pc, frames, FRAMES_MAX);

        for (size_t i = 0; i < count && i < FRAMES_MAX; i++) {
            const char *function = frames[i].function, *file = frames[i].file;

            assert_true(!function || strnlen(function, file_bytes) < file_bytes);
            assert_true(!file || strnlen(file, file_bytes) < file_bytes);
            found++;
        }
    }
    return found;
}

static void a_cut_file_is_refused_or_read_as_far_as_it_goes(void **ctx)
{
    struct sample *sample = *ctx;
    size_t refused = 0;

    for (size_t size = 0; size < sample->size; size += 64) {
        struct code_map *map = NULL;
        char *cut = xmemdup(sample->elf, size ? size : 1); /* ends at the cut */
        struct err err = {0};

        if (code_map_open(&map, cut, size, &err) < 0) {
            assert_true(strlen(err.text) > 0);
            assert_null(map);
            refused++;
        } else {
            check_all_frames(map, sample->size);
        }
        code_map_close(map);
        free(cut);
    }
    assert_true(refused > 0);
}

/* A changed byte in the header is refused; most others change one name or number. */
static void a_file_with_a_changed_byte_is_refused_or_read(void **ctx)
{
    struct sample *sample = *ctx;
    char *bytes = xmemdup(sample->elf, sample->size);
    size_t refused = 0, with_frames = 0, changed = 0;

    for (size_t at = 0; at < sample->size; at += 61, changed++) {
        struct code_map *map = NULL;
        struct err err = {0};

        bytes[at] ^= (char)0xA5;
        if (code_map_open(&map, bytes, sample->size, &err) < 0) {
            assert_true(strlen(err.text) > 0);
            assert_null(map);
            refused++;
        } else {
            with_frames += check_all_frames(map, sample->size) > 0;
        }
        code_map_close(map);
        bytes[at] ^= (char)0xA5;
    }
    assert_true(refused > 0);
    assert_true(with_frames > changed / 2);
    free(bytes);
}

static void a_file_without_elf_magic_is_refused(void **ctx)
{
    struct code_map *map = NULL;
    struct err err;

    (void)ctx;
    assert_int_equal(code_map_open(&map, "MZ", 2, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_null(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_gives_the_frames_of_addr2line),
        cmocka_unit_test(an_inlined_frame_has_the_name_of_the_called_function),
        cmocka_unit_test(an_address_outside_is_not_found),
        cmocka_unit_test(sections_are_found_by_name),
        cmocka_unit_test(a_cut_file_is_refused_or_read_as_far_as_it_goes),
        cmocka_unit_test(a_file_with_a_changed_byte_is_refused_or_read),
        cmocka_unit_test(a_file_without_elf_magic_is_refused),
    };
    const struct CMUnitTest relative[] = {
        cmocka_unit_test(every_address_gives_the_frames_of_addr2line),
    };

    return cmocka_run_group_tests(tests, inlined_open, sample_close) ||
           cmocka_run_group_tests_name("compiled with a relative name", relative,
                                       relative_open, sample_close);
}
