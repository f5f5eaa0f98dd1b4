/* environment.h - versions of the software below the program, and the memory's maker */
#ifndef INJECT_DEVICE_ENVIRONMENT_H
#define INJECT_DEVICE_ENVIRONMENT_H

struct device;

/* Writes a record at the first call for a device. */
void environment_write_record(struct device *device);

#endif
