-- The worker asks for them each minute.
create index concurrently proxies_over_budget on proxies (id) where is_over_budget;
