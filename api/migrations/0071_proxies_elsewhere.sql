-- Proxies whose exits checks have seen in another country, or at another operator, than what is sold.
alter table dashboard_proxies add column elsewhere integer not null default 0;
