/* kernel_images.h - the bytes of the kernel binaries that the program has loaded
 *
 * An instrumented kernel is made of them, and symbols and lines are read from them, so
 * they are kept until their binary goes: a file is mapped, memory is copied while all
 * copies stay below a limit. What belongs to a binary is known by its handle. */
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

/* `is_mapping`: the bytes are a mapping that is ours from now on. */
void kernel_image_put(const void *handle,
                      const void *bytes,
                      size_t size,
                      bool is_mapping);
void kernel_image_put_part(const void *binary, const void *part);
void kernel_image_drop(const void *handle);
/* Of a function, a stub or a binary. It stays while the binary is loaded. */
bool kernel_image_get(const void *handle, struct kernel_image *out);

void kernel_images_reset(void);

#endif
