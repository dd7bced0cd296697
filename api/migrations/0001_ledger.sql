-- Double entry, append only. One transfer debits one account and credits another by the same amount, so all balances
-- together are zero by construction. The account row holds the materialised balance and is the mutex of its owner.

create table accounts (
  id bigint generated always as identity (start with 1000) primary key,
  kind text not null check (kind in ('EXTERNAL', 'REVENUE', 'BONUS', 'LOSS', 'USER', 'ESCROW')),
  balance_micros bigint not null default 0,
  -- Money promised to gateways as grants and not spent yet; still part of the balance.
  held_micros bigint not null default 0 check (held_micros >= 0),
  -- The second guard beside the services: no customer and no escrow ever goes below zero.
  constraint customer_not_negative check (kind not in ('USER', 'ESCROW') or balance_micros - held_micros >= 0)
) with (fillfactor = 70);

insert into accounts (id, kind) overriding system value
values (1, 'EXTERNAL'), (2, 'REVENUE'), (3, 'BONUS'), (4, 'LOSS');

create table transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique,
  debit_account_id bigint not null references accounts,
  credit_account_id bigint not null references accounts,
  amount_micros bigint not null check (amount_micros > 0),
  reason text not null check (
    reason in ('TOP_UP', 'TRIAL', 'REFERRAL_BONUS', 'PREPAID_50_MB', 'MEGABYTE', 'REFUND', 'SETTLE')
  ),
  -- What a charge is for: megabytes from (included) to (excluded), counted from 0.
  megabyte_from bigint,
  megabyte_to bigint,
  created_at timestamptz not null default now(),
  check (debit_account_id <> credit_account_id),
  check ((reason in ('PREPAID_50_MB', 'MEGABYTE')) = (megabyte_from is not null and megabyte_to > megabyte_from))
);
create index transfers_debit on transfers (debit_account_id, id);
-- Also the rule that no megabyte of a connection (its escrow account) is charged twice.
create unique index transfers_megabyte on transfers (credit_account_id, megabyte_from) where megabyte_from is not null;
create index transfers_credit on transfers (credit_account_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger transfers_append_only before update or delete on transfers
  for each row execute function refuse_change();
create trigger transfers_not_truncated before truncate on transfers
  for each statement execute function refuse_change();

-- The two entries of each transfer, as an auditor reads them.
create view entries as
select id as transfer_id, debit_account_id as account_id, -amount_micros as amount_micros, reason, created_at from transfers
union all
select id, credit_account_id, amount_micros, reason, created_at from transfers;
