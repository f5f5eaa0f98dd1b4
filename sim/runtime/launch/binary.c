/* binary.c - kernel files: host shared objects, opened with dlopen
 *
 * A file of another machine is refused: the host cannot run it. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/launch/code.h"
#include "sim/runtime/launch/cpu_description.h"
#include "sim/runtime/launch/function.h"

#define BINARY_MAGIC   0x42494e31u
#define DATA_MAGIC     0x42444131u
#define FUNCTION_MAGIC 0x46554e31u
#define NAME_MAX_BYTES 1024

struct binary {
    uint32_t magic;
    void *object;
    size_t size;
    struct code code;
    struct function *functions;
};

/* the data of aclrtCreateBinary until the binary is loaded */
struct data {
    uint32_t magic;
    const void *bytes;
    size_t size;
};

struct stub {
    const void *symbol;
    struct function *function;
    struct stub *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stub *stubs;

static aclError open_path(const char *path, size_t size, aclrtBinHandle *out)
{
    struct binary *binary = calloc(1, sizeof(*binary));

    if (!binary)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    binary->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!binary->object) {
        fprintf(stderr, "npu_sim: %s\n", dlerror());
        free(binary);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    code_open(&binary->code, binary->object, path);
    binary->magic = BINARY_MAGIC;
    binary->size = size;
    *out = binary;
    return 0;
}

aclError sim_aclrtBinaryLoadFromFile(const char *binPath,
                                     aclrtBinaryLoadOptions *options,
                                     aclrtBinHandle *binHandle)
{
    char path[4096], library[4096];
    struct stat found;

    if (!binPath || !binHandle || (options && options->numOpt > 0 && !options->options))
        return ACL_ERROR_RT_PARAM_INVALID;
    /* dlopen searches other folders for a name without a slash */
    if (snprintf(path, sizeof(path), "%s%s", strchr(binPath, '/') ? "" : "./",
                 binPath) >= (int)sizeof(path))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (stat(path, &found) < 0)
        return ACL_ERROR_RT_FILE_OPEN;
    if (cpu_description_is(path)) {
        if (!cpu_description_library(path, library, sizeof(library)) ||
            stat(library, &found) < 0)
            return ACL_ERROR_PARSE_FILE;
        return open_path(library, (size_t)found.st_size, binHandle);
    }
    return open_path(path, (size_t)found.st_size, binHandle);
}

static aclError open_bytes(const void *bytes, size_t size, aclrtBinHandle *out)
{
    char path[64];
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    int fd;

    if (!bytes || size < sizeof(ElfW(Ehdr)) || memcmp(bytes, ELFMAG, SELFMAG))
        return ACL_ERROR_RT_PARAM_INVALID;
    fd = memfd_create("npu_sim_kernel", MFD_CLOEXEC);
    if (fd < 0)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (write(fd, bytes, size) == (ssize_t)size)
        error = open_path(path, size, out);
    close(fd);
    return error;
}

aclError sim_aclrtBinaryLoadFromData(const void *data,
                                     size_t length,
                                     const aclrtBinaryLoadOptions *options,
                                     aclrtBinHandle *binHandle)
{
    (void)options;
    return binHandle ? open_bytes(data, length, binHandle) : ACL_ERROR_RT_PARAM_INVALID;
}

aclrtBinary sim_aclrtCreateBinary(const void *bytes, size_t dataLen)
{
    struct data *data = bytes && dataLen > 0 ? malloc(sizeof(*data)) : NULL;

    if (data)
        *data = (struct data){DATA_MAGIC, bytes, dataLen};
    return data;
}

aclError sim_aclrtDestroyBinary(aclrtBinary binary)
{
    struct data *data = binary;

    if (!data || data->magic != DATA_MAGIC)
        return ACL_ERROR_RT_PARAM_INVALID;
    data->magic = 0;
    free(data);
    return 0;
}

aclError sim_aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    struct data *data = binary;

    if (!data || data->magic != DATA_MAGIC || !binHandle)
        return ACL_ERROR_RT_PARAM_INVALID;
    return open_bytes(data->bytes, data->size, binHandle);
}

static struct binary *binary_of(aclrtBinHandle handle)
{
    struct binary *binary = handle;

    return binary && binary->magic == BINARY_MAGIC ? binary : NULL;
}

static void forget_stubs(const struct binary *binary)
{
    for (struct stub **at = &stubs; *at;) {
        struct stub *stub = *at;

        if (stub->function->binary == binary) {
            *at = stub->next;
            free(stub);
        } else {
            at = &stub->next;
        }
    }
}

aclError sim_aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    struct binary *binary = binary_of(binHandle);

    if (!binary)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&mutex);
    forget_stubs(binary);
    pthread_mutex_unlock(&mutex);
    while (binary->functions) {
        struct function *function = binary->functions;

        binary->functions = function->next;
        args_destroy(function->args);
        function->magic = 0;
        free((char *)function->name);
        free(function);
    }
    code_close(&binary->code);
    dlclose(binary->object);
    binary->magic = 0;
    free(binary);
    return 0;
}

/* Finds the symbol with the name of a kernel and a suffix, such as <kernel>_sim. */
static const void *beside(void *object, const char *kernel, const char *suffix)
{
    char name[NAME_MAX_BYTES + 16];

    snprintf(name, sizeof(name), "%s%s", kernel, suffix);
    return dlsym(object, name);
}

static const struct npu_sim_kernel *info_of(void *object, const char *kernel)
{
    const struct npu_sim_kernel *info = beside(object, kernel, "_sim");

    if (!info || info->size != sizeof(*info) || info->kind < NPU_SIM_CUBE ||
        info->kind > NPU_SIM_MIX)
        return NULL;
    return info;
}

static npu_sim_cost_fn *counted_of(void *object, const char *kernel)
{
    npu_sim_cost_fn *const *counted = beside(object, kernel, "_counted");

    return counted ? *counted : NULL;
}

static const struct npu_sim_params *params_of(void *object, const char *kernel)
{
    const struct npu_sim_params *params = beside(object, kernel, "_params");

    return params && (params->count == 0 || params->sizes) ? params : NULL;
}

static struct function *add_function(struct binary *binary, const char *name)
{
    struct function *function = calloc(1, sizeof(*function));

    if (!function)
        return NULL;
    function->name = strdup(name);
    if (!function->name) {
        free(function);
        return NULL;
    }
    function->magic = FUNCTION_MAGIC;
    function->binary = binary;
    function->code = &binary->code;
    function->next = binary->functions;
    binary->functions = function;
    return function;
}

static struct function *make_function(struct binary *binary, const char *name)
{
    void *body = dlsym(binary->object, name);
    struct function *function = body ? add_function(binary, name) : NULL;

    if (!function)
        return NULL;
    memcpy(&function->body, &body, sizeof(body));
    function->info = info_of(binary->object, name);
    function->counted = counted_of(binary->object, name);
    function->simt = beside(binary->object, name, "_simt");
    function->params = params_of(binary->object, name);
    return function;
}

aclError sim_aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                    const char *kernelName,
                                    aclrtFuncHandle *funcHandle)
{
    struct binary *binary = binary_of(binHandle);
    struct function *function;

    if (!binary || !kernelName || !funcHandle || strlen(kernelName) > NAME_MAX_BYTES)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&mutex);
    function = binary->functions;
    while (function && (function->cpu || strcmp(function->name, kernelName) != 0))
        function = function->next;
    if (!function)
        function = make_function(binary, kernelName);
    pthread_mutex_unlock(&mutex);
    if (!function)
        return ACL_ERROR_RT_KERNEL_LOOKUP;
    *funcHandle = function;
    return 0;
}

aclError sim_aclrtRegisterCpuFunc(const aclrtBinHandle handle,
                                  const char *funcName,
                                  const char *kernelName,
                                  aclrtFuncHandle *funcHandle)
{
    struct binary *binary = binary_of(handle);
    struct function *function = NULL;
    void *symbol;

    if (!binary || !funcName || !kernelName || !funcHandle ||
        strlen(kernelName) > NAME_MAX_BYTES)
        return ACL_ERROR_RT_PARAM_INVALID;
    symbol = dlsym(binary->object, funcName);
    pthread_mutex_lock(&mutex);
    if (symbol)
        function = add_function(binary, kernelName);
    if (function)
        memcpy(&function->cpu, &symbol, sizeof(symbol));
    pthread_mutex_unlock(&mutex);
    if (!function)
        return ACL_ERROR_RT_KERNEL_LOOKUP;
    *funcHandle = function;
    return 0;
}

struct function *function_of(aclrtFuncHandle handle)
{
    struct function *function = handle;

    return function && function->magic == FUNCTION_MAGIC ? function : NULL;
}

/* Reads the tables of a loaded object. glibc has already relocated their addresses. */
static const char *find_suffix(struct binary *binary, const char *suffix)
{
    struct link_map *map;
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    size_t length = strlen(suffix);

    if (dlinfo(binary->object, RTLD_DI_LINKMAP, &map) < 0)
        return NULL;
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_SYMTAB)
            symbols = (const ElfW(Sym) *)at->d_un.d_ptr;
        if (at->d_tag == DT_STRTAB)
            strings = (const char *)at->d_un.d_ptr;
    }
    /* linkers place the string table after the symbol table */
    if (!symbols || !strings || (uintptr_t)strings < (uintptr_t)symbols)
        return NULL;
    for (; (const char *)(symbols + 1) <= strings; symbols++) {
        const char *name = strings + symbols->st_name;
        size_t size = strlen(name);

        if (ELF64_ST_TYPE(symbols->st_info) == STT_FUNC && symbols->st_shndx != 0 &&
            size > length && !strcmp(name + size - length, suffix))
            return name;
    }
    return NULL;
}

aclError sim_aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                           uint64_t funcEntry,
                                           aclrtFuncHandle *funcHandle)
{
    struct function *function;
    aclError error;

    if (!binary_of(binHandle) || !funcHandle)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = function_by_key(binHandle, funcEntry, &function);
    if (!error)
        *funcHandle = function;
    return error;
}

aclError function_by_key(void *handle, uint64_t key, struct function **out)
{
    struct binary *binary = binary_of(handle);
    char suffix[32];
    const char *name;

    if (!binary)
        return ACL_ERROR_RT_PARAM_INVALID;
    snprintf(suffix, sizeof(suffix), "_%llu", (unsigned long long)key);
    name = find_suffix(binary, suffix);
    if (!name)
        return ACL_ERROR_RT_KERNEL_LOOKUP;
    return sim_aclrtBinaryGetFunction(handle, name, (aclrtFuncHandle *)out);
}

aclError sim_aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle,
                                      void **binAddr,
                                      size_t *binSize)
{
    struct binary *binary = binary_of(binHandle);
    struct link_map *map;

    if (!binary || !binAddr || !binSize ||
        dlinfo(binary->object, RTLD_DI_LINKMAP, &map) < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    *binAddr = (void *)map->l_addr;
    *binSize = binary->size;
    return 0;
}

aclError
sim_aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    struct function *function = function_of(funcHandle);

    if (!function || !name || strlen(function->name) >= maxLen)
        return ACL_ERROR_RT_PARAM_INVALID;
    strcpy(name, function->name);
    return 0;
}

aclError
sim_aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    struct function *function = function_of(funcHandle);
    void *body;

    if (!function || function->cpu || !aicAddr || !aivAddr)
        return ACL_ERROR_RT_PARAM_INVALID;
    memcpy(&body, &function->body, sizeof(body));
    *aicAddr = function->info && function->info->kind != NPU_SIM_VECTOR ? body : NULL;
    *aivAddr = *aicAddr ? NULL : body;
    if (function->info && function->info->kind == NPU_SIM_MIX && function->info->vector)
        memcpy(aivAddr, &function->info->vector, sizeof(*aivAddr));
    return 0;
}

aclError sim_aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
                                       aclrtFuncAttribute attrType,
                                       int64_t *attrValue)
{
    static const aclrtKernelType types[] = {
        [NPU_SIM_CUBE] = ACL_KERNEL_TYPE_CUBE,
        [NPU_SIM_VECTOR] = ACL_KERNEL_TYPE_VECTOR,
        [NPU_SIM_MIX] = ACL_KERNEL_TYPE_MIX,
    };
    struct function *function = function_of(funcHandle);
    enum npu_sim_kind kind;

    if (!function || !attrValue)
        return ACL_ERROR_RT_PARAM_INVALID;
    kind = function->info ? function->info->kind : NPU_SIM_VECTOR;
    switch (attrType) {
    case ACL_FUNC_ATTR_KERNEL_TYPE:
        *attrValue = function->cpu ? ACL_KERNEL_TYPE_AICPU : types[kind];
        return 0;
    case ACL_FUNC_ATTR_KERNEL_RATIO: /* upper half: cube cores; lower half: vector cores
                                      */
        *attrValue = kind == NPU_SIM_MIX    ? (1 << 16 | 2)
                     : kind == NPU_SIM_CUBE ? 1 << 16
                                            : 1;
        return 0;
    case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
        *attrValue = 0;
        return 0;
    }
    return ACL_ERROR_RT_PARAM_INVALID;
}

aclError binary_register(const void *data, size_t size, void **handle)
{
    return handle ? open_bytes(data, size, handle) : ACL_ERROR_RT_PARAM_INVALID;
}

aclError function_bind(void *handle, const void *symbol, const char *name)
{
    aclrtFuncHandle function;
    struct stub *stub;
    aclError error = sim_aclrtBinaryGetFunction(handle, name, &function);

    if (error)
        return error;
    if (!symbol)
        return ACL_ERROR_RT_INVALID_SYMBOL;
    stub = malloc(sizeof(*stub));
    if (!stub)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    stub->symbol = symbol;
    stub->function = function;
    pthread_mutex_lock(&mutex);
    for (const struct stub *at = stubs; at && !error; at = at->next)
        if (at->symbol == symbol)
            error = ACL_ERROR_RT_KERNEL_DUPLICATE;
    if (!error) {
        stub->next = stubs;
        stubs = stub;
    }
    pthread_mutex_unlock(&mutex);
    if (error)
        free(stub);
    return error;
}

aclError sim_aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    struct function *function;

    if (!symbol)
        return ACL_ERROR_RT_INVALID_SYMBOL;
    if (!funcHandle)
        return ACL_ERROR_RT_PARAM_INVALID;
    function = function_of_stub(symbol);
    if (!function)
        return ACL_ERROR_RT_SYMBOL_NOT_FOUND;
    *funcHandle = function;
    return 0;
}

/* Registers a variable of the kernels under a name of the host. It must exist. */
rtError_t rtRegisterVariable(void *binHandle,
                             const void *hostVar,
                             const char *deviceVarName,
                             size_t size,
                             uint32_t flags,
                             void *reserve)
{
    struct binary *binary = binary_of(binHandle);

    (void)flags;
    (void)reserve;
    if (!binary || !deviceVarName || size == 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!hostVar)
        return ACL_ERROR_RT_INVALID_SYMBOL;
    return dlsym(binary->object, deviceVarName) ? 0 : ACL_ERROR_RT_SYMBOL_NOT_FOUND;
}

struct function *function_of_stub(const void *symbol)
{
    struct function *function = NULL;

    pthread_mutex_lock(&mutex);
    for (struct stub *at = stubs; at && !function; at = at->next)
        if (at->symbol == symbol)
            function = at->function;
    pthread_mutex_unlock(&mutex);
    return function;
}
