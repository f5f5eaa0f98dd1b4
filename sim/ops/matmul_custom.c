/* matmul_custom.c - c = a x b + bias on cube and vector cores together */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

struct tiling {
    uint32_t m, n, k;
};

enum { A, B, BIAS, WORK, C, BUFFERS };

static void launch(struct program *program,
                   const struct tiling *tiling,
                   uint32_t blocks,
                   uint32_t launches,
                   void **buffers)
{
    aclrtLaunchKernelAttr attribute = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE};
    aclrtLaunchKernelCfg config = {&attribute, 1};
    aclrtArgsHandle args;
    aclrtParamHandle param;
    void *in_place;

    CHECK(aclrtKernelArgsInit(program->function, &args));
    for (int i = 0; i < BUFFERS; i++)
        CHECK(aclrtKernelArgsAppend(args, &buffers[i], sizeof(buffers[i]), &param));
    CHECK(aclrtKernelArgsAppendPlaceHolder(args, &param));
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(args, param, sizeof(*tiling), &in_place));
    *(struct tiling *)in_place = *tiling;
    CHECK(aclrtKernelArgsFinalize(args));
    for (uint32_t i = 0; i < launches; i++)
        CHECK(aclrtLaunchKernelWithConfig(program->function, blocks, program->stream,
                                          &config, args, NULL));
    CHECK(aclrtSynchronizeStream(program->stream));
}

/* All values are small integers, so the order of additions does not change the result.
 */
static size_t count_wrong(const struct tiling *t, float **host)
{
    float *row = program_alloc(t->n * sizeof(float));
    size_t wrong = 0;

    for (uint32_t i = 0; i < t->m; i++) {
        for (uint32_t j = 0; j < t->n; j++)
            row[j] = host[BIAS][j];
        for (uint32_t l = 0; l < t->k; l++) {
            float left = host[A][(size_t)i * t->k + l];

            for (uint32_t j = 0; j < t->n; j++)
                row[j] += left * host[B][(size_t)l * t->n + j];
        }
        for (uint32_t j = 0; j < t->n; j++)
            wrong += host[C][(size_t)i * t->n + j] != row[j];
    }
    free(row);
    return wrong;
}

int main(int argc, char **argv)
{
    struct tiling t = {128, 128, 128};
    uint32_t blocks = 8, launches = 1;
    const struct option_row rows[] = {
        {"--m", &t.m, 1, 8192, "rows of a and c"},
        {"--n", &t.n, 1, 8192, "columns of b and c"},
        {"--k", &t.k, 1, 8192, "columns of a"},
        {"--blocks", &blocks, 1, 4096, "blocks per launch"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    float *host[BUFFERS] = {NULL};
    void *buffers[BUFFERS];
    struct program program;
    size_t counts[BUFFERS], wrong;
    char shape[96];
    int code;

    (void)argc;
    program_options("matmul_custom", "c = a x b + bias", rows,
                    sizeof(rows) / sizeof(rows[0]), argv);
    counts[A] = (size_t)t.m * t.k;
    counts[B] = (size_t)t.k * t.n;
    counts[BIAS] = t.n;
    counts[WORK] = counts[C] = (size_t)t.m * t.n;
    program_open(&program, "matmul_custom");
    for (int i = 0; i < BUFFERS; i++) {
        if (i == WORK) {
            buffers[i] = program_upload(NULL, counts[i] * sizeof(float));
            continue;
        }
        host[i] = program_alloc(counts[i] * sizeof(float));
        for (size_t at = 0; i != C && at < counts[i]; at++)
            host[i][at] = program_value((uint32_t)i + 5, (uint32_t)at);
        buffers[i] = program_upload(i == C ? NULL : host[i], counts[i] * sizeof(float));
    }
    launch(&program, &t, blocks, launches, buffers);
    program_download(host[C], buffers[C], counts[C] * sizeof(float));
    wrong = count_wrong(&t, host);
    for (int i = 0; i < BUFFERS; i++)
        CHECK(aclrtFree(buffers[i]));
    program_close(&program);
    snprintf(shape, sizeof(shape), "m=%u n=%u k=%u launches=%u", t.m, t.n, t.k,
             launches);
    code = program_result("matmul_custom", shape, host[C], counts[C] * sizeof(float),
                          wrong);
    for (int i = 0; i < BUFFERS; i++)
        free(host[i]);
    return code;
}
