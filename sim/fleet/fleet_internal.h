/* fleet_internal.h - the reader of the `faults` list, for the reader of the fleet file
 */
#ifndef SIM_FLEET_FLEET_INTERNAL_H
#define SIM_FLEET_FLEET_INTERNAL_H

struct fleet;
struct reader;
struct yaml_node_s;

/* Reads the list of faults. Call it after the hosts are read: faults name hosts. */
void fleet_read_faults(struct reader *reader,
                       struct yaml_node_s *list,
                       struct fleet *fleet);

#endif
