/* kernel_images.h - bytes of the kernel binaries that the program has loaded
 *
 * inject builds instrumented kernels from them, and the parsers read symbols and lines
 * from them. They are stored until the binary is unloaded. A file is mapped. Memory is
 * copied, as long as all copies together stay below 256 MiB. */
#ifndef INJECT_PROGRAM_KERNEL_IMAGES_H
#define INJECT_PROGRAM_KERNEL_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_image {
    const void *bytes;
    size_t size;
    uint64_t hash; /* of the bytes */
};

/* `is_mapping`: the bytes are a mapping, and this function takes it. */
void kernel_image_put(const void *handle,
                      const void *bytes,
                      size_t size,
                      bool is_mapping);
void kernel_image_put_part(const void *binary, const void *part);
void kernel_image_drop(const void *handle);
/* `handle` is a function, a stub or a binary. The bytes stay valid while the binary is
 * loaded. Returns false when they are not stored. */
bool kernel_image_get(const void *handle, struct kernel_image *out);

void kernel_images_reset(void);

#endif
