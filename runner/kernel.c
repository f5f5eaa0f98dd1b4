#include "runner/kernel.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/argument/argument.h"
#include "lib/job/argument/element.h"
#include "runner/acl.h"
#include "runner/entry.h"

/* Each buffer is followed by guard bytes that the kernel must not write. A kernel that
 * moves units of 32 bytes may write up to the next multiple of 32. */
enum {
    UNIT_BYTES = 32,
    GUARD_BYTES = 512,
    GUARD_VALUE = 0xA5,
    BLOCKS_MAX = 65535,
    FILES_MAX = 16, /* loaded kernel files */
};

struct parameter {
    struct argument argument;
    char *before, *after; /* the values on the host */
    size_t inside, whole; /* bytes without and with the guard */
    void *device;
};

struct call {
    const struct acl *acl;
    aclrtStream stream;
    aclrtFuncHandle function;
    struct parameter *parameters;
    size_t count;
    uint32_t blocks;
};

/* A kernel file that stays loaded. It is loaded again after it changed, and unloaded
 * after FILES_MAX newer files. */
struct loaded_file {
    char path[PATH_MAX];
    struct stat status;
    aclrtBinHandle binary;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int load(aclrtBinHandle *out,
                const struct acl *acl,
                const char *path,
                bool *is_new,
                struct err *err)
{
    static struct loaded_file files[FILES_MAX];
    static size_t next;
    struct loaded_file *file;
    struct stat status;

    if (stat(path, &status) < 0) {
        err_errno(err, "%.200s", path);
        err->code = ERR_INPUT;
        return -1;
    }
    for (size_t i = 0; i < FILES_MAX; i++)
        if (strcmp(files[i].path, path) == 0 && is_same(&files[i].status, &status)) {
            *out = files[i].binary;
            return 0;
        }
    *is_new = true;
    file = &files[next];
    if (file->path[0])
        acl->aclrtBinaryUnLoad(file->binary);
    file->path[0] = '\0';
    if (ACL(acl, aclrtBinaryLoadFromFile, (path, NULL, out), err) < 0)
        return err_wrap(err, "%.120s", path);
    file->binary = *out;
    file->status = status;
    snprintf(file->path, sizeof(file->path), "%s", path);
    next = (next + 1) % FILES_MAX;
    return 0;
}

static int read_values(char *out, const char *path, size_t bytes, struct err *err)
{
    char *found;
    size_t size;

    if (file_read(&found, &size, path, bytes, err) < 0)
        return -1;
    if (size == bytes)
        memcpy(out, found, bytes);
    free(found);
    return size == bytes
               ? 0
               : err_set(err, ERR_INPUT, "%.150s has %zu bytes, the argument needs %zu",
                         path, size, bytes);
}

static int upload(struct call *call, size_t place, struct err *err)
{
    struct parameter *parameter = &call->parameters[place];
    const struct argument *argument = &parameter->argument;

    parameter->inside = (argument->bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
    parameter->whole = parameter->inside + GUARD_BYTES;
    parameter->before = xcalloc(1, parameter->whole);
    parameter->after = xmalloc(parameter->whole);
    memset(parameter->before + parameter->inside, GUARD_VALUE, GUARD_BYTES);
    if (argument->is_read && !argument->from[0])
        element_fill(argument->element, (uint32_t)place + 1, parameter->before,
                     argument->count);
    else if (argument->is_read &&
             read_values(parameter->before, argument->from, argument->bytes, err) < 0)
        return -1;
    if (ACL(call->acl, aclrtMalloc,
            (&parameter->device, parameter->whole, ACL_MEM_MALLOC_HUGE_FIRST), err) < 0)
        return -1;
    return ACL(call->acl, aclrtMemcpy,
               (parameter->device, parameter->whole, parameter->before,
                parameter->whole, ACL_MEMCPY_HOST_TO_DEVICE),
               err);
}

static int append(struct call *call,
                  aclrtArgsHandle args,
                  struct parameter *parameter,
                  struct err *err)
{
    const struct argument *argument = &parameter->argument;
    const struct acl *acl = call->acl;
    aclrtParamHandle param;
    void *room;

    switch (argument->kind) {
    case ARGUMENT_BUFFER:
        return ACL(acl, aclrtKernelArgsAppend,
                   (args, &parameter->device, sizeof(parameter->device), &param), err);
    case ARGUMENT_VALUE:
        return ACL(acl, aclrtKernelArgsAppend,
                   (args, argument->values.bytes, argument->bytes, &param), err);
    default:
        if (ACL(acl, aclrtKernelArgsAppendPlaceHolder, (args, &param), err) < 0 ||
            ACL(acl, aclrtKernelArgsGetPlaceHolderBuffer,
                (args, param, argument->bytes, &room), err) < 0)
            return -1;
        memcpy(room, argument->values.bytes, argument->bytes);
        return 0;
    }
}

static int launch(struct call *call, struct err *err)
{
    const struct acl *acl = call->acl;
    aclrtArgsHandle args;

    if (ACL(acl, aclrtKernelArgsInit, (call->function, &args), err) < 0)
        return -1;
    for (size_t i = 0; i < call->count; i++)
        if (append(call, args, &call->parameters[i], err) < 0)
            return err_wrap(err, "argument %zu", i);
    if (ACL(acl, aclrtKernelArgsFinalize, (args), err) < 0 ||
        ACL(acl, aclrtLaunchKernelWithConfig,
            (call->function, call->blocks, call->stream, NULL, args, NULL), err) < 0)
        return -1;
    return ACL(acl, aclrtSynchronizeStream, (call->stream), err);
}

static uint64_t checksum(const char *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001B3u;
    return hash;
}

static int compare(const struct parameter *parameter, size_t place, struct err *err)
{
    const struct argument *argument = &parameter->argument;
    char *expected = xmalloc(argument->bytes);
    int result = read_values(expected, argument->expect, argument->bytes, err);

    if (result == 0) {
        size_t at = element_differ(argument->element, parameter->after, expected,
                                   argument->count, argument->within);

        if (at < argument->count)
            result = err_set(err, ERR_SYSTEM,
                             "argument %zu: element %zu is %.9g, expected %.9g", place,
                             at, element_value(argument->element, parameter->after, at),
                             element_value(argument->element, expected, at));
    }
    free(expected);
    return result;
}

static int check(struct parameter *parameter, size_t place, struct err *err)
{
    const struct argument *argument = &parameter->argument;
    size_t inside = parameter->inside;
    uint64_t sum;

    if (memcmp(parameter->after + inside, parameter->before + inside, GUARD_BYTES) != 0)
        return err_set(err, ERR_SYSTEM, "argument %zu: the kernel wrote behind its end",
                       place);
    if (!argument->is_written)
        return memcmp(parameter->after, parameter->before, argument->bytes) == 0
                   ? 0
                   : err_set(
                         err, ERR_SYSTEM,
                         "argument %zu: the kernel changed an input (in); use inout",
                         place);
    sum = checksum(parameter->after, argument->bytes);
    printf(" out%zu=%016" PRIx64, place, sum);
    if (argument->has_sum && sum != argument->sum)
        return err_set(err, ERR_SYSTEM,
                       "argument %zu: the checksum is %016" PRIx64
                       ", expected %016" PRIx64,
                       place, sum, argument->sum);
    return argument->expect[0] ? compare(parameter, place, err) : 0;
}

static int download(struct call *call, struct err *err)
{
    for (size_t i = 0; i < call->count; i++) {
        struct parameter *parameter = &call->parameters[i];

        if (parameter->argument.kind != ARGUMENT_BUFFER)
            continue;
        if (ACL(call->acl, aclrtMemcpy,
                (parameter->after, parameter->whole, parameter->device,
                 parameter->whole, ACL_MEMCPY_DEVICE_TO_HOST),
                err) < 0 ||
            check(parameter, i, err) < 0)
            return -1;
    }
    return 0;
}

static int find_function(struct call *call,
                         aclrtBinHandle binary,
                         const char *file,
                         const char *entry,
                         struct err *err)
{
    const struct acl *acl = call->acl;

    if (ACL(acl, aclrtBinaryGetFunction, (binary, entry, &call->function), err) == 0)
        return 0;
    return err_wrap(err,
                    "finding kernel '%.100s' in %.160s; check entry in the job file",
                    entry, file);
}

static int run(struct call *call, const char *entry, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < call->count && result == 0; i++)
        if (call->parameters[i].argument.kind == ARGUMENT_BUFFER)
            result = upload(call, i, err);
    if (result == 0)
        result = launch(call, err);
    if (result < 0)
        return -1;
    printf("%s blocks=%u", entry, call->blocks);
    result = download(call, err);
    printf(" result=%s\n", result == 0 ? "ok" : "wrong");
    return result;
}

static int read_words(struct call *call,
                      const struct runner_messages_point *point,
                      struct err *err)
{
    const char *blocks = point->words[RUNNER_MESSAGES_BLOCKS];
    uint64_t number;

    if (!num_parse_u64(blocks, &number) || number == 0 || number > BLOCKS_MAX)
        return err_set(err, ERR_INPUT, "'%.40s' is not a number of blocks from 1 to %d",
                       blocks, BLOCKS_MAX);
    call->blocks = (uint32_t)number;
    for (; call->count < point->count - RUNNER_MESSAGES_WORDS_FOR_RUNNER; call->count++)
        if (argument_parse(&call->parameters[call->count].argument,
                           point->words[RUNNER_MESSAGES_WORDS_FOR_RUNNER + call->count],
                           err) < 0) {
            argument_clear(&call->parameters[call->count].argument);
            return -1;
        }
    return 0;
}

static int clear(struct call *call, int result, struct err *err)
{
    for (size_t i = 0; i < call->count; i++) {
        struct parameter *parameter = &call->parameters[i];

        if (parameter->device && call->acl->aclrtFree(parameter->device) != 0 &&
            result == 0)
            result = err_set(err, ERR_SYSTEM, "freeing device memory failed");
        free(parameter->before);
        free(parameter->after);
        argument_clear(&parameter->argument);
    }
    free(call->parameters);
    return result;
}

int kernel_run(const struct acl *acl,
               void *stream,
               const struct runner_messages_point *point,
               bool *is_new,
               struct err *err)
{
    struct call call = {
        .acl = acl,
        .stream = stream,
        .parameters = xcalloc(point->count - RUNNER_MESSAGES_WORDS_FOR_RUNNER + 1,
                              sizeof(*call.parameters)),
    };
    const char *file = point->words[RUNNER_MESSAGES_FILE];
    char room[256];
    const char *entry = entry_name(point, room);
    aclrtBinHandle binary;
    int result = read_words(&call, point, err);

    if (result == 0)
        result = load(&binary, acl, file, is_new, err);
    if (result == 0)
        result = find_function(&call, binary, file, entry, err);
    if (result == 0)
        result = run(&call, entry, err);
    return clear(&call, result, err);
}
