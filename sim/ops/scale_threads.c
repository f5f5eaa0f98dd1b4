/* scale_threads.c - data *= factor, one element per thread: an operator for the 950 */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

struct args {
    void *data;
    uint64_t count;
    float factor;
};

int main(int argc, char **argv)
{
    uint32_t n = 1024, threads = 128, launches = 1;
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 20, "elements"},
        {"--threads", &threads, 1, 1024, "threads per block"},
        {"--launches", &launches, 1, 8, "number of launches, each of which scales"},
    };
    struct program program;
    struct args args = {.factor = 2};
    size_t size, wrong = 0;
    float *data;
    char shape[64];
    int code;

    (void)argc;
    program_options("scale_threads", "data *= 2 with threads (950)", rows,
                    sizeof(rows) / sizeof(rows[0]), argv);
    size = n * sizeof(float);
    data = program_alloc(size);
    for (uint32_t i = 0; i < n; i++)
        data[i] = program_value(1, i);
    program_open(&program, "scale_threads");
    args.data = program_upload(data, size);
    args.count = n;
    for (uint32_t i = 0; i < launches; i++) {
        const dim3 grid = {(n + threads - 1) / threads, 1, 1}, block = {threads, 1, 1};

        CHECK(aclrtLaunchSIMTKernelWithHostArgs(program.function, grid, block, 0,
                                                program.stream, NULL, &args,
                                                sizeof(args), NULL, 0));
    }
    CHECK(aclrtSynchronizeStream(program.stream));
    program_download(data, args.data, size);
    for (uint32_t i = 0; i < n; i++)
        wrong += data[i] != program_value(1, i) * (float)(1u << launches);
    CHECK(aclrtFree(args.data));
    program_close(&program);
    snprintf(shape, sizeof(shape), "n=%u threads=%u launches=%u", n, threads, launches);
    code = program_result("scale_threads", shape, data, size, wrong);
    free(data);
    return code;
}
