/* hooks_dlsym.c - intercepts functions that a program looks up with dlsym()
 *
 * Libraries that are opened late (operator libraries, Python extensions) get function
 * addresses from dlsym(), which would bypass the hooks. So dlsym() is a hook too:
 *
 * - With RTLD_NEXT and RTLD_DEFAULT the result depends on the caller, which the C
 * library identifies by the return address. The hook must therefore jump to the real
 * dlsym() with the caller's return address in place. This takes a few lines of
 * assembly, because no compiler option guarantees such a jump.
 * - With any other handle the hook calls the real dlsym(). It returns the hook of
 * inject only when the real function was found in a library that defines it. A program
 * that tests whether a function exists thus gets the same result as without inject.
 */
#include <string.h>

#include "inject/base/real_dlsym.h"
#include "inject/hooks/hook_frame.h"

/* The assembly below uses this name and those of real_dlsym.h. */
__attribute__((visibility("hidden"))) void *inject_dlsym_by_handle(void *handle,
                                                                   const char *name);

#if defined(__x86_64__)
__asm__(
    ".pushsection .text\n"
    ".globl dlsym\n"
    ".type dlsym, @function\n"
    "dlsym:\n"
    "    endbr64\n"
    "    leaq 1(%rdi), %rax\n" /* RTLD_NEXT (-1) and RTLD_DEFAULT (0): 0 and 1 now */
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
#error "write the jump to the real dlsym() for this processor"
#endif

#define X(name, layer) extern void name(void);
HOOKED_FUNCTIONS(X)
#undef X

static void *const hooks[HOOKED_COUNT] = {
#define X(name, layer) (void *)name,
    HOOKED_FUNCTIONS(X)
#undef X
};

/* Returns the function with this name, or HOOKED_COUNT. */
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
