/* describe_fields.h - texts that describe the blocks of visualize_data.bin */
#ifndef PARSERS_CONTAINER_DESCRIBE_FIELDS_H
#define PARSERS_CONTAINER_DESCRIBE_FIELDS_H

/* Returns the purpose of a block type, or NULL for an unknown type. */
const char *describe_block(unsigned type);
/* Returns the meaning of a field, or NULL for a field that the viewer does not read. */
const char *describe_field(unsigned type, const char *path);

#endif
