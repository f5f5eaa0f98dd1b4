/* kernel_binaries.h - finds the kernels of the light communication library (LCCL)
 *
 * Such a kernel writes into the memory of its peers through windows that HCCL does not
 * manage. Its binary has a section with a fixed name. This module stores the handles of
 * such binaries, and of the functions and stubs in them. */
#ifndef INJECT_PROGRAM_KERNEL_BINARIES_H
#define INJECT_PROGRAM_KERNEL_BINARIES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true when the bytes are an ELF file with this section. A file that is cut off
 * before the section headers or names has none. */
bool elf_has_section(const void *bytes, size_t size, const char *name);

void kernel_binary_add_bytes(const void *handle, const void *bytes, size_t size);
void kernel_binary_add_file(const void *handle, const char *path);
/* Adds a function or stub of a binary, or a binary that was created from another
 * object. */
void kernel_binary_add_part(const void *binary, const void *part);
void kernel_binary_remove(const void *handle);

/* `handle` is a function, a stub or a binary. */
bool kernel_binary_is_lccl(const void *handle);

void kernel_binaries_reset(void); /* in a child process: registered handles stay */

#endif
