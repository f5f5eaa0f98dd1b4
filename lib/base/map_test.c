#include "lib/base/map.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static char values[1000];

static void an_entry_is_found_until_it_is_removed(void **ctx)
{
    struct map *map = map_create();

    (void)ctx;
    assert_null(map_get(map, "a"));
    assert_null(map_remove(map, "a"));
    assert_null(map_put(map, "a", &values[0]));
    assert_ptr_equal(map_put(map, "a", &values[1]), &values[0]);
    assert_int_equal(map_count(map), 1);
    assert_ptr_equal(map_get(map, "a"), &values[1]);
    assert_null(map_get(map, ""));
    assert_null(map_put(map, "", &values[2]));
    assert_ptr_equal(map_get(map, ""), &values[2]);
    assert_ptr_equal(map_remove(map, "a"), &values[1]);
    assert_null(map_get(map, "a"));
    assert_int_equal(map_count(map), 1);
    map_destroy(map);
    map_destroy(NULL);
}

static void keys_are_copied(void **ctx)
{
    struct map *map = map_create();
    char key[] = "key";

    (void)ctx;
    map_put(map, key, &values[0]);
    key[0] = 'K';
    assert_ptr_equal(map_get(map, "key"), &values[0]);
    assert_null(map_get(map, key));
    map_destroy(map);
}

/* Compares the map with a plain array through many changes. */
static void many_entries_can_be_added_and_removed(void **ctx)
{
    struct map *map = map_create();
    bool in[1000] = {false};
    size_t count = 0;
    uint64_t state = 12345;

    (void)ctx;
    for (int step = 0; step < 50000; step++) {
        char key[16];

        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t n = (state >> 33) % 1000;
        snprintf(key, sizeof(key), "key%zu", n);
        if (state >> 62) {
            assert_ptr_equal(map_put(map, key, &values[n]), in[n] ? &values[n] : NULL);
            count += !in[n];
            in[n] = true;
        } else {
            assert_ptr_equal(map_remove(map, key), in[n] ? &values[n] : NULL);
            count -= in[n];
            in[n] = false;
        }
        assert_int_equal(map_count(map), count);
    }
    for (size_t n = 0; n < 1000; n++) {
        char key[16];

        snprintf(key, sizeof(key), "key%zu", n);
        assert_ptr_equal(map_get(map, key), in[n] ? &values[n] : NULL);
    }
    map_destroy(map);
}

static void an_iteration_returns_each_entry_once(void **ctx)
{
    struct map *map = map_create();
    bool seen[100] = {false};
    size_t cursor = 0, count = 0;
    const char *key;
    void *value;

    (void)ctx;
    for (size_t n = 0; n < 100; n++) {
        char name[16];

        snprintf(name, sizeof(name), "%zu", n);
        map_put(map, name, &values[n]);
    }
    while (map_next(map, &cursor, &key, &value)) {
        size_t n = (size_t)((char *)value - values);

        assert_false(seen[n]);
        seen[n] = true;
        count++;
    }
    assert_int_equal(count, 100);
    map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_found_until_it_is_removed),
        cmocka_unit_test(keys_are_copied),
        cmocka_unit_test(many_entries_can_be_added_and_removed),
        cmocka_unit_test(an_iteration_returns_each_entry_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
