#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(const char *name,
                       const char *summary,
                       const struct option_row *rows,
                       size_t n)
{
    printf("usage: %s [OPTION VALUE]...\n%s\n\n", name, summary);
    for (size_t i = 0; i < n; i++)
        printf("  %-12s %s (%u to %u; default: %u)\n", rows[i].name, rows[i].help,
               rows[i].min, rows[i].max, *rows[i].value);
}

void program_options(const char *name,
                     const char *summary,
                     const struct option_row *rows,
                     size_t count,
                     char **argv)
{
    while (*++argv) {
        const struct option_row *row = NULL;
        char *end = NULL;
        unsigned long value = 0;

        if (!strcmp(*argv, "--help")) {
            print_help(name, summary, rows, count);
            exit(0);
        }
        for (size_t i = 0; i < count && !row; i++)
            if (!strcmp(rows[i].name, *argv))
                row = &rows[i];
        if (row && argv[1])
            value = strtoul(*++argv, &end, 10);
        if (!end || end == *argv || *end || value < row->min || value > row->max) {
            fprintf(stderr, "%s: bad option or value: %s (see --help)\n", name, *argv);
            exit(2);
        }
        *row->value = (uint32_t)value;
    }
}

const char *program_text(const char *option, char **argv)
{
    for (char **at = argv + 1; *at; at++)
        if (!strcmp(*at, option) && at[1]) {
            const char *value = at[1];

            for (; at[2]; at++)
                at[0] = at[2];
            at[0] = NULL;
            return value;
        }
    return NULL;
}

void program_word(const char *name,
                  const char *option,
                  const char *const *words,
                  uint32_t *value,
                  char **argv)
{
    const char *word = program_text(option, argv);

    if (!word)
        return;
    for (*value = 0; words[*value]; ++*value)
        if (!strcmp(words[*value], word))
            return;
    fprintf(stderr, "%s: bad value: %s %s (see --help)\n", name, option, word);
    exit(2);
}

void program_check(aclError error, const char *call)
{
    const char *text;

    if (!error)
        return;
    text = aclGetRecentErrMsg();
    fprintf(stderr, "error %d: %s: %s\n", error, call, text ? text : "no message");
    exit(1);
}

void program_kernel_path(const char *name, char *out, size_t size)
{
    char self[2048];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(out, size, "%s/../kernels/%s.o", self, name);
}

void program_open(struct program *program, const char *name)
{
    char path[4096];

    program->name = name;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&program->stream));
    program_kernel_path(name, path, sizeof(path));
    CHECK(aclrtBinaryLoadFromFile(path, NULL, &program->binary));
    CHECK(aclrtBinaryGetFunction(program->binary, name, &program->function));
}

void program_close(struct program *program)
{
    CHECK(aclrtBinaryUnLoad(program->binary));
    CHECK(aclrtDestroyStream(program->stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
}

void *program_upload(const void *host, size_t size)
{
    void *device = NULL;

    CHECK(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (host)
        CHECK(aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return device;
}

void program_download(void *host, const void *device, size_t size)
{
    CHECK(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
}

float program_value(uint32_t salt, uint32_t i)
{
    uint32_t x = (i + 1) * 2654435761u + salt * 40503u;

    return (float)((x >> 16) % 17) - 8.0f;
}

void *program_alloc(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) {
        fprintf(stderr, "out of memory: %zu bytes\n", size);
        exit(1);
    }
    return memory;
}

uint64_t program_checksum(const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

int program_result_of(const char *name,
                      const char *shape,
                      uint64_t checksum,
                      size_t wrong)
{
    printf("%s %s checksum=%016" PRIx64 " wrong=%zu result=%s\n", name, shape, checksum,
           wrong, wrong ? "wrong" : "ok");
    return wrong ? 1 : 0;
}

int program_result(const char *name,
                   const char *shape,
                   const void *output,
                   size_t size,
                   size_t wrong)
{
    return program_result_of(name, shape, program_checksum(output, size), wrong);
}
