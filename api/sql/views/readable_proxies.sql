-- revision: 1
-- of: proxies
-- Where a proxy is, and how its traffic leaves.
create or replace view readable_proxies as
select id, ip, country_code, region, city, zip, isp, connection_type, exit from proxies;
