-- revision: 1
-- Free proxies that may take the place of a connection's, the most similar first: of the same country, operator and price, at another exit,
-- which the last check has found to be as sold: other customers return what they replace.
create or replace function replacing_proxies(replaced_id uuid, limit_count integer) returns setof uuid language sql stable as $$
  select free.id
    from connections
    join proxies as sold on sold.id = proxy_id
    join proxies as free on free.country_code = sold.country_code and free.isp = sold.isp and free.price_micros = connections.price_micros
    join exits on exits.id = free.exit_id
    join gateway_nodes on gateway_nodes.id = exits.node_id
    join exit_checks on exit_checks.exit_id = exits.id and reason is null
         and (family(seen_address) = family(free.ip) and seen_address <> free.ip) is not true
         and (seen_country <> free.country_code or seen_asn <> free.asn) is not true
   where connections.id = replaced_id and free.connection_id is null and free.is_healthy and not is_draining
     and free.id <> sold.id and free.exit_id <> connections.exit_id
   order by free.connection_type = sold.connection_type desc, free.city = sold.city desc, free.id
   limit limit_count
$$;
