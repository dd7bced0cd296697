-- The exit, or its node, has used nine tenths of its traffic budget of this month.
alter table proxies add column is_over_budget boolean not null default false;
create trigger proxies_offered_by_budget before update of is_over_budget on proxies for each row execute function offer_proxy();
