create index concurrently proxies_of_exit on proxies (exit_id);
