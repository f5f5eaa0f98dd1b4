/* element.h - element types of collectives: size, reduction, conversion */
#ifndef SIM_HCCL_ELEMENT_H
#define SIM_HCCL_ELEMENT_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

uint32_t element_size(HcclDataType type);   /* 0: no such type */
bool element_can_reduce(HcclDataType type); /* false: the type can only be moved */
/* Sets into[i] = into[i] op from[i], rounded to the type after each operation. */
void element_reduce(HcclDataType type,
                    HcclReduceOp op,
                    void *into,
                    const void *from,
                    uint64_t bytes);

float element_from_half(uint16_t half);
uint16_t element_to_half(float value); /* to the nearest, ties to even */
float element_from_bfloat(uint16_t value);
uint16_t element_to_bfloat(float value);

#endif
