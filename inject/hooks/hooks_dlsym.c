/* hooks_dlsym.c - functions that a program looks up by name instead of linking to them
 *
 * Libraries that are opened late (the operator libraries, Python's extensions) take the
 * address of a function with dlsym(), and would pass us by. So dlsym() is a hook too:
 *
 * - With RTLD_NEXT and RTLD_DEFAULT the answer depends on who asks, which the C library
 *   learns from the return address. So these are not called but jumped to, with the
 *   asker's return address still in place; that takes a few lines of assembly, because
 *   no option makes a compiler promise it.
 * - With any other handle we ask for the program, and hand out our hook only when the
 *   real function was found, and in the library where it belongs: a question whether a
 *   function is there keeps its answer.
 */
#include <string.h>

#include "inject/base/real_dlsym.h"
#include "inject/hooks/hook_frame.h"

/* The assembly below uses this name and those of real_dlsym.h. */
__attribute__((visibility("hidden"))) void *inject_dlsym_by_handle(void *handle,
                                                                   const char *name);

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    endbr64\n"
        "    leaq 1(%rdi), %rax\n" /* RTLD_NEXT -1 and RTLD_DEFAULT 0: now 0 and 1 */
        "    cmpq $1, %rax\n"
        "    ja inject_dlsym_by_handle\n"
        "    movq inject_dlsym_real(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    jmp *%rax\n"
        "1:  pushq %rdi\n"
        "    pushq %rsi\n"
        "    subq $8, %rsp\n"
        "    call inject_dlsym_find\n"
        "    addq $8, %rsp\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    jmp *%rax\n"
        ".size dlsym, .-dlsym\n"
        ".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    hint #34\n" /* bti c */
        "    add x16, x0, #1\n"
        "    cmp x16, #1\n"
        "    b.hi inject_dlsym_by_handle\n"
        "    adrp x16, inject_dlsym_real\n"
        "    ldr x16, [x16, #:lo12:inject_dlsym_real]\n"
        "    cbz x16, 1f\n"
        "    br x16\n"
        "1:  stp x29, x30, [sp, #-32]!\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl inject_dlsym_find\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    br x16\n"
        ".size dlsym, .-dlsym\n"
        ".popsection\n");
#else
#error "dlsym() has to be jumped to, and this processor's jump is not written yet"
#endif

#define X(name, layer) extern void name(void);
HOOKED_FUNCTIONS(X)
#undef X

static void *const hooks[HOOKED_COUNT] = {
#define X(name, layer) (void *)name,
    HOOKED_FUNCTIONS(X)
#undef X
};

/* Which hook has this name; HOOKED_COUNT when none has. */
static enum hooked_function find_hook(const char *name)
{
    int id = 0;

    if (strncmp(name, "acl", 3) != 0 && strncmp(name, "rt", 2) != 0 &&
        strncmp(name, "Hc", 2) != 0 && strncmp(name, "Msprof", 6) != 0)
        return HOOKED_COUNT;
    while (id < HOOKED_COUNT && strcmp(real_functions[id].name, name) != 0)
        id++;
    return (enum hooked_function)id;
}

void *inject_dlsym_by_handle(void *handle, const char *name)
{
    void *found = real_dlsym(handle, name);
    enum hooked_function id;

    if (!found || hook_depth > 0 || !name || !lifecycle_is_requested())
        return found;
    id = find_hook(name);
    return id != HOOKED_COUNT && real_function_owns_address(id, found) ? hooks[id]
                                                                       : found;
}
