/* ipc.h - device memory that another process may map */
#ifndef SIM_RUNTIME_IPC_H
#define SIM_RUNTIME_IPC_H

/* Before a block is freed: its pages are its own again, its key opens nothing. */
void ipc_forget(void *address);

#endif
