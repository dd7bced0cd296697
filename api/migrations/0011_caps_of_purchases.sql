-- The cap of the purchase, which a repeated request is compared with; the current one may have been changed. Null: none.
alter table connections add column bought_cap_megabytes bigint;
