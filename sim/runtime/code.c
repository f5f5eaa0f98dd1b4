#include "sim/runtime/code.h"

#include <dlfcn.h>
#include <link.h>
#include <npu_sim/recorder.h>
#include <stdio.h>
#include <string.h>

#include "sim/instrument/block_table.h"
#include "sim/instrument/gm_buffer.h"

static void read_end(const char *path, struct npu_sim_instrumented *how)
{
    FILE *file = fopen(path, "rbe");

    memset(how, 0, sizeof(*how));
    if (!file)
        return;
    if (fseek(file, -(long)sizeof(*how), SEEK_END) < 0 ||
        fread(how, sizeof(*how), 1, file) != 1 ||
        memcmp(how->magic, NPU_SIM_INSTRUMENTED_MAGIC, sizeof(how->magic)) != 0)
        memset(how, 0, sizeof(*how));
    fclose(file);
    if (how->cores == 0)
        how->cores = GM_BUFFER_CORES;
    if (how->core_stride == 0)
        how->core_stride = GM_BUFFER_STRIDE;
}

void code_open(struct code *code, void *object, const char *path)
{
    const struct npu_sim_recorder **recorder = dlsym(object, "npu_sim_recorder");
    void (**callback)(void) = dlsym(object, "npu_sim_block_callback");
    struct link_map *map;

    memset(code, 0, sizeof(*code));
    if (dlinfo(object, RTLD_DI_LINKMAP, &map) == 0)
        code->base = map->l_addr;
    if (recorder)
        __atomic_store_n(recorder, npu_sim_trace_recorder(), __ATOMIC_RELEASE);
    read_end(path, &code->how);
    if ((code->how.flags & NPU_SIM_INSTRUMENT_BLOCKS) && callback)
        code->blocks = npu_sim_block_table_create(code->base, *callback);
}

void code_close(struct code *code)
{
    npu_sim_block_table_destroy(code->blocks);
    code->blocks = NULL;
}

size_t code_hidden_args(const struct code *code)
{
    return code->how.flags ? sizeof(void *) : 0;
}

struct trace *code_trace(const struct code *code,
                         uint32_t card,
                         enum npu_sim_kind kind,
                         const void *args,
                         size_t args_size,
                         aclError *error)
{
    struct trace_launch launch = {
        .card = card,
        .code_base = code->base,
        .kind = kind,
        .blocks = code->blocks,
        .flags = code->how.flags,
        .cores = code->how.cores,
        .core_stride = code->how.core_stride,
    };
    struct trace *trace;

    *error = 0;
    if (!code->how.flags)
        return NULL;
    *error = ACL_ERROR_RT_AICORE_EXCEPTION;
    if (args_size < sizeof(launch.buffer))
        return NULL;
    memcpy(&launch.buffer, (const char *)args + args_size - sizeof(launch.buffer),
           sizeof(launch.buffer));
    if (!npu_sim_trace_fits(&launch))
        return NULL;
    trace = npu_sim_trace_open(&launch);
    if (trace)
        *error = 0;
    return trace;
}
