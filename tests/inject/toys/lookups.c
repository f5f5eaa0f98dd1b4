/* lookups.c - a program that finds functions with dlsym() in all ways, and launches a
 * kernel with them
 *
 *   lookups KERNEL FOLDER
 *
 * FOLDER has libtoy_local.so. Prints each result, which must not depend on preloaded
 * libraries. Linked to libtoy_first.so and libtoy_second.so (toy_library.c), in this
 * order. */
#include <dlfcn.h>
#include <runtime/rt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, BLOCKS = 4 };

const char *toy_first_name(void);
const char *toy_first_asks_next(void);

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output, *count;
};

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "lookups: %s\n", what);
    exit(1);
}

#define CALLS(X)                                                                       \
    X(rtSetDevice)                                                                     \
    X(rtDeviceReset)                                                                   \
    X(rtMalloc)                                                                        \
    X(rtFree)                                                                          \
    X(rtMemcpy)                                                                        \
    X(rtDevBinaryRegister)                                                             \
    X(rtFunctionRegister)                                                              \
    X(rtStreamCreate)                                                                  \
    X(rtStreamSynchronize)                                                             \
    X(rtKernelLaunch)

static struct {
#define MEMBER(call) __typeof__(&call) call;
    CALLS(MEMBER)
} rt;

static void *upload(const void *bytes, size_t size)
{
    void *memory;

    need(rt.rtMalloc(&memory, size, 0, 0) == 0, "rtMalloc");
    need(rt.rtMemcpy(memory, size, bytes, size, RT_MEMCPY_HOST_TO_DEVICE) == 0,
         "rtMemcpy");
    return memory;
}

static void register_kernel(const char *path, const void *symbol)
{
    static char bytes[4 << 20];
    FILE *file = fopen(path, "r");
    rtDevBinary_t binary = {RT_DEV_BINARY_MAGIC_ELF, 0, bytes, 0};
    void *handle;

    need(file != NULL, path);
    binary.length = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    need(rt.rtDevBinaryRegister(&binary, &handle) == 0, "rtDevBinaryRegister");
    need(rt.rtFunctionRegister(handle, symbol, "accumulate_inplace", NULL, 0) == 0,
         "rtFunctionRegister");
}

/* Launches with functions from dlsym() only. */
static long launch(const char *kernel)
{
    static const char symbol;
    static float values[COUNT];
    const uint32_t count = COUNT;
    struct arguments arguments;
    rtStream_t stream;
    long wrong = 0;

    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    need(rt.rtSetDevice(0) == 0, "rtSetDevice");
    register_kernel(kernel, &symbol);
    need(rt.rtStreamCreate(&stream, 0) == 0, "rtStreamCreate");
    arguments.input = upload(values, sizeof(values));
    arguments.output = upload(values, sizeof(values));
    arguments.count = upload(&count, sizeof(count));
    for (int i = 0; i < 2; i++)
        need(rt.rtKernelLaunch(&symbol, BLOCKS, &arguments, sizeof(arguments), NULL,
                               stream) == 0,
             "rtKernelLaunch");
    need(rt.rtStreamSynchronize(stream) == 0, "rtStreamSynchronize");
    need(rt.rtMemcpy(values, sizeof(values), arguments.output, sizeof(values),
                     RT_MEMCPY_DEVICE_TO_HOST) == 0,
         "rtMemcpy");
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != (float)i * 3;
    need(rt.rtFree(arguments.input) == 0 && rt.rtFree(arguments.output) == 0 &&
             rt.rtFree(arguments.count) == 0,
         "rtFree");
    need(rt.rtDeviceReset(0) == 0, "rtDeviceReset");
    return wrong;
}

int main(int argc, char **argv)
{
    void *runtime = dlopen("libruntime.so", RTLD_NOW | RTLD_LOCAL);
    void *toy = dlopen("libtoy_second.so", RTLD_NOW | RTLD_NOLOAD);
    const char *(*ask)(void);
    void *absent, *local;
    char path[4096];

    need(argc == 3 && runtime && toy, "usage, or no library");
    snprintf(path, sizeof(path), "%s/libtoy_local.so", argv[2]);
    local = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    need(local != NULL, path);
    printf("first: %s, next: %s\n", toy_first_name(), toy_first_asks_next());
    ask = (const char *(*)(void))dlsym(local, "toy_local_asks_default");
    printf("local: %s\n", ask());
    /* the name of a runtime function in another library */
    ask = (const char *(*)(void))dlsym(toy, "aclrtMalloc");
    printf("own: %s\n", ask ? ask() : "none");
    dlerror();
    absent = dlsym(runtime, "aclrtSynchronizeEverything");
    printf("absent: %p %s\n", absent, dlerror() ? "told" : "not told");
    printf("absent: %p\n", dlsym(local, "aclrtFree"));
#define FIND(call)                                                                     \
    rt.call = (__typeof__(&call))dlsym(runtime, #call);                                \
    need(rt.call != NULL, #call);
    CALLS(FIND)
    printf("wrong: %ld\n", launch(argv[1]));
    return 0;
}
