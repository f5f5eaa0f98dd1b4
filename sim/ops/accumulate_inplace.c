/* accumulate_inplace.c - output += input: an operator that changes its input
 *
 * A profiler that repeats a launch must restore the output first. Otherwise the sum is
 * wrong, and this program reports it. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* the kernel's arguments; the runtime replaces the placeholder by the address of count
 */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count;
    uint32_t pad;
};

int main(int argc, char **argv)
{
    uint32_t n = 16384, blocks = 8, launches = 1;
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 26, "elements"},
        {"--blocks", &blocks, 1, 4096, "blocks per launch"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments;
    struct program program;
    size_t size, wrong = 0;
    float *input, *output;
    char shape[64];
    int code;

    (void)argc;
    program_options("accumulate_inplace", "output += input", rows,
                    sizeof(rows) / sizeof(rows[0]), argv);
    size = n * sizeof(float);
    input = program_alloc(size);
    output = program_alloc(size);
    for (uint32_t i = 0; i < n; i++) {
        input[i] = program_value(3, i);
        output[i] = program_value(4, i);
    }
    program_open(&program, "accumulate_inplace");
    arguments = (struct arguments){program_upload(input, size),
                                   program_upload(output, size), NULL, n, 0};
    for (uint32_t i = 0; i < launches; i++)
        CHECK(aclrtLaunchKernelWithHostArgs(program.function, blocks, program.stream,
                                            NULL, &arguments, sizeof(arguments),
                                            &holder, 1));
    CHECK(aclrtSynchronizeStream(program.stream));
    program_download(output, arguments.output, size);
    for (uint32_t i = 0; i < n; i++) {
        float expected = program_value(4, i);

        for (uint32_t k = 0; k < launches; k++)
            expected += input[i];
        wrong += output[i] != expected;
    }
    CHECK(aclrtFree(arguments.input));
    CHECK(aclrtFree(arguments.output));
    program_close(&program);
    snprintf(shape, sizeof(shape), "n=%u launches=%u", n, launches);
    code = program_result("accumulate_inplace", shape, output, size, wrong);
    free(input);
    free(output);
    return code;
}
