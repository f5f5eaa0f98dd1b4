/* mem_test.c - large blocks take few page faults, and keep their content */
#include "lib/base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum {
    PAGE = 4096,
    PAGES = 4096, /* 16 MiB */
    FEW = PAGES / 4,
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_own_malloc = true; /* the sanitizer's, without these settings */
#else
static const bool has_own_malloc = false;
#endif

static long faults(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

/* Returns true when the kernel gives large pages now, to a process that asks for them:
 * the setting may forbid them, and free memory may be in small pieces. */
static bool has_large_pages(void)
{
    size_t size = (size_t)PAGES * PAGE;
    char *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long before = faults();
    bool has;

    if (block == MAP_FAILED)
        return false;
    madvise(block, size, MADV_HUGEPAGE);
    memset(block, 1, size);
    has = faults() - before < FEW;
    munmap(block, size);
    return has;
}

/* Runs the function in a process of its own and fails when it returns false. */
static void check_alone(bool (*fn)(void))
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(fn() ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Blocks of 64 KiB, which come from the heap. */
static bool heap_takes_few_faults(void)
{
    long before;

    mem_disable_trim();
    mem_use_large_pages((size_t)2 * PAGES * PAGE);
    before = faults();
    for (int i = 0; i < PAGES / 16; i++)
        memset(xmalloc(16 * PAGE), 1, 16 * PAGE);
    return faults() - before < FEW;
}

static bool a_block_takes_few_faults(void)
{
    long before = faults();
    char *block = xregrow(NULL, 0, (size_t)PAGES * PAGE);

    memset(block, 1, (size_t)PAGES * PAGE);
    free(block);
    return faults() - before < FEW;
}

static void large_pages_save_faults(void **ctx)
{
    (void)ctx;
    if (has_own_malloc)
        SKIP("the sanitizers bring their own malloc; to run it: make check");
    if (!has_large_pages())
        SKIP("the kernel gives no large pages now; to run it: echo madvise | sudo tee "
             "/sys/kernel/mm/transparent_hugepage/enabled");
    check_alone(heap_takes_few_faults);
    check_alone(a_block_takes_few_faults);
}

/* From a few bytes through copied blocks to blocks that grow in place. */
static void a_block_keeps_its_content(void **ctx)
{
    size_t used = 0, room = 64;
    uint32_t *numbers = NULL;
    (void)ctx;
    for (; room <= ((size_t)24 << 20); room *= 4) {
        numbers = xregrow(numbers, used * sizeof(*numbers), room * sizeof(*numbers));
        for (; used < room; used++)
            numbers[used] = (uint32_t)used;
        for (size_t i = 0; i < room; i += 1 + i / 8)
            assert_int_equal(numbers[i], i);
    }
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_pages_save_faults),
        cmocka_unit_test(a_block_keeps_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
