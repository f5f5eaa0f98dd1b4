/* mc2_test.c - copies the steps of an MC2 operator and issues them again */
#include "inject/program/mc2.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

/* rtAicpuArgsEx_t of a new runtime. */
struct args_ex {
    void *args;
    void *holders, *offsets;
    uint32_t args_bytes;
    uint16_t holder_count, offset_count;
    uint32_t library_at, kernel_at;
    uint8_t on_device, pad;
    uint16_t timeout;
    uint32_t rest;
};
_Static_assert(sizeof(struct args_ex) == 48, "as the runtime has it");

static char main_stream, server_stream, other_stream, notify, comm_handle, context;
static char log_text[256], server_args[64], server_op[64];

static int log_wait(void *which, void *stream, uint32_t timeout_s)
{
    assert_ptr_equal(which, &notify);
    assert_ptr_equal(stream, &server_stream);
    assert_int_equal(timeout_s, UINT32_MAX);
    strcat(log_text, "wait ");
    return 0;
}

static int log_record(void *which, void *stream)
{
    assert_ptr_equal(which, &notify);
    assert_ptr_equal(stream, &main_stream);
    strcat(log_text, "record ");
    return 0;
}

static int log_server(uint32_t type,
                      const char *op,
                      uint32_t blocks,
                      const void *args,
                      void *l2_plan,
                      void *stream,
                      uint32_t flags)
{
    const struct args_ex *ex = args;

    assert_int_equal(type, 5);
    assert_int_equal(blocks, 3);
    assert_int_equal(flags, 0x100);
    assert_null(l2_plan);
    assert_ptr_equal(stream, &server_stream);
    assert_true(ex->args_bytes <= sizeof(server_args));
    memcpy(server_args, ex->args, ex->args_bytes);
    snprintf(server_op, sizeof(server_op), "%s", op);
    strcat(log_text, "server ");
    return 0;
}

static const struct mc2_calls calls = {log_wait, log_record, log_server};

static int start(void **ctx)
{
    struct comm comm = {.handle = &comm_handle, .name = "world", .ranks = 2};

    (void)ctx;
    log_text[0] = '\0';
    comms_reset();
    mc2_reset();
    comm_add(&comm, 1, &comm);
    return 0;
}

static void request_communicator(void)
{
    struct comm comm;

    assert_true(comm_get(&comm_handle, &comm));
    mc2_on_group(&comm);
    comm_set_context(&comm_handle, &context);
    mc2_on_context(&comm_handle, &context);
    comm_set_server(&comm_handle, &server_stream, NULL, 0);
}

/* The library's memory is invalid after the call. */
static void queue_aicpu_kernel(uint8_t on_device)
{
    char text[] = "descriptor libccl_kernel.so";
    struct args_ex ex = {
        .args = text,
        .args_bytes = sizeof(text),
        .on_device = on_device,
    };
    struct mc2_server call = {
        .type = 5,
        .blocks = 3,
        .flags = 0x100,
        .args = &ex,
        .stream = &server_stream,
    };

    snprintf(call.op, sizeof(call.op), "MatmulAllReduceMc2AicpuKernel");
    mc2_on_notify(MC2_WAIT, &notify, &server_stream, UINT32_MAX);
    mc2_on_notify(MC2_RECORD, &notify, &main_stream, 0);
    mc2_on_server(&call, sizeof(ex));
    memset(text, '#', sizeof(text));
    memset(&ex, 0xff, sizeof(ex));
}

static const struct mc2 *take_from(void *stream)
{
    void *words[] = {&context, NULL};

    return mc2_take(0, stream, words, sizeof(words));
}

static void the_aicpu_kernel_is_issued_again_in_order(void **ctx)
{
    const struct mc2 *mc2;

    (void)ctx;
    request_communicator();
    queue_aicpu_kernel(0);
    mc2 = take_from(&main_stream);
    assert_non_null(mc2);
    assert_int_equal(mc2->kind, MC2_SERVED);
    assert_true(mc2->whole);
    assert_int_equal(mc2->group_count, 1);
    assert_ptr_equal(mc2->groups[0].handle, &comm_handle);
    for (int i = 0; i < 3; i++)
        assert_int_equal(mc2_issue(mc2, &calls), 0);
    assert_string_equal(log_text, "wait record server "
                                  "wait record server wait record server ");
    assert_string_equal(server_args, "descriptor libccl_kernel.so");
    assert_string_equal(server_op, "MatmulAllReduceMc2AicpuKernel");
}

static void steps_belong_to_one_kernel_only(void **ctx)
{
    (void)ctx;
    request_communicator();
    queue_aicpu_kernel(0);
    assert_null(
        mc2_take(0, &other_stream, NULL, 0)); /* not ordered after this stream */
    assert_non_null(take_from(&main_stream));
    assert_null(mc2_take(0, &main_stream, NULL, 0));
}

static void an_unrelated_aicpu_task_discards_the_steps(void **ctx)
{
    (void)ctx;
    request_communicator();
    queue_aicpu_kernel(0);
    mc2_on_other_server();
    assert_null(mc2_take(0, &main_stream, NULL, 0));
}

/* The library requested the communicator earlier and cached it. */
static void a_cached_communicator_is_found_by_its_stream(void **ctx)
{
    const struct mc2 *mc2;

    (void)ctx;
    comm_set_server(&comm_handle, &server_stream, NULL, 0);
    queue_aicpu_kernel(0);
    mc2 = mc2_take(0, &main_stream, NULL, 0);
    assert_non_null(mc2);
    assert_int_equal(mc2->group_count, 1);
    assert_ptr_equal(mc2->groups[0].handle, &comm_handle);
}

static void a_kernel_with_a_context_argument_has_no_aicpu_kernel(void **ctx)
{
    const struct mc2 *mc2;
    void *others[] = {&notify, NULL};

    (void)ctx;
    request_communicator();
    mc2 = take_from(&main_stream);
    assert_non_null(mc2);
    assert_int_equal(mc2->kind, MC2_WINDOWS);
    assert_int_equal(mc2->step_count, 0);
    /* The library cached the context and requests nothing for the second kernel. */
    mc2 = take_from(&main_stream);
    assert_non_null(mc2);
    assert_int_equal(mc2->kind, MC2_WINDOWS);
    assert_ptr_equal(mc2->groups[0].handle, &comm_handle);
    /* The context was requested, but it is no argument of this kernel. */
    request_communicator();
    assert_null(mc2_take(0, &main_stream, others, sizeof(others)));
    assert_null(mc2_take(0, &main_stream, NULL, 0));
    /* The host cannot read the arguments, so the latest request counts. */
    request_communicator();
    assert_non_null(mc2_take(0, &main_stream, NULL, 0));
}

static void steps_that_cannot_be_copied_are_not_replayed(void **ctx)
{
    const struct mc2 *mc2;

    (void)ctx;
    request_communicator();
    queue_aicpu_kernel(1);
    mc2 = take_from(&main_stream);
    assert_non_null(mc2);
    assert_false(mc2->whole);

    request_communicator();
    for (int i = 0; i < 2 * MC2_STEPS_MAX; i++)
        mc2_on_notify(MC2_WAIT, &notify, &server_stream, UINT32_MAX);
    queue_aicpu_kernel(0);
    mc2 = mc2_take(0, &main_stream, NULL, 0);
    assert_non_null(mc2);
    assert_false(mc2->whole);
    assert_int_equal(mc2->step_count, MC2_STEPS_MAX);
}

static void *take_in_thread(void *arg)
{
    (void)arg;
    return (void *)mc2_take(0, &main_stream, NULL, 0);
}

static void steps_of_one_thread_are_not_visible_to_another(void **ctx)
{
    pthread_t thread;
    void *taken = &thread;

    (void)ctx;
    request_communicator();
    queue_aicpu_kernel(0);
    assert_int_equal(pthread_create(&thread, NULL, take_in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &taken), 0);
    assert_null(taken);
    assert_non_null(take_from(&main_stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_aicpu_kernel_is_issued_again_in_order, start),
        cmocka_unit_test_setup(steps_belong_to_one_kernel_only, start),
        cmocka_unit_test_setup(an_unrelated_aicpu_task_discards_the_steps, start),
        cmocka_unit_test_setup(a_cached_communicator_is_found_by_its_stream, start),
        cmocka_unit_test_setup(a_kernel_with_a_context_argument_has_no_aicpu_kernel,
                               start),
        cmocka_unit_test_setup(steps_that_cannot_be_copied_are_not_replayed, start),
        cmocka_unit_test_setup(steps_of_one_thread_are_not_visible_to_another, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
