-- Whose traffic left through an exit at a time.
create index concurrently connections_of_exit on connections (exit_id, ended_at);
