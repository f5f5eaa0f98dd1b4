#include "parsers/iree/iree_dump.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/format.h"
#include "lib/capture/format/test_captures.h"
#include "parsers/iree/idb_text.h"
#include "parsers/iree/idb_value.h"
#include "tests/support/unit.h"

enum { METADATA_BYTES = 192, RING_AT = 208, FILE_MAX = 1 << 20 };

/* A copy of a sample with exactly its size, so that a sanitizer finds reads beyond it.
 */
struct sample {
    uint8_t *bytes;
    size_t size;
};

static struct sample read_sample(const char *name)
{
    struct sample sample;
    char path[80], *bytes;
    struct err err;

    snprintf(path, sizeof(path), "samples/%s", name);
    assert_int_equal(file_read(&bytes, &sample.size, path, FILE_MAX, &err), 0);
    sample.bytes = xmemdup(bytes, sample.size);
    free(bytes);
    return sample;
}

/* Writes all records as the lines of IREE's own tool, with the lost and doubtful marks
 * of this reader. */
static void list_records(const struct iree_dump *dump, struct text *out)
{
    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_metadata *metadata = iree_ring_metadata(dump, &dump->rings[i]);
        struct idb_record record;
        struct idb_ring ring;
        char line[200];

        iree_ring_records(dump, &dump->rings[i], &ring);
        while (idb_ring_next(&ring, &record)) {
            idb_record_text(line, sizeof(line), &record, metadata);
            text_printf(out, "%s\n", line);
        }
    }
}

static void assert_lines(const struct iree_dump *dump, const char *expected)
{
    struct text lines = {0};

    list_records(dump, &lines);
    assert_string_equal(text_get(&lines), expected);
    text_clear(&lines);
}

static void the_plain_dump_gives_the_lines_of_the_shipped_tool(void **ctx)
{
    struct sample sample = read_sample("plain.idb");
    struct iree_dump *dump = iree_dump_read("plain", sample.bytes, sample.size);
    const struct idb_metadata *metadata = &dump->modules[0].metadata;

    (void)ctx;
    assert_int_equal(dump->problem_count, 0);
    assert_int_equal(metadata->function_count, 2);
    assert_string_equal(metadata->functions[0].name, "mul");
    assert_string_equal(metadata->functions[1].name, "add");
    assert_string_equal(metadata->functions[1].target, "tgt");
    assert_string_equal(metadata->functions[0].source, "src");
    assert_string_equal(metadata->functions[0].layout, "");
    assert_int_equal(metadata->site_count, 2);
    assert_int_equal(metadata->sites[0], 0);
    assert_int_equal(metadata->sites[1], 1);
    assert_lines(dump,
                 "0000000000000000 | WORKGROUP dispatch(0 mul 2x1x1) 0,0,0 pid:3\n"
                 "0000000000000000 | LOAD  00007F0000001000 4\n"
                 "0000000000000000 | VALUE 0001 = 1.500000e+00 1.500000\n"
                 "0000000000000000 | PRINT hi\n"
                 "0000000000000000 | STORE 00007F0000002010 16\n"
                 "0000000000000060 | WORKGROUP dispatch(1 add 2x1x1) 1,0,0 pid:4\n");
    iree_dump_close(dump);
    free(sample.bytes);
}

static void sites_have_counts_ranges_and_iterations(void **ctx)
{
    struct sample sample = read_sample("plain.idb");
    struct iree_dump *dump = iree_dump_read("plain", sample.bytes, sample.size);
    const struct idb_sites *sites = &dump->rings[0].sites;
    const struct idb_site *mul = idb_sites_at(sites, 0);
    const struct idb_series *series = idb_sites_series(sites, 0);

    (void)ctx;
    assert_int_equal(sites->sites.count, 2);
    assert_int_equal(mul->site, 0);
    assert_int_equal(mul->workgroups, 1);
    assert_int_equal(mul->loads, 1);
    assert_int_equal(mul->load_bytes, 4);
    assert_int_equal(mul->stores, 1);
    assert_int_equal(mul->store_bytes, 16);
    assert_int_equal(mul->prints, 1);
    assert_int_equal(mul->address_first, 0x7f0000001000);
    assert_int_equal(mul->address_last, 0x7f000000201f);
    /* the dispatch has two workgroups, and only the first ran */
    assert_true(mul->has_iterations);
    assert_int_equal(mul->iterations_min, 0);
    assert_int_equal(mul->iterations_max, 1);
    assert_int_equal(mul->processors, 1);
    assert_int_equal(mul->busiest, 1);
    assert_int_equal(sites->series.count, 1);
    assert_int_equal(series->ordinal, 1);
    assert_int_equal(series->type, IDB_F32);
    assert_int_equal(series->count, 1);
    assert_true(series->max == 1.5);
    iree_dump_close(dump);
    free(sample.bytes);
}

static void a_wrapped_ring_starts_at_its_oldest_whole_record(void **ctx)
{
    struct sample sample = read_sample("wrap.idb");
    struct iree_dump *dump = iree_dump_read("wrap", sample.bytes, sample.size);
    const struct idb_ring_totals *totals = &dump->rings[0].totals;
    struct idb_record record;
    struct idb_ring ring;

    (void)ctx;
    assert_lines(dump,
                 "0000000000000020 | WORKGROUP dispatch(0 mul 9x1x1) 1,0,0 pid:1 "
                 "(doubtful)\n"
                 "0000000000000040 | WORKGROUP dispatch(0 mul 9x1x1) 2,0,0 pid:2\n"
                 "0000000000000060 | WORKGROUP dispatch(0 mul 9x1x1) 3,0,0 pid:3\n"
                 "0000000000000080 | WORKGROUP dispatch(0 mul 9x1x1) 4,0,0 pid:4\n"
                 "00000000000000A0 | WORKGROUP dispatch(0 mul 9x1x1) 5,0,0 pid:5\n"
                 "00000000000000C0 | WORKGROUP dispatch(0 mul 9x1x1) 6,0,0 pid:6\n"
                 "00000000000000C0 | LOAD  000000000000AAA0 4\n"
                 "00000000000000F0 | WORKGROUP dispatch(1 add 9x1x1) 7,0,0 pid:7\n"
                 "00000000000000F0 | STORE 000000000000BBB0 8\n");
    assert_int_equal(totals->lost_bytes, 32);
    assert_int_equal(totals->cut_bytes, 0);
    assert_int_equal(totals->doubtful, 1);
    assert_int_equal(dump->problem_count, 0);
    iree_ring_records(dump, &dump->rings[0], &ring);
    assert_true(idb_ring_next(&ring, &record));
    assert_true(record.is_doubtful);
    while (idb_ring_next(&ring, &record))
        assert_false(record.is_doubtful || record.is_lost);
    iree_dump_close(dump);
    free(sample.bytes);
}

static void a_hole_is_counted_and_not_printed(void **ctx)
{
    struct sample sample = read_sample("hole.idb");
    struct iree_dump *dump = iree_dump_read("hole", sample.bytes, sample.size);

    (void)ctx;
    assert_lines(dump,
                 "0000000000000000 | WORKGROUP dispatch(1 add 2x1x1) 0,0,0 pid:3\n"
                 "0000000000000040 | WORKGROUP dispatch(1 add 2x1x1) 1,0,0 pid:4\n");
    assert_int_equal(dump->rings[0].totals.holes, 1);
    assert_int_equal(dump->rings[0].totals.hole_bytes, 32);
    assert_int_equal(idb_sites_at(&dump->rings[0].sites, 0)->iterations_min, 1);
    assert_int_equal(dump->problem_count, 0);
    iree_dump_close(dump);
    free(sample.bytes);
}

static void every_value_type_is_extended_from_its_own_width(void **ctx)
{
    struct sample sample = read_sample("values.idb");
    struct iree_dump *dump = iree_dump_read("values", sample.bytes, sample.size);
    static const struct {
        const char *text;
        double number;
    } expected[IDB_VALUE_TYPES] = {
        [IDB_S8] = {"-37", -37},
        [IDB_U8] = {"219", 219},
        [IDB_S16] = {"4059", 4059},
        [IDB_U16] = {"4059", 4059},
        [IDB_S32] = {"-1068953637", -1068953637},
        [IDB_U32] = {"3226013659", 3226013659},
        [IDB_S64] = {"3226013659", 3226013659},
        [IDB_U64] = {"3226013659", 3226013659},
        [IDB_POINTER] = {"00000000C0490FDB", 3226013659},
        [IDB_F16] = {"4.794598e-04 0.000479", 0.00047945976257324219},
        [IDB_F32] = {"-3.141593e+00 -3.141593", -3.1415927410125732},
        [IDB_F64] = {"1.593863e-314 0.000000", 1.593863e-314},
        [IDB_BF16] = {"2.159507e-29 0.000000", 2.159507e-29},
    };
    struct idb_record record;
    struct idb_ring ring;

    (void)ctx;
    iree_ring_records(dump, &dump->rings[0], &ring);
    assert_true(idb_ring_next(&ring, &record));
    for (unsigned type = 0; type < IDB_VALUE_TYPES; type++) {
        char text[64];
        double number;

        assert_true(idb_ring_next(&ring, &record));
        assert_int_equal(record.type, type);
        idb_value_text(text, sizeof(text), record.type, record.bits);
        assert_string_equal(text, expected[type].text);
        number = idb_value_number(record.type, record.bits);
        assert_true(fabs(number - expected[type].number) <=
                    1e-6 * fabs(expected[type].number));
    }
    assert_false(idb_ring_next(&ring, &record));
    assert_int_equal(dump->rings[0].sites.series.count, IDB_VALUE_TYPES);
    iree_dump_close(dump);
    free(sample.bytes);
}

static void numbers_at_the_edges_of_half_precision_are_right(void **ctx)
{
    (void)ctx;
    assert_true(idb_value_number(IDB_F16, 0x0001) == 0x1p-24);
    assert_true(idb_value_number(IDB_F16, 0xc000) == -2);
    assert_true(isinf(idb_value_number(IDB_F16, 0x7c00)));
    assert_true(isnan(idb_value_number(IDB_F16, 0x7c01)));
    assert_true(isnan(idb_value_number(IDB_BF16, 0x7fc0)));
    assert_true(idb_value_number(IDB_S64, UINT64_MAX) == -1);
}

/* A dump is read into its records and its problems without a crash; returns both. */
static size_t read_all(const void *bytes, size_t size, size_t *problems)
{
    void *exact = xmemdup(bytes, size);
    struct iree_dump *dump = iree_dump_read("cut", exact, size);
    size_t records = 0;

    for (size_t i = 0; i < dump->ring_count; i++)
        for (int kind = 0; kind < IDB_KINDS; kind++)
            records += dump->rings[i].totals.records[kind];
    for (size_t i = 0; i < dump->profile_count; i++)
        records += dump->profiles[i].records;
    *problems = dump->problem_count;
    iree_dump_close(dump);
    free(exact);
    return records;
}

static void a_dump_cut_at_any_byte_reports_what_is_missing(void **ctx)
{
    static const char *const names[] = {"plain.idb", "wrap.idb", "hole.idb",
                                        "values.idb", "task.ireeprof"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct sample sample = read_sample(names[i]);
        size_t problems, most = 0, all = read_all(sample.bytes, sample.size, &problems);

        assert_int_equal(problems, 0);
        for (size_t size = 0; size < sample.size; size++) {
            size_t records = read_all(sample.bytes, size, &problems);

            assert_true(records >= most && records <= all);
            most = records;
            /* the only cuts that leave whole chunks: nothing, and metadata alone */
            assert_true(problems > 0 || size == 0 || size == METADATA_BYTES ||
                        (size > METADATA_BYTES - 16 && size < METADATA_BYTES) ||
                        size - METADATA_BYTES < 16);
        }
        free(sample.bytes);
    }
}

static void every_flipped_bit_is_read_without_harm(void **ctx)
{
    static const char *const names[] = {"plain.idb", "wrap.idb", "hole.idb",
                                        "task.ireeprof"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct sample sample = read_sample(names[i]);
        size_t used = sample.size < 700 ? sample.size : 700, problems;

        for (size_t at = 0; at < 8 * used; at++) {
            sample.bytes[at / 8] ^= (uint8_t)(1 << at % 8);
            read_all(sample.bytes, sample.size, &problems);
            sample.bytes[at / 8] ^= (uint8_t)(1 << at % 8);
        }
        for (size_t at = 8 * (sample.size - 8); at < 8 * sample.size; at++) {
            sample.bytes[at / 8] ^= (uint8_t)(1 << at % 8);
            read_all(sample.bytes, sample.size, &problems);
            sample.bytes[at / 8] ^= (uint8_t)(1 << at % 8);
        }
        free(sample.bytes);
    }
}

/* Replaces bytes of the plain dump; the first problem must contain `expected`. */
static void
assert_problem(size_t at, const void *bytes, size_t size, const char *expected)
{
    struct sample sample = read_sample("plain.idb");
    struct iree_dump *dump;

    memcpy(sample.bytes + at, bytes, size);
    dump = iree_dump_read("bad.idb", sample.bytes, sample.size);
    assert_true(dump->problem_count > 0);
    if (!strstr(dump->problems[0].text, expected))
        fail_msg("'%s' does not contain '%s'", dump->problems[0].text, expected);
    iree_dump_close(dump);
    free(sample.bytes);
}

static void an_error_names_the_file_the_offset_and_the_field(void **ctx)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *expected;
    } words[] = {
        {0x10, 0xfffffff0,
         "bad.idb: offset 0: metadata: root: its table at 4294967280"},
        {0x14, 0x43444249, "metadata: the identifier is not 'IDBD'"},
        {0x18, 0x7fffffff, "metadata: root: its vtable lies 2147483639 bytes before"},
        {0x18, 0x80000000, "metadata: root: its vtable at 2147483656"},
        {0x1c, 0xffffffff, "metadata: functions: its value at"},
        {0x20, 0xffffffff, "metadata: sites: its value at"},
        {0x30, 0xffffffff,
         "metadata: functions: its value at 36 with 17179869180 bytes"},
        {0x24, 0x40000000, "metadata: sites: its value at 24 with 4294967296 bytes"},
        {0x40, 7, "metadata: sites[1].function: 7, but there are 2 functions"},
        {0x58, 0x7fffffff, "metadata: functions[1].source: its value at"},
        {0xa0, 0x00ff0000,
         "metadata: functions[0].source: its offset 255 lies outside"},
        {0xc8, 0x7fffffff,
         "offset 192: chunk of type 1: content length: 2147483647 bytes are announced"},
        {0xc8, 4351, "offset 192: ring: content length: 4351 is not a power of two"},
        {0xd0, 0x00000200,
         "ring: 32 bytes are no record, the first at ring offset 0: "
         "wrong site"},
        {0xf0, 0x03,
         "ring: 16 bytes are no record, the first at ring offset 32: wrong "
         "tag"},
        {0x11c8, 0x88, "ring: write head: 136 is not a multiple of 16"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(words); i++) {
        uint8_t bytes[4];

        store_u32(bytes, words[i].value);
        assert_problem(words[i].at, bytes, sizeof(bytes), words[i].expected);
    }
}

static void a_huge_length_of_a_chunk_is_an_error(void **ctx)
{
    static const uint64_t lengths[] = {1ull << 63, UINT64_MAX, UINT64_MAX - 15, 4537};

    (void)ctx;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        uint8_t bytes[8];
        char expected[80];

        store_u64(bytes, lengths[i]);
        snprintf(expected, sizeof(expected), "content length: %" PRIu64 " bytes",
                 lengths[i]);
        assert_problem(i == 3 ? 0xc8 : 8, bytes, sizeof(bytes), expected);
    }
}

static void a_chunk_whose_last_eight_bytes_are_zero_is_an_empty_ring(void **ctx)
{
    uint8_t bytes[64] = "0IDB\1";
    struct iree_dump *dump;

    (void)ctx;
    memset(bytes + 16, 0xab, 30);
    store_u64(bytes + 8, 38);
    dump = iree_dump_read("rule", bytes, sizeof(bytes));
    assert_int_equal(dump->problem_count, 0);
    assert_int_equal(dump->ring_count, 1);
    assert_int_equal(dump->rings[0].head, 0);
    iree_dump_close(dump);
}

static void unknown_chunks_and_captures_are_skipped(void **ctx)
{
    struct sample sample = read_sample("plain.idb");
    size_t size;
    uint8_t *group = oracle_bytes(oracle_group, &size);
    uint8_t *bytes = xcalloc(1, 16 + 2 * (size + sample.size));
    struct iree_dump *dump;
    size_t all = 16;

    (void)ctx;
    memcpy(bytes, "0IDB\xff\xff", 6);
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + all, group, size);
        memcpy(bytes + all + size, sample.bytes, sample.size);
        all += size + sample.size;
    }
    dump = iree_dump_read("joined", bytes, all);
    assert_int_equal(dump->problem_count, 0);
    assert_int_equal(dump->ring_count, 2);
    assert_int_equal(dump->part_count, 7); /* unknown, 2 * (capture, metadata, ring) */
    assert_int_equal(dump->parts[0].kind, IREE_PART_UNKNOWN);
    assert_int_equal(dump->parts[1].kind, IREE_PART_CAPTURE);
    assert_int_equal(dump->parts[1].bytes, size);
    assert_int_equal(dump->parts[4].offset, 16 + size + sample.size);
    iree_dump_close(dump);
    free(bytes);
    free(group);
    free(sample.bytes);
}

/* The rest behind inserted bytes is found again. */
static void a_dump_behind_damage_is_read(void **ctx)
{
    struct sample sample = read_sample("plain.idb");
    uint8_t *bytes = xcalloc(1, 37 + sample.size);
    struct iree_dump *dump;

    (void)ctx;
    memset(bytes, 'I', 37);
    memcpy(bytes + 37, sample.bytes, sample.size);
    dump = iree_dump_read("late", bytes, 37 + sample.size);
    assert_int_equal(dump->problem_count, 1);
    assert_string_equal(dump->problems[0].text,
                        "late: offset 0: 37 bytes belong to no chunk and no profile");
    assert_int_equal(dump->rings[0].totals.records[IDB_WORKGROUP], 2);
    iree_dump_close(dump);
    free(bytes);
    free(sample.bytes);
}

static void a_ring_without_metadata_has_sites_without_names(void **ctx)
{
    struct sample sample = read_sample("plain.idb");
    struct iree_dump *dump = iree_dump_read("ring", sample.bytes + METADATA_BYTES,
                                            sample.size - METADATA_BYTES);

    (void)ctx;
    assert_int_equal(dump->problem_count, 1);
    assert_non_null(strstr(dump->problems[0].text, "no metadata chunk before it"));
    assert_int_equal(dump->rings[0].sites.sites.count, 2);
    iree_dump_close(dump);
    free(sample.bytes);
}

/* A writer of rings that records where each record was placed. */
enum { RING_BYTES = 4096, PLACED_MAX = 4096 };

struct writer {
    uint8_t content[RING_BYTES + 4096];
    uint64_t head;
    uint64_t placed[PLACED_MAX];
    size_t count;
    uint32_t seed;
};

static uint32_t draw(struct writer *writer, uint32_t below)
{
    writer->seed = writer->seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)writer->seed * below >> 32);
}

static uint64_t place(struct writer *writer, const void *bytes, uint64_t size)
{
    uint64_t offset = writer->head & (RING_BYTES - 1), used = (size + 15) / 16 * 16;

    memcpy(writer->content + offset, bytes, size);
    writer->placed[writer->count++] = writer->head;
    writer->head += used;
    return offset;
}

static uint64_t place_workgroup(struct writer *writer)
{
    uint8_t bytes[32] = {0};

    store_u32(bytes, draw(writer, 2) << 8);
    for (int i = 0; i < 3; i++) {
        uint32_t count = 1 + draw(writer, 9);

        store_u32(bytes + 4 + 4 * i, draw(writer, count));
        store_u32(bytes + 16 + 4 * i, count);
    }
    store_u32(bytes + 28, draw(writer, 8));
    return place(writer, bytes, sizeof(bytes));
}

static void place_entry(struct writer *writer, uint64_t owner)
{
    static const uint8_t tags[] = {IDB_PRINT, IDB_VALUE, IDB_LOAD, IDB_STORE};
    uint8_t bytes[64] = {0}, tag = tags[draw(writer, COUNT(tags))];
    uint64_t middle = 1 + draw(writer, 40);

    if (tag == IDB_VALUE)
        middle = draw(writer, IDB_VALUE_TYPES) | (uint64_t)draw(writer, 4) << 8;
    store_u64(bytes, tag | middle << 8 | owner << 24);
    for (int i = 8; i < 64; i++)
        bytes[i] = (uint8_t)draw(writer, 256);
    place(writer, bytes, tag == IDB_PRINT ? 8 + middle : 16);
}

/* Fills a ring up to about `laps` laps with interleaved workgroups. */
static void fill_ring(struct writer *writer, uint32_t seed, unsigned eighths)
{
    uint64_t owners[4];

    memset(writer, 0, sizeof(*writer));
    writer->seed = seed;
    for (size_t i = 0; i < COUNT(owners); i++)
        owners[i] = place_workgroup(writer);
    while (writer->head < (uint64_t)RING_BYTES / 8 * eighths) {
        size_t slot = draw(writer, COUNT(owners));

        if (draw(writer, 4) == 0)
            owners[slot] = place_workgroup(writer);
        else
            place_entry(writer, owners[slot]);
    }
    store_u64(writer->content + sizeof(writer->content) - 8, writer->head);
}

static void random_wrapped_rings_are_exact_except_for_the_doubtful_record(void **ctx)
{
    enum { RINGS = 1000 };
    struct writer *writer = xcalloc(1, sizeof(*writer));
    unsigned exact = 0;

    (void)ctx;
    for (uint32_t seed = 1; seed <= RINGS; seed++) {
        struct idb_record record;
        struct idb_ring ring;
        struct err err;
        size_t at = 0, read = 0, wrong = 0;

        fill_ring(writer, seed, 9 + seed % 20);
        assert_int_equal(
            idb_ring_open(&ring, writer->content, sizeof(writer->content), 2, &err), 0);
        while (writer->placed[at] < writer->head - RING_BYTES)
            at++;
        while (idb_ring_next(&ring, &record)) {
            assert_int_equal(record.is_doubtful, read++ == 0);
            if (record.is_doubtful && record.position != writer->placed[at]) {
                wrong++; /* the rest of an overwritten record looked like a record */
                continue;
            }
            for (; read == 2 && writer->placed[at] < record.position; at++)
                assert_true(wrong); /* the wrong record covers it */
            assert_true(at < writer->count);
            assert_int_equal(record.position, writer->placed[at++]);
        }
        assert_int_equal(at, writer->count);
        exact += wrong == 0;
        assert_int_equal(ring.totals.lost_bytes, writer->head - RING_BYTES);
    }
    assert_true(exact >= RINGS * 95 / 100);
    free(writer);
}

static void a_ring_that_never_wrapped_has_every_record(void **ctx)
{
    struct writer *writer = xcalloc(1, sizeof(*writer));

    (void)ctx;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        struct idb_record record;
        struct idb_ring ring;
        struct err err;
        size_t at = 0;

        fill_ring(writer, seed, 7);
        assert_int_equal(
            idb_ring_open(&ring, writer->content, sizeof(writer->content), 2, &err), 0);
        while (idb_ring_next(&ring, &record)) {
            assert_int_equal(record.position, writer->placed[at++]);
            assert_false(record.is_doubtful || record.is_lost);
        }
        assert_int_equal(at, writer->count);
        assert_int_equal(ring.totals.lost_bytes, 0);
    }
    free(writer);
}

static void an_entry_of_an_overwritten_workgroup_has_a_lost_owner(void **ctx)
{
    struct writer *writer = xcalloc(1, sizeof(*writer));
    uint8_t load[16] = {0};
    struct idb_record record = {0};
    struct idb_ring ring;
    struct err err;

    (void)ctx;
    fill_ring(writer, 3, 7);
    /* its offset lies after the head of this lap, where no record was written yet */
    store_u64(load, IDB_LOAD | 4 << 8 | (uint64_t)(RING_BYTES - 16) << 24);
    place(writer, load, sizeof(load));
    store_u64(writer->content + sizeof(writer->content) - 8, writer->head);
    assert_int_equal(
        idb_ring_open(&ring, writer->content, sizeof(writer->content), 2, &err), 0);
    while (idb_ring_next(&ring, &record))
        continue;
    assert_int_equal(record.kind, IDB_LOAD);
    assert_true(record.is_lost);
    assert_int_equal(ring.totals.lost_owners, 1);
    free(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_dump_gives_the_lines_of_the_shipped_tool),
        cmocka_unit_test(sites_have_counts_ranges_and_iterations),
        cmocka_unit_test(a_wrapped_ring_starts_at_its_oldest_whole_record),
        cmocka_unit_test(a_hole_is_counted_and_not_printed),
        cmocka_unit_test(every_value_type_is_extended_from_its_own_width),
        cmocka_unit_test(numbers_at_the_edges_of_half_precision_are_right),
        cmocka_unit_test(a_dump_cut_at_any_byte_reports_what_is_missing),
        cmocka_unit_test(every_flipped_bit_is_read_without_harm),
        cmocka_unit_test(an_error_names_the_file_the_offset_and_the_field),
        cmocka_unit_test(a_huge_length_of_a_chunk_is_an_error),
        cmocka_unit_test(a_chunk_whose_last_eight_bytes_are_zero_is_an_empty_ring),
        cmocka_unit_test(unknown_chunks_and_captures_are_skipped),
        cmocka_unit_test(a_dump_behind_damage_is_read),
        cmocka_unit_test(a_ring_without_metadata_has_sites_without_names),
        cmocka_unit_test(random_wrapped_rings_are_exact_except_for_the_doubtful_record),
        cmocka_unit_test(a_ring_that_never_wrapped_has_every_record),
        cmocka_unit_test(an_entry_of_an_overwritten_workgroup_has_a_lost_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
