/* hash_map_test.c - adds, finds and removes while the table grows */
#include "xpti/dispatcher/hash_map.h"

#include "tests/support/unit.h"

enum { ENTRIES = 1000 };

struct item {
    struct hash_entry entry; /* first */
    uint64_t key;
};

static size_t dropped;

static bool is_item(const struct hash_entry *entry, const void *key)
{
    return ((const struct item *)entry)->key == *(const uint64_t *)key;
}

static struct hash_entry *find(const struct hash_map *map, uint64_t key)
{
    return hash_map_find(map, hash_number(key) & 7, is_item, &key);
}

static void count_drop(struct hash_entry *entry)
{
    (void)entry;
    dropped++;
}

static void entries_with_equal_hashes_are_told_apart(void **ctx)
{
    static struct item items[ENTRIES];
    struct hash_map map = {0};

    (void)ctx;
    assert_null(find(&map, 1));
    for (uint64_t i = 0; i < ENTRIES; i++) {
        items[i].key = i;
        items[i].entry.hash = hash_number(i) & 7;
        assert_true(hash_map_add(&map, &items[i].entry));
    }
    for (uint64_t i = 0; i < ENTRIES; i += 2)
        hash_map_remove(&map, &items[i].entry);
    for (uint64_t i = 0; i < ENTRIES; i++)
        assert_ptr_equal(find(&map, i), i % 2 ? &items[i].entry : NULL);
    assert_int_equal(map.count, ENTRIES / 2);
    hash_map_clear(&map, count_drop);
    assert_int_equal(dropped, ENTRIES / 2);
    assert_null(find(&map, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_with_equal_hashes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
