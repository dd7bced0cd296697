-- The most bytes per second that customers' tunnels through the exit reached on the day. Null: there was no traffic.
alter table exit_history add column bytes_per_second bigint;
