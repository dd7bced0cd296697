-- revision: 1
-- of: proxies
-- Location of each proxy.
create or replace view readable_proxies as
select id, ip, country_code, region, city, zip, isp, connection_type from proxies;
