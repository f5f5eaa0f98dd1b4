/* mstx_test.c - a listener receives the marks of each binary, by number and module
 *
 * This program is a listener itself: it exports InitInjectionMstx. */
#include <mstx/ms_tools_ext.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

enum { ROUNDS = 1000 };

static int inits, ranges, domains, regions;
static atomic_int marks;
static char last[64];
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int waiting; /* threads that are about to mark */

static void on_mark(const char *message, aclrtStream stream)
{
    (void)stream;
    marks++;
    pthread_mutex_lock(&last_lock);
    strncpy(last, message, sizeof(last) - 1);
    pthread_mutex_unlock(&last_lock);
}

static mstxRangeId on_range(const char *message, aclrtStream stream)
{
    (void)message;
    (void)stream;
    return (mstxRangeId)(40 + ++ranges);
}

static mstxDomainHandle_t on_domain(const char *name)
{
    (void)name;
    domains++;
    return (mstxDomainHandle_t)&domains;
}

static void on_regions(mstxDomainHandle_t domain,
                       mstxMemRegionsRegisterBatch_t const *batch)
{
    if (domain == (mstxDomainHandle_t)&domains)
        regions += (int)batch->regionCount;
}

static void put(mstxFuncTable table, unsigned int size, unsigned int number, void *ours)
{
    assert_true(number < size);
    memcpy(table[number], &ours, sizeof(ours));
}

int InitInjectionMstx(mstxGetModuleFuncTableFunc getFuncTable);
int InitInjectionMstx(mstxGetModuleFuncTableFunc getFuncTable)
{
    mstxFuncTable table;
    unsigned int size;

    inits++;
    /* Lets another thread that is about to mark run first. */
    for (int i = 0; i < ROUNDS && atomic_load(&waiting) > 0; i++)
        sched_yield();
    if (getFuncTable(MSTX_API_MODULE_SIZE, &table, &size) != MSTX_FAIL ||
        getFuncTable(MSTX_API_MODULE_CORE, &table, &size) != MSTX_SUCCESS)
        return MSTX_FAIL;
    put(table, size, MSTX_API_CORE_MARK_A, (void *)on_mark);
    put(table, size, MSTX_API_CORE_RANGE_START_A, (void *)on_range);
    getFuncTable(MSTX_API_MODULE_CORE_DOMAIN, &table, &size);
    put(table, size, MSTX_API_CORE_DOMAIN_CREATE_A, (void *)on_domain);
    getFuncTable(MSTX_API_MODULE_CORE_MEM, &table, &size);
    put(table, size, MSTX_API_CORE_MEM_REGIONS_REGISTER, (void *)on_regions);
    return MSTX_SUCCESS;
}

static void *mark_soon(void *arg)
{
    atomic_fetch_add(&waiting, 1);
    while (atomic_load(&waiting) < 2)
        sched_yield();
    mstxMarkA("soon", NULL);
    return arg;
}

/* Each thread sends a first mark, also while the mark of another thread registers the
 * listener. */
static void no_mark_is_lost_at_the_beginning(void **state)
{
    pthread_t threads[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mark_soon, NULL), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&waiting, 0);
    assert_int_equal(inits, 1);
    assert_int_equal(marks, 2);
}

static void calls_go_to_the_listener(void **state)
{
    mstxMemRegionsRegisterBatch_t batch = {.regionCount = 3};
    mstxDomainHandle_t domain;

    (void)state;
    mstxMarkA("hello", NULL);
    assert_int_equal(inits, 1);
    assert_string_equal(last, "hello");
    assert_int_equal(mstxRangeStartA("range", NULL), 41);
    mstxRangeEnd(41); /* the listener has no callback for it */
    domain = mstxDomainCreateA("here");
    assert_ptr_equal(domain, &domains);
    mstxMemRegionsRegister(domain, &batch);
    assert_int_equal(regions, 3);
    assert_null(mstxMemHeapRegister(domain, NULL));
    assert_int_equal(inits, 1);
}

/* The functions of the separate library have another context. */
static void another_binary_asks_for_itself(void **state)
{
    void (*mark)(const char *, aclrtStream);
    void *library = dlopen(MSTX_LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;

    (void)state;
    assert_non_null(library);
    found = dlsym(library, "mstxMarkA");
    assert_non_null(found);
    memcpy(&mark, &found, sizeof(found));
    marks = 0;
    mark("from there", NULL);
    assert_int_equal(inits, 2);
    assert_int_equal(marks, 1);
    assert_string_equal(last, "from there");
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_mark_is_lost_at_the_beginning),
        cmocka_unit_test(calls_go_to_the_listener),
        cmocka_unit_test(another_binary_asks_for_itself),
    };

    unsetenv("MSTX_INJECTION_PATH");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
