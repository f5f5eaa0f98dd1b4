#include "worker/process/stub_libraries.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEGMENTS = 3,
    NEEDED = 2,
    STRINGS_MAX = 2 * PATH_MAX + 64,
    PAGE_MAX = 64 * 1024
};

static const char *const libraries[] = {
    "libascendcl.so", "libacl_rt.so",  "libacl_rt_impl.so", "libascendcl_impl.so",
    "libruntime.so",  "libprofapi.so", "libhccl.so",
};

/* A complete shared library: only the parts that the loader reads. */
struct stub {
    Elf64_Ehdr head;
    Elf64_Phdr segments[SEGMENTS];
    Elf64_Dyn dynamic[NEEDED + 7];
    uint32_t hash[4]; /* one bucket and one symbol, the undefined one */
    Elf64_Sym symbols[1];
    char strings[STRINGS_MAX];
};

struct strings {
    char *all;
    size_t used;
};

/* Returns the offset of the added text, or 0, that of the empty text, without room. */
static uint64_t put(struct strings *strings, const char *text)
{
    size_t size = strlen(text) + 1, at = strings->used;

    if (size > STRINGS_MAX - at)
        return 0;
    memcpy(strings->all + at, text, size);
    strings->used += size;
    return at;
}

static Elf64_Dyn entry(int64_t tag, uint64_t value)
{
    Elf64_Dyn dynamic = {.d_tag = tag};

    dynamic.d_un.d_val = value;
    return dynamic;
}

static Elf64_Phdr segment(uint32_t type, uint64_t at, uint64_t bytes)
{
    return (Elf64_Phdr){
        .p_type = type,
        .p_flags = PF_R | PF_W, /* the loader writes addresses to the dynamic section */
        .p_offset = at,
        .p_vaddr = at,
        .p_paddr = at,
        .p_filesz = bytes,
        .p_memsz = bytes,
        .p_align = type == PT_LOAD ? PAGE_MAX : 16,
    };
}

static void fill_head(Elf64_Ehdr *head)
{
    *head = (Elf64_Ehdr)
    {
        .e_type = ET_DYN,
#if defined(__x86_64__)
        .e_machine = EM_X86_64,
#else
        .e_machine = EM_AARCH64,
#endif
        .e_version = EV_CURRENT, .e_phoff = offsetof(struct stub, segments),
        .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS,
    };
    memcpy(head->e_ident, ELFMAG, SELFMAG);
    head->e_ident[EI_CLASS] = ELFCLASS64;
    head->e_ident[EI_DATA] = ELFDATA2LSB;
    head->e_ident[EI_VERSION] = EV_CURRENT;
}

/* Returns the size of the library in bytes, or 0 when a path is too long. */
static size_t
fill(struct stub *stub, const char *name, const char *inject, const char *real)
{
    struct strings strings = {stub->strings, 1};
    uint64_t own, first, second;
    size_t n = 0, size;

    memset(stub, 0, sizeof(*stub));
    own = put(&strings, name);
    first = put(&strings, inject);
    second = put(&strings, real);
    if (own == 0 || first == 0 || second == 0)
        return 0;
    size = offsetof(struct stub, strings) + strings.used;
    fill_head(&stub->head);
    stub->segments[0] = segment(PT_LOAD, 0, size);
    stub->segments[1] =
        segment(PT_DYNAMIC, offsetof(struct stub, dynamic), sizeof(stub->dynamic));
    /* without this segment the loader makes stacks executable */
    stub->segments[2] = segment(PT_GNU_STACK, 0, 0);
    stub->dynamic[n++] = entry(DT_NEEDED, first);
    stub->dynamic[n++] = entry(DT_NEEDED, second);
    stub->dynamic[n++] = entry(DT_SONAME, own);
    stub->dynamic[n++] = entry(DT_HASH, offsetof(struct stub, hash));
    stub->dynamic[n++] = entry(DT_SYMTAB, offsetof(struct stub, symbols));
    stub->dynamic[n++] = entry(DT_SYMENT, sizeof(Elf64_Sym));
    stub->dynamic[n++] = entry(DT_STRTAB, offsetof(struct stub, strings));
    stub->dynamic[n++] = entry(DT_STRSZ, strings.used);
    stub->dynamic[n++] = entry(DT_NULL, 0);
    stub->hash[0] = stub->hash[1] = 1;
    return size;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    char beside[PATH_MAX];
    int length = snprintf(beside, sizeof(beside), "%s.new", path), file, saved;

    if (length < 0 || (size_t)length >= sizeof(beside)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (file < 0)
        return -1;
    errno = ENOSPC;             /* a short write leaves errno unset */
    if (fchmod(file, 0755) == 0 /* for all accounts that can pass the folder */
        && write(file, bytes, size) == (ssize_t)size && close(file) == 0)
        return rename(beside, path);
    saved = errno;
    close(file);
    unlink(beside);
    errno = saved;
    return -1;
}

static int join(char out[PATH_MAX], const char *folder, const char *name)
{
    int length = snprintf(out, PATH_MAX, "%s/%s", folder, name);

    errno = ENAMETOOLONG;
    return length < 0 || length >= PATH_MAX ? -1 : 0;
}

int stub_libraries_write(const char *folder, const char *runtime, const char *inject)
{
    int count = 0;

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        char lib64[PATH_MAX], real[PATH_MAX], path[PATH_MAX];
        struct stub stub;
        size_t size;

        if (join(lib64, runtime, "lib64") < 0 || join(real, lib64, libraries[i]) < 0 ||
            join(path, folder, libraries[i]) < 0)
            return -1;
        if (access(real, R_OK) < 0)
            continue;
        size = fill(&stub, libraries[i], inject, real);
        if (size == 0) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (write_file(path, &stub, size) < 0)
            return -1;
        count++;
    }
    return count;
}
