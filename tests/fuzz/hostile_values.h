/* hostile_values.h - values for the fields of hostile messages
 *
 * A value is a limit of its type, a sample that a program accepts, or a value that the
 * other side sent in a field of the same name. The seed decides which one. */
#ifndef TESTS_FUZZ_HOSTILE_VALUES_H
#define TESTS_FUZZ_HOSTILE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <msgpack.h>

#include "lib/wire/messages.h"

struct hostile_values;

struct hostile_values *hostile_values_create(uint64_t seed);
void hostile_values_destroy(struct hostile_values *values); /* NULL is allowed */

/* Returns a number below `below`, which is not 0. */
uint64_t hostile_random(struct hostile_values *values, uint64_t below);

/* Copies numbers and texts of a message that the other side sent, and counts it. */
void hostile_values_learn(struct hostile_values *values,
                          const struct message *kind,
                          const union any_message *message);

/* Prints the number of learned messages of each type, and ends the line. */
void hostile_values_print(const struct hostile_values *values);

/* Number of limits of a type, and the packer of one of them. */
size_t hostile_limit_count(enum field_type type);
void hostile_pack_limit(msgpack_packer *packer, enum field_type type, size_t which);

/* Packs a value that a program accepts in a field of this name. */
void hostile_pack_sample(msgpack_packer *packer,
                         struct hostile_values *values,
                         const struct field *field);
/* Packs a sample, a value of the other side, a limit or a small number. */
void hostile_pack_random(msgpack_packer *packer,
                         struct hostile_values *values,
                         const struct field *field);

#endif
