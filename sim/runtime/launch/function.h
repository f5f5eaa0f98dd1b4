/* function.h - kernel binaries, the functions in them, and their argument lists */
#ifndef SIM_RUNTIME_LAUNCH_FUNCTION_H
#define SIM_RUNTIME_LAUNCH_FUNCTION_H

#include <acl/acl.h>
#include <npu_sim/aicpu.h>
#include <npu_sim/kernel.h>
#include <stddef.h>
#include <stdint.h>

struct binary;
struct code;

struct function {
    uint32_t magic;
    struct binary *binary;
    const struct code *code;
    const char *name;
    npu_sim_body_fn *body;
    npu_sim_aicpu_fn *cpu;             /* not NULL: an AI CPU kernel; body is NULL */
    const struct npu_sim_kernel *info; /* NULL: the kernel declares no work */
    npu_sim_cost_fn *counted;          /* NULL: the kernel marks no part */
    const struct npu_sim_simt *simt;   /* NULL: cannot run as threads */
    const struct npu_sim_params
        *params;       /* NULL: sizes of parameters are not declared */
    struct args *args; /* argument lists, freed with the function */
    struct function *next;
};

struct args_view {
    const void *bytes; /* the parameters, then the data of the place holders */
    size_t size;
    const aclrtPlaceHolderInfo *holders;
    size_t holder_count;
};

struct function *function_of(aclrtFuncHandle handle); /* NULL: not a function */
/* Packs a finished list. The view is valid until the list is packed again. */
aclError args_pack(aclrtArgsHandle handle, struct args_view *view);
void args_destroy(struct args *first);

/* how the rt layer registers binaries and finds functions */
aclError binary_register(const void *data, size_t size, void **handle);
aclError function_by_key(void *binary, uint64_t key, struct function **out);
aclError function_bind(void *binary, const void *stub, const char *name);
struct function *function_of_stub(const void *stub);

#endif
