/* function.h - kernel binaries, the functions in them, and their argument lists */
#ifndef SIM_RUNTIME_FUNCTION_H
#define SIM_RUNTIME_FUNCTION_H

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
    npu_sim_aicpu_fn *cpu;             /* not NULL: for the AI CPU, there is no body */
    const struct npu_sim_kernel *info; /* NULL: the kernel says nothing of itself */
    const struct npu_sim_simt *simt;   /* NULL: it cannot run as threads */
    const struct npu_sim_params *params; /* NULL: it does not tell its parameters */
    struct args *args;                   /* lists that live as long as the function */
    struct function *next;
};

struct args_view {
    const void *bytes; /* parameters, then the data of place holders */
    size_t size;
    const aclrtPlaceHolderInfo *holders;
    size_t holder_count;
};

struct function *function_of(aclrtFuncHandle handle); /* NULL: not one */
/* Packs a finished list; the view lasts until it is packed again. */
aclError args_pack(aclrtArgsHandle handle, struct args_view *view);
void args_destroy(struct args *first);

/* The rt layer's ways to a function. */
aclError binary_register(const void *data, size_t size, void **handle);
aclError function_by_key(void *binary, uint64_t key, struct function **out);
aclError function_bind(void *binary, const void *stub, const char *name);
struct function *function_of_stub(const void *stub);

#endif
