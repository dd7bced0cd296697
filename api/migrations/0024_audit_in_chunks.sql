-- One worker audits at a time: whoever has the lease. It is renewed while the audit runs, so a worker that died is replaced soon,
-- and one that was stopped for long finds that its result is no longer wanted.
alter table reconciliation
  add column lease_id uuid,
  add column leased_until timestamptz;

-- Sums of all entries up to a transfer, of accounts where they are not zero: balances are compared with them and the few entries
-- after that. They take the place of verified_sums, which only older processes still use.
create table account_sums (
  account_id bigint primary key,
  micros bigint not null
);
create index account_sums_empty on account_sums (account_id) where micros = 0;
-- Up to which one; in a row of its own, which moves in the transaction that adds the entries.
create table account_sums_mark (
  is_only boolean primary key default true check (is_only),
  transfer_id bigint not null
);
insert into account_sums_mark (transfer_id) values (0);
