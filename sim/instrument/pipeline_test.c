#include "sim/instrument/pipeline.h"

#include "tests/support/unit.h"

static void expect(struct pipeline_time time, uint64_t start, uint64_t end)
{
    assert_int_equal(time.start, start);
    assert_int_equal(time.end, end);
}

static void pipes_run_in_parallel_and_each_in_order(void **ctx)
{
    struct pipeline pipes;

    (void)ctx;
    pipeline_init(&pipes, 100);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_MTE2, 50), 100, 150);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_VECTOR, 10), 101, 111);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_MTE2, 5), 150, 155);
    assert_int_equal(pipeline_end(&pipes), 155);
}

static void a_scalar_instruction_delays_later_instructions(void **ctx)
{
    struct pipeline pipes;

    (void)ctx;
    pipeline_init(&pipes, 0);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_SCALAR, 20), 0, 20);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_CUBE, 3), 20, 23);
}

static void a_flag_makes_one_pipe_wait_for_another(void **ctx)
{
    const enum npu_sim_pipe from = NPU_SIM_PIPE_MTE2, to = NPU_SIM_PIPE_VECTOR;
    struct pipeline pipes;

    (void)ctx;
    pipeline_init(&pipes, 0);
    pipeline_run(&pipes, from, 50);
    expect(pipeline_flag(&pipes, 0, from, to, 3), 50, 51);
    expect(pipeline_flag(&pipes, 1, from, to, 3), 2, 52);
    expect(pipeline_run(&pipes, to, 10), 52, 62);
    /* another flag was never set */
    expect(pipeline_flag(&pipes, 1, from, to, 4), 62, 63);
}

static void a_barrier_waits_for_all_pipes(void **ctx)
{
    struct pipeline pipes;

    (void)ctx;
    pipeline_init(&pipes, 0);
    pipeline_run(&pipes, NPU_SIM_PIPE_MTE2, 50);
    pipeline_run(&pipes, NPU_SIM_PIPE_CUBE, 70);
    expect(pipeline_barrier(&pipes), 2, 72);
    expect(pipeline_run(&pipes, NPU_SIM_PIPE_SCALAR, 1), 72, 73);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes_run_in_parallel_and_each_in_order),
        cmocka_unit_test(a_scalar_instruction_delays_later_instructions),
        cmocka_unit_test(a_barrier_waits_for_all_pipes),
        cmocka_unit_test(a_flag_makes_one_pipe_wait_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
