/* ipc.h - device memory that other processes can map */
#ifndef SIM_RUNTIME_IPC_H
#define SIM_RUNTIME_IPC_H

/* Ends the export of a block: makes its pages private and its key invalid. Call it
 * before the block is freed. */
void ipc_forget(void *address);

#endif
