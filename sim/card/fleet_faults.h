/* fleet_faults.h - the faults of a fleet file: a table of kinds and their keys */
#ifndef SIM_CARD_FLEET_FAULTS_H
#define SIM_CARD_FLEET_FAULTS_H

struct fleet;
struct reader;
struct yaml_node_s;

/* After the hosts, which they name. */
void fleet_read_faults(struct reader *reader,
                       struct yaml_node_s *list,
                       struct fleet *fleet);

#endif
