#include "inject/program/kernel_images.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/support/unit.h"

static int a, b, function, stub; /* handles */

static void memory_is_copied_and_found_by_related_handles(void **ctx)
{
    char bytes[] = "a binary";
    struct kernel_image image, again;

    (void)ctx;
    kernel_image_put(&a, bytes, sizeof(bytes), false);
    kernel_image_put_part(&a, &function);
    kernel_image_put_part(&function, &stub);
    memset(bytes, 'x', sizeof(bytes));
    assert_true(kernel_image_get(&a, &image));
    assert_int_equal(image.size, sizeof(bytes));
    assert_string_equal(image.bytes, "a binary");
    assert_true(kernel_image_get(&stub, &again));
    assert_ptr_equal(again.bytes, image.bytes);
    assert_true(again.hash == image.hash && image.hash != 0);
    assert_false(kernel_image_get(&b, &image));
    kernel_image_drop(&a);
    assert_false(kernel_image_get(&a, &image));
    assert_false(kernel_image_get(&stub, &image));
}

static void a_reused_handle_returns_the_latest_bytes(void **ctx)
{
    struct kernel_image image;

    (void)ctx;
    kernel_image_put(&a, "one", 4, false);
    kernel_image_put_part(&a, &function);
    kernel_image_put(&b, "other", 6, false);
    kernel_image_put(&a, "two", 4, false);
    assert_true(kernel_image_get(&function, &image));
    assert_string_equal(image.bytes, "two");
    kernel_image_put_part(&b, &function);
    assert_true(kernel_image_get(&function, &image));
    assert_string_equal(image.bytes, "other");
    kernel_image_drop(&a);
    kernel_image_drop(&b);
}

static void a_mapping_is_unmapped_with_its_binary(void **ctx)
{
    void *bytes =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct kernel_image image;

    (void)ctx;
    assert_true(bytes != MAP_FAILED);
    kernel_image_put(&a, bytes, 4096, true);
    assert_true(kernel_image_get(&a, &image));
    assert_ptr_equal(image.bytes, bytes);
    kernel_image_drop(&a);
    assert_int_not_equal(msync(bytes, 4096, MS_ASYNC), 0); /* unmapped */
}

static void tables_have_a_maximum_size(void **ctx)
{
    static char handles[3000], parts[20000];
    struct kernel_image image;
    size_t found = 0;

    (void)ctx;
    for (size_t i = 0; i < sizeof(handles); i++)
        kernel_image_put(&handles[i], "x", 2, false);
    for (size_t i = 0; i < sizeof(parts); i++)
        kernel_image_put_part(&handles[0], &parts[i]);
    for (size_t i = 0; i < sizeof(handles); i++) {
        found += kernel_image_get(&handles[i], &image);
        kernel_image_drop(&handles[i]);
    }
    assert_in_range(found, 1, sizeof(handles) - 1);
    kernel_image_put(&a, "y", 2, false);
    assert_true(kernel_image_get(&a, &image));
    kernel_image_drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_copied_and_found_by_related_handles),
        cmocka_unit_test(a_reused_handle_returns_the_latest_bytes),
        cmocka_unit_test(a_mapping_is_unmapped_with_its_binary),
        cmocka_unit_test(tables_have_a_maximum_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
