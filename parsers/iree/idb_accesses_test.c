#include "parsers/iree/idb_accesses.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { SITE = 3 };

static int setup(void **ctx)
{
    struct idb_accesses *accesses = xcalloc(1, sizeof(*accesses));

    idb_accesses_init(accesses);
    *ctx = accesses;
    return 0;
}

static int teardown(void **ctx)
{
    idb_accesses_clear(*ctx);
    free(*ctx);
    return 0;
}

static void
begin(struct idb_accesses *accesses, uint64_t owner, uint32_t id, uint32_t iteration)
{
    const struct idb_record record = {.kind = IDB_WORKGROUP, .owner = owner};

    idb_accesses_begin(accesses, &record, id, iteration);
}

static void add(struct idb_accesses *accesses,
                struct idb_access_sums *sums,
                enum idb_kind kind,
                uint64_t owner,
                uint64_t address,
                uint32_t bytes)
{
    const struct idb_record record = {
        .kind = kind, .owner = owner, .site = SITE, .address = address, .bytes = bytes};

    idb_accesses_add(accesses, sums, &record);
}

static uint64_t conflicts(struct idb_accesses *accesses)
{
    const struct idb_conflicts *row;

    idb_accesses_finish(accesses);
    row = idb_accesses_conflicts(accesses, SITE);
    return row ? row->count : 0;
}

static bool is_unknown(const struct idb_accesses *accesses)
{
    const struct idb_conflicts *row = idb_accesses_conflicts(accesses, SITE);

    return row && row->is_unknown;
}

static void a_cache_line_is_counted_once(void **ctx)
{
    struct idb_access_sums sums = {0}, other = {0};

    begin(*ctx, 0, 0, 1);
    add(*ctx, &sums, IDB_LOAD, 0, 0, 4);
    add(*ctx, &sums, IDB_LOAD, 0, 60, 4);
    assert_int_equal(sums.lines, 1);
    add(*ctx, &sums, IDB_STORE, 0, 62, 4); /* two lines */
    assert_int_equal(sums.lines, 2);
    add(*ctx, &sums, IDB_LOAD, 0, 1000, 129); /* three lines: 15, 16 and 17 */
    assert_int_equal(sums.lines, 5);
    add(*ctx, &sums, IDB_LOAD, 0, 0, 1);
    add(*ctx, &sums, IDB_LOAD, 0, UINT64_MAX, 16); /* ends behind the last address */
    assert_int_equal(sums.lines, 6);
    assert_int_equal(other.lines, 0);
}

static void strides_are_those_of_one_workgroup(void **ctx)
{
    static const struct {
        enum idb_kind kind;
        uint64_t count;
        int64_t min, max;
    } expected[] = {
        {IDB_LOAD, 3, 4, 6},
        {IDB_STORE, 1, -256, -256},
        {IDB_LOAD, 1, 0, 0},
    };
    struct idb_accesses *accesses = *ctx;
    struct idb_access_sums sums = {0};

    begin(accesses, 0, 0, 1);
    begin(accesses, 32, 1, 1);
    add(accesses, &sums, IDB_LOAD, 0, 1000, 4);
    add(accesses, &sums, IDB_LOAD, 32, 5000, 4); /* the other workgroup */
    add(accesses, &sums, IDB_LOAD, 0, 1004, 4);
    add(accesses, &sums, IDB_STORE, 0, 9000, 4); /* not a load */
    add(accesses, &sums, IDB_LOAD, 32, 5006, 4);
    add(accesses, &sums, IDB_LOAD, 0, 1008, 4);
    add(accesses, &sums, IDB_STORE, 0, 8744, 4);
    add(accesses, &sums, IDB_LOAD, 0, 1008, 4);
    begin(accesses, 0, 0, 2); /* the next workgroup at the same place of the ring */
    add(accesses, &sums, IDB_LOAD, 0, 7, 4);
    assert_int_equal(accesses->strides.count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < accesses->strides.count; i++) {
        const struct idb_strides *row = idb_accesses_strides(accesses, i);

        assert_int_equal(row->site, SITE);
        assert_int_equal(row->kind, expected[i].kind);
        assert_int_equal(row->count, expected[i].count);
        assert_int_equal(row->min, expected[i].min);
        assert_int_equal(row->max, expected[i].max);
    }
}

static void stores_of_two_workgroups_of_an_iteration_conflict(void **ctx)
{
    struct idb_access_sums sums = {0};

    begin(*ctx, 0, 0, 1);
    begin(*ctx, 32, 1, 1);
    add(*ctx, &sums, IDB_STORE, 0, 100, 4);
    add(*ctx, &sums, IDB_STORE, 0, 100, 4); /* the same workgroup */
    add(*ctx, &sums, IDB_STORE, 32, 104, 4);
    assert_int_equal(conflicts(*ctx), 0);
    add(*ctx, &sums, IDB_STORE, 32, 100, 4);
    add(*ctx, &sums, IDB_STORE, 0, 104, 4);
    assert_int_equal(conflicts(*ctx), 2);
    assert_int_equal(idb_accesses_conflicts(*ctx, SITE)->address, 100);
    begin(*ctx, 64, 1, 2); /* the next iteration writes its results again */
    add(*ctx, &sums, IDB_STORE, 64, 100, 4);
    assert_int_equal(conflicts(*ctx), 2);
    assert_false(is_unknown(*ctx));
}

static void a_workgroup_without_iteration_has_no_conflicts(void **ctx)
{
    struct idb_access_sums sums = {0};

    begin(*ctx, 0, 0, 0);
    add(*ctx, &sums, IDB_LOAD, 0, 100, 4);
    assert_false(is_unknown(*ctx));
    add(*ctx, &sums, IDB_STORE, 0, 100, 4);
    assert_true(is_unknown(*ctx));
}

static void an_access_without_its_workgroup_has_no_stride(void **ctx)
{
    struct idb_accesses *accesses = *ctx;
    struct idb_access_sums sums = {0};

    add(accesses, &sums, IDB_LOAD, 0, 100, 4);
    begin(accesses, 0, 0, 1);
    begin(accesses, 4096 * 16, 1, 1); /* takes the place of the first */
    add(accesses, &sums, IDB_STORE, 0, 100, 4);
    add(accesses, &sums, IDB_STORE, 0, 104, 4);
    assert_int_equal(accesses->strides.count, 0);
    assert_true(is_unknown(*ctx));
}

/* The tables stay within their limits, and then a site has no number. */
static void a_full_table_gives_no_number(void **ctx)
{
    enum { PAGES = 1 << 17, PAGE_BYTES = 512 * IDB_LINE_BYTES, STORES = 1 << 20 };
    struct idb_accesses *accesses = *ctx;
    struct idb_access_sums sums = {0}, later = {0};

    begin(accesses, 0, 0, 1);
    for (uint64_t i = 0; i < PAGES; i++)
        add(accesses, &sums, IDB_LOAD, 0, i * PAGE_BYTES, 4);
    assert_int_equal(sums.lines, PAGES);
    assert_false(sums.has_no_lines);
    add(accesses, &sums, IDB_LOAD, 0, (uint64_t)PAGES * PAGE_BYTES, 4);
    assert_true(sums.has_no_lines);
    add(accesses, &later, IDB_LOAD, 0, 64, 4); /* a known page */
    assert_int_equal(later.lines, 1);
    for (uint64_t i = 0; i < STORES; i++)
        add(accesses, &later, IDB_STORE, 0, 4 * i, 4);
    assert_false(later.has_no_lines);
    assert_int_equal(conflicts(accesses), 0);
    assert_true(is_unknown(accesses));
    assert_int_equal(accesses->store_count, STORES / 4 * 3);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_cache_line_is_counted_once),
        CASE(strides_are_those_of_one_workgroup),
        CASE(stores_of_two_workgroups_of_an_iteration_conflict),
        CASE(a_workgroup_without_iteration_has_no_conflicts),
        CASE(an_access_without_its_workgroup_has_no_stride),
        CASE(a_full_table_gives_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
