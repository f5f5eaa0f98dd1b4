#include "inject/program/kernel_binaries.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/program/kernel_images.h"

enum { MARKED_MAX = 1024 };

static const char lccl_section[] = "Attr_Section_Lcal";

/* The handles of LCCL's binaries and kernels: few or none. */
static const void *marked[MARKED_MAX];
static atomic_size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kernel_binaries_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    kernel_images_reset();
}

/* Returns `length` bytes of the file, or NULL when they are not all inside. */
static const void *slice(const void *bytes, size_t size, uint64_t at, uint64_t length)
{
    return at <= size && length <= size - at ? (const uint8_t *)bytes + at : NULL;
}

static bool read_section(const void *bytes,
                         size_t size,
                         const Elf64_Ehdr *head,
                         size_t i,
                         Elf64_Shdr *out)
{
    const void *at = slice(bytes, size, head->e_shoff + i * sizeof(*out), sizeof(*out));

    if (at)
        memcpy(out, at, sizeof(*out));
    return at != NULL;
}

bool elf_has_section(const void *bytes, size_t size, const char *name)
{
    size_t length = strlen(name) + 1;
    Elf64_Shdr section, names;
    Elf64_Ehdr head;

    if (size < sizeof(head))
        return false;
    memcpy(&head, bytes, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(section) ||
        !read_section(bytes, size, &head, head.e_shstrndx, &names))
        return false;
    for (size_t i = 0; i < head.e_shnum; i++) {
        const char *text;

        if (!read_section(bytes, size, &head, i, &section))
            return false;
        if (section.sh_name >= names.sh_size ||
            length > names.sh_size - section.sh_name ||
            !(text = slice(bytes, size, names.sh_offset, names.sh_size)))
            continue;
        if (memcmp(text + section.sh_name, name, length) == 0)
            return true;
    }
    return false;
}

static size_t find(const void *handle)
{
    size_t at = 0;

    while (at < count && marked[at] != handle)
        at++;
    return at;
}

/* Adds or removes a handle. The runtime reuses handles, so a new object without the
 * section removes an old entry. */
static void mark(const void *handle, bool is_lccl)
{
    size_t at;

    if (!handle || (!is_lccl && atomic_load(&count) == 0))
        return;
    pthread_mutex_lock(&lock);
    at = find(handle);
    if (is_lccl && at == count && count < MARKED_MAX)
        marked[count++] = handle;
    else if (!is_lccl && at < count)
        marked[at] = marked[--count];
    pthread_mutex_unlock(&lock);
}

void kernel_binary_add_bytes(const void *handle, const void *bytes, size_t size)
{
    kernel_image_put(handle, bytes, size, false);
    mark(handle, bytes && elf_has_section(bytes, size, lccl_section));
}

void kernel_binary_add_file(const void *handle, const char *path)
{
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = MAP_FAILED;
    struct stat is;

    if (file < 0)
        return;
    if (fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0)
        bytes = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return;
    mark(handle, elf_has_section(bytes, (size_t)is.st_size, lccl_section));
    kernel_image_put(handle, bytes, (size_t)is.st_size, true);
}

void kernel_binary_add_part(const void *binary, const void *of_it)
{
    kernel_image_put_part(binary, of_it);
    mark(of_it, kernel_binary_is_lccl(binary));
}

void kernel_binary_remove(const void *handle)
{
    kernel_image_drop(handle);
    mark(handle, false);
}

bool kernel_binary_is_lccl(const void *handle)
{
    bool is;

    if (atomic_load_explicit(&count, memory_order_acquire) == 0)
        return false;
    pthread_mutex_lock(&lock);
    is = find(handle) < count;
    pthread_mutex_unlock(&lock);
    return is;
}
