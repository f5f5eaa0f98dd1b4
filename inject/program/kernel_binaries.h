/* kernel_binaries.h - what kernel binaries say of themselves
 *
 * A kernel of the light communication library (LCCL) reaches into its peers' memory by
 * itself, through windows that HCCL knows nothing of. Its binary has a section that
 * says so; what belongs to such a binary is remembered by its handle. */
#ifndef INJECT_PROGRAM_KERNEL_BINARIES_H
#define INJECT_PROGRAM_KERNEL_BINARIES_H

#include <stdbool.h>
#include <stddef.h>

/* True when the bytes are an ELF file, whole as far as is needed, with this section. */
bool elf_has_section(const void *bytes, size_t size, const char *name);

void kernel_binary_add_bytes(const void *handle, const void *bytes, size_t size);
void kernel_binary_add_file(const void *handle, const char *path);
/* A function, or a stub, of a binary; or a binary made of another thing. */
void kernel_binary_add_part(const void *binary, const void *part);
void kernel_binary_remove(const void *handle);

/* Of a function, a stub or a binary. */
bool kernel_binary_is_lccl(const void *handle);

void kernel_binaries_reset(void); /* in a child: what is registered stays */

#endif
