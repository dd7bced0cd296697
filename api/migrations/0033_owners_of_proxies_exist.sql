-- A purchase takes the proxy before it makes the connection.
alter table proxies
  add constraint proxies_connection_id_fkey foreign key (connection_id) references connections
    deferrable initially deferred not valid;
