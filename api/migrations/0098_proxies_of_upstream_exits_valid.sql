alter table proxies validate constraint proxies_upstream_exit;
