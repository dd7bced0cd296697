-- Apart from the change of the rule itself, so that reads and writes go on while older rows are read.
alter table deposits validate constraint deposits_known_hold;
