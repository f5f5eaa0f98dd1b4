/* train_files.h - writes the files of a profiler of a framework for one rank */
#ifndef SIM_TRAINING_TRAIN_FILES_H
#define SIM_TRAINING_TRAIN_FILES_H

#include <stdio.h>

#include "sim/training/train_model.h"

/* Writes DIR/rank<N>_ascend_pt. Prints the reason and returns -1 when that fails. */
int train_files_write(const struct train_model *model, uint32_t rank, const char *dir);

/* The files with more than a few lines. */
void train_trace_write(FILE *out, const struct train_rank *rank);
void train_comm_write(FILE *out, const struct train_model *model, uint32_t rank);
void train_comm_matrix_write(FILE *out, const struct train_model *model, uint32_t rank);

/* The number by which files name the only communicator, and the end of that number,
 * which the names of its collectives contain. */
#define TRAIN_GROUP      "5862276093215481612"
#define TRAIN_GROUP_TAIL "612"

#endif
