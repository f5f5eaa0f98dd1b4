#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/unit.h"

void *AdumpGetDFXInfoAddrForDynamic(uint32_t space, uint64_t *atomicIndex);
void *AdumpGetDFXInfoAddrForStatic(uint32_t space, uint64_t *atomicIndex);
void *AdumpGetSizeInfoAddr(uint32_t space, uint32_t *atomicIndex);

enum { THREADS = 4, PIECES = 1000, WORDS = 16 };

/* Each thread fills its pieces and checks that no other thread changed them. All pieces
 * together are smaller than the ring. */
static void *fill(void *arg)
{
    uint64_t *pieces[PIECES], index;
    intptr_t foreign_words = 0;

    for (int i = 0; i < PIECES; i++) {
        pieces[i] = AdumpGetDFXInfoAddrForDynamic(WORDS, &index);
        for (int w = 0; w < WORDS; w++)
            pieces[i][w] = (uintptr_t)arg << 32 | index;
    }
    for (int i = 0; i < PIECES; i++)
        for (int w = 1; w < WORDS; w++)
            foreign_words += pieces[i][w] != pieces[i][0];
    return (void *)foreign_words;
}

static void each_caller_has_a_piece_of_its_own(void **state)
{
    pthread_t threads[THREADS];
    uint64_t index;
    void *foreign_words;

    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fill, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &foreign_words);
        assert_null(foreign_words);
    }
    assert_non_null(AdumpGetDFXInfoAddrForDynamic(1, &index));
    assert_int_equal(index, THREADS * PIECES); /* no piece was reserved twice */
}

static void a_piece_is_never_cut_in_two(void **state)
{
    uint64_t *first, *at, index, before;
    uint32_t size = 1u << 17;

    (void)state;
    first = AdumpGetDFXInfoAddrForStatic(size - 4, &before);
    assert_non_null(first);
    at = AdumpGetDFXInfoAddrForStatic(8, &index); /* four words are left */
    assert_ptr_equal(at, first);
    assert_int_equal(index, before + 1);
    assert_null(AdumpGetDFXInfoAddrForStatic(size + 1, &index));
    assert_null(AdumpGetDFXInfoAddrForStatic(0, &index));
    assert_null(AdumpGetDFXInfoAddrForStatic(8, NULL));
}

static void the_older_name_has_a_shorter_number(void **state)
{
    uint32_t one, two;

    (void)state;
    assert_non_null(AdumpGetSizeInfoAddr(4, &one));
    assert_non_null(AdumpGetSizeInfoAddr(4, &two));
    assert_int_equal(two, one + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_caller_has_a_piece_of_its_own),
        cmocka_unit_test(a_piece_is_never_cut_in_two),
        cmocka_unit_test(the_older_name_has_a_shorter_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
