#include "worker/host/card_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void each_card_of_the_host_has_its_model(void **ctx)
{
    char model[CARD_MODEL_BYTES];
    struct err err;

    (void)ctx;
    setenv("NPU_SIM_CARDS", "2", 1);
    setenv("NPU_SIM_SOC", "Ascend910_9391", 1);
    for (uint32_t card = 0; card < 2; card++) {
        assert_int_equal(card_model_find(model, SIM_LIBRARIES, card, &err), 0);
        assert_string_equal(model, "Ascend910_9391");
    }
    assert_int_equal(card_model_find(model, SIM_LIBRARIES, 2, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_string_equal(model, "");
}

/* The library gives names with and without their first word. */
static void the_management_library_answers_without_the_driver(void **ctx)
{
    char model[CARD_MODEL_BYTES], folder[] = "/tmp/muster-model-XXXXXX", link[64];
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof(link), "%s/libdcmi.so", folder);
    assert_int_equal(symlink(FAKE_DCMI, link), 0);
    assert_int_equal(card_model_find(model, folder, 0, &err), 0);
    assert_string_equal(model, "Ascend910B4");
    assert_int_equal(card_model_find(model, folder, 1, &err), 0);
    assert_string_equal(model, "Ascend910B4-1");
    assert_int_equal(card_model_find(model, folder, 2, &err), -1);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_host_without_a_driver_has_no_model(void **ctx)
{
    char model[CARD_MODEL_BYTES];
    struct err err;

    (void)ctx;
    assert_int_equal(card_model_find(model, "/nowhere", 0, &err), -1);
    assert_string_equal(err.text, "no library of the driver reports the model of card "
                                  "0; pass --model");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_card_of_the_host_has_its_model),
        cmocka_unit_test(the_management_library_answers_without_the_driver),
        cmocka_unit_test(a_host_without_a_driver_has_no_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
