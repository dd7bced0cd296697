-- revision: 3
-- of: proxies
-- Location and limits of each proxy.
create or replace view readable_proxies as
select id, ip, country_code, region, city, zip, isp, connection_type, port_rule, tunnels_max, bytes_per_second_max, asn from proxies;
