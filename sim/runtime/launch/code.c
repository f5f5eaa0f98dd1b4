#include "sim/runtime/launch/code.h"

#include <dlfcn.h>
#include <link.h>
#include <npu_sim/recorder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/instrument/block_table.h"
#include "sim/instrument/gm_buffer.h"
#include "sim/instrument/trace.h"
#include "sim/runtime/launch/stamps.h"

#define LCCL_SECTION "Attr_Section_Lcal"
#define SECTIONS_MAX 4096
#define NAMES_MAX    (1 << 20)

static void read_end(FILE *file, struct npu_sim_instrumented *how)
{
    if (fseek(file, -(long)sizeof(*how), SEEK_END) < 0 ||
        fread(how, sizeof(*how), 1, file) != 1 ||
        memcmp(how->magic, NPU_SIM_INSTRUMENTED_MAGIC, sizeof(how->magic)) != 0)
        memset(how, 0, sizeof(*how));
    if (how->cores == 0)
        how->cores = GM_BUFFER_CORES;
    if (how->core_stride == 0)
        how->core_stride = GM_BUFFER_STRIDE;
}

static bool read_at(FILE *file, uint64_t at, void *out, size_t size)
{
    return at <= INT64_MAX && fseeko(file, (off_t)at, SEEK_SET) == 0 &&
           fread(out, size, 1, file) == 1;
}

/* Searches the section names in the file, because the loader does not map them. */
static bool has_section(FILE *file, const char *wanted)
{
    ElfW(Ehdr) head;
    ElfW(Shdr) names, section;
    bool found = false;
    char *texts = NULL;

    if (!read_at(file, 0, &head, sizeof(head)) || head.e_shnum > SECTIONS_MAX ||
        head.e_shentsize != sizeof(section) || head.e_shstrndx >= head.e_shnum ||
        !read_at(file, head.e_shoff + head.e_shstrndx * sizeof(names), &names,
                 sizeof(names)) ||
        names.sh_size == 0 || names.sh_size > NAMES_MAX ||
        !(texts = malloc(names.sh_size)))
        return false;
    if (read_at(file, names.sh_offset, texts, names.sh_size)) {
        texts[names.sh_size - 1] = '\0';
        for (unsigned i = 0; i < head.e_shnum && !found; i++)
            found = read_at(file, head.e_shoff + i * sizeof(section), &section,
                            sizeof(section)) &&
                    section.sh_name < names.sh_size &&
                    strcmp(texts + section.sh_name, wanted) == 0;
    }
    free(texts);
    return found;
}

struct extent {
    uint64_t base, bytes;
};

static int measure(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct extent *extent = arg;

    (void)size;
    if (info->dlpi_addr != extent->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && part->p_vaddr + part->p_memsz > extent->bytes)
            extent->bytes = part->p_vaddr + part->p_memsz;
    }
    return 1;
}

static void find_place(struct code *code, void *object)
{
    struct extent extent = {0};
    struct link_map *map;

    if (dlinfo(object, RTLD_DI_LINKMAP, &map) < 0)
        return;
    extent.base = map->l_addr;
    dl_iterate_phdr(measure, &extent);
    code->base = extent.base;
    code->bytes = extent.bytes;
}

/* Sets the recorder pointer of a file. Two threads may open the file at the same time.
 * Only the first one writes, because its kernel bodies may already run, and they read
 * the pointer without a lock. */
static void offer_recorder(const struct npu_sim_recorder **recorder)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    if (*recorder != npu_sim_trace_recorder())
        *recorder = npu_sim_trace_recorder();
    pthread_mutex_unlock(&lock);
}

void code_open(struct code *code, void *object, const char *path)
{
    const struct npu_sim_recorder **recorder = dlsym(object, "npu_sim_recorder");
    void (**callback)(void) = dlsym(object, "npu_sim_block_callback");
    FILE *file = fopen(path, "rbe");

    memset(code, 0, sizeof(*code));
    find_place(code, object);
    if (file) {
        read_end(file, &code->how);
        code->is_lccl = has_section(file, LCCL_SECTION);
        fclose(file);
    }
    if (recorder) {
        offer_recorder(recorder);
        code->has_recorder = true;
        stamps_offer();
    }
    if ((code->how.flags & NPU_SIM_INSTRUMENT_BLOCKS) && callback)
        code->blocks = npu_sim_block_table_create(code->base, *callback);
}

void code_close(struct code *code)
{
    npu_sim_block_table_destroy(code->blocks);
    code->blocks = NULL;
}
