/* power_loss.h - simulates a crash, a power loss or a disk fault at a chosen file
 * change
 *
 * A layer over SQLite's file functions (VFS). It counts the changes of files (writes,
 * syncs, truncations), keeps the overwritten bytes until the next sync of the file, and
 * at the chosen change simulates the fault. Syncs do not reach the disk: this layer
 * alone decides which bytes count as synced, and the tests are fast. For one thread. */
#ifndef TESTS_FAULT_POWER_LOSS_H
#define TESTS_FAULT_POWER_LOSS_H

enum power_way {
    POWER_KILLED,    /* the process ends; all writes are kept */
    POWER_LOST,      /* the process ends; all writes since the last sync are lost */
    POWER_TORN,      /* as POWER_LOST, but some sectors of these writes are kept */
    POWER_DISK_FULL, /* this write and all later ones fail; the process continues */
    POWER_DISK_DEAD, /* all changes of files fail; the process continues */
};

enum { POWER_EXIT = 86 };

/* Installs the layer as SQLite's default. Call it once per process. */
void power_init(void);
/* Simulates the fault at the n-th change from now on; 0: never. */
void power_fail_at(unsigned long n, enum power_way way, unsigned seed);
/* Returns the number of changes since power_fail_at(). */
unsigned long power_count(void);

#endif
