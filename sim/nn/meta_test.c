#include <aclnn/acl_meta.h>
#include <aclnn/aclnn_base.h>
#include <stdlib.h>

#include "tests/support/unit.h"

static void tensor_queries_return_what_was_set(void **ctx)
{
    const int64_t dims[3] = {2, 3, 4}, negative[1] = {-1}, huge[2] = {INT64_MAX, 3};
    int64_t *shape;
    uint64_t count;
    void *address;
    aclTensor *tensor =
        aclCreateTensor(dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, &count);

    (void)ctx;
    assert_int_equal(aclGetViewShape(tensor, &shape, &count), 0);
    assert_int_equal(count, 3);
    assert_memory_equal(shape, dims, sizeof(dims));
    free(shape);
    assert_int_equal(aclGetRawTensorAddr(tensor, &address), 0);
    assert_ptr_equal(address, &count);
    assert_int_equal(aclDestroyTensor(tensor), 0);
    assert_null(aclCreateTensor(negative, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1,
                                &count));
    assert_null(
        aclCreateTensor(huge, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, &count));
    assert_null(
        aclCreateTensor(dims, 99, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 1, &count));
    assert_null(aclCreateTensor(dims, 1, (aclDataType)999, NULL, 0, ACL_FORMAT_ND, dims,
                                1, &count));
    assert_int_equal(aclDestroyTensor(NULL), ACLNN_ERR_PARAM_NULLPTR);
}

static void tensor_lists_own_tensors_and_number_lists_copy(void **ctx)
{
    const int64_t dims[1] = {2};
    const aclTensor *tensors[2];
    aclTensorList *list;
    aclIntArray *array;
    aclScalar *scalar;
    float value = 3;

    (void)ctx;
    for (int i = 0; i < 2; i++)
        tensors[i] = aclCreateTensor(dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims,
                                     1, &value);
    list = aclCreateTensorList(tensors, 2);
    array = aclCreateIntArray(dims, 1);
    scalar = aclCreateScalar(&value, ACL_FLOAT);
    assert_true(list && array && scalar);
    assert_int_equal(aclDestroyTensorList(list), 0);
    assert_int_equal(aclDestroyIntArray(array), 0);
    assert_int_equal(aclDestroyScalar(scalar), 0);
    assert_null(aclCreateIntArray(NULL, 1));
    assert_null(aclCreateScalar(NULL, ACL_FLOAT));
    assert_null(aclCreateTensorList(NULL, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_queries_return_what_was_set),
        cmocka_unit_test(tensor_lists_own_tensors_and_number_lists_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
