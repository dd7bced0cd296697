-- For staff: who had an address, and what ended with a status. Open connections have an index of their own.
create index concurrently connections_of_proxy on connections (proxy_id, created_at desc, id);
create index concurrently connections_ended_with on connections (status, created_at desc, id) where status <> 'WORK';
