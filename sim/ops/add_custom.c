/* add_custom.c - z = x + y on vector cores: the smallest operator */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

struct tiling {
    uint32_t count;
};

struct options {
    uint32_t n, blocks, launches, device_args;
};

static void
launch_list(struct program *program, const struct options *o, void **buffers)
{
    aclrtArgsHandle args;
    aclrtParamHandle param;
    struct tiling *tiling;

    CHECK(aclrtKernelArgsInit(program->function, &args));
    for (int i = 0; i < 3; i++)
        CHECK(aclrtKernelArgsAppend(args, &buffers[i], sizeof(buffers[i]), &param));
    CHECK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, sizeof(*tiling),
                                              (void **)&tiling));
    tiling->count = o->n;
    CHECK(aclrtKernelArgsFinalize(args));
    for (uint32_t i = 0; i < o->launches; i++)
        CHECK(aclrtLaunchKernelWithConfig(program->function, o->blocks, program->stream,
                                          NULL, args, NULL));
    CHECK(aclrtSynchronizeStream(program->stream));
}

/* Launches with the arguments in device memory, as aclrtLaunchKernel requires. */
static void
launch_device(struct program *program, const struct options *o, void **buffers)
{
    struct tiling tiling = {o->n};
    void *device_tiling = program_upload(&tiling, sizeof(tiling));
    void *packed[4] = {buffers[0], buffers[1], buffers[2], device_tiling};
    void *args = program_upload(packed, sizeof(packed));

    for (uint32_t i = 0; i < o->launches; i++)
        CHECK(aclrtLaunchKernel(program->function, o->blocks, args, sizeof(packed),
                                program->stream));
    CHECK(aclrtSynchronizeStream(program->stream));
    CHECK(aclrtFree(args));
    CHECK(aclrtFree(device_tiling));
}

int main(int argc, char **argv)
{
    struct options o = {16384, 8, 1, 0};
    const struct option_row rows[] = {
        {"--n", &o.n, 1, 1u << 26, "elements"},
        {"--blocks", &o.blocks, 1, 4096, "blocks per launch"},
        {"--launches", &o.launches, 1, 1u << 24, "number of launches"},
        {"--device-args", &o.device_args, 0, 1, "1: launch with aclrtLaunchKernel"},
    };
    struct program program;
    size_t size, wrong = 0;
    float *x, *y, *z;
    void *buffers[3];
    char shape[64];
    int code;

    (void)argc;
    program_options("add_custom", "z = x + y", rows, sizeof(rows) / sizeof(rows[0]),
                    argv);
    size = o.n * sizeof(float);
    x = program_alloc(size);
    y = program_alloc(size);
    z = program_alloc(size);
    for (uint32_t i = 0; i < o.n; i++) {
        x[i] = program_value(1, i);
        y[i] = program_value(2, i);
    }
    program_open(&program, "add_custom");
    buffers[0] = program_upload(x, size);
    buffers[1] = program_upload(y, size);
    buffers[2] = program_upload(NULL, size);
    (o.device_args ? launch_device : launch_list)(&program, &o, buffers);
    program_download(z, buffers[2], size);
    for (uint32_t i = 0; i < o.n; i++)
        wrong += z[i] != x[i] + y[i];
    for (int i = 0; i < 3; i++)
        CHECK(aclrtFree(buffers[i]));
    program_close(&program);
    snprintf(shape, sizeof(shape), "n=%u launches=%u", o.n, o.launches);
    code = program_result("add_custom", shape, z, size, wrong);
    free(x);
    free(y);
    free(z);
    return code;
}
