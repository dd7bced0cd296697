-- When a worker first reported the payment, beside the time of its block; null in older rows.
alter table deposits add column first_seen_at timestamptz;
alter table deposits alter column first_seen_at set default now();
-- Its inputs signal that another transaction may replace it while it is in no block (BIP 125).
alter table deposits add column is_replaceable boolean not null default false;
