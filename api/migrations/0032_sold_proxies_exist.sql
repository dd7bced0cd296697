alter table connections add constraint connections_proxy_id_fkey foreign key (proxy_id) references proxies not valid;
