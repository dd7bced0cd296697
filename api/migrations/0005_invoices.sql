-- Addresses that payments may come to. Each belongs to one user forever, so a payment always finds its account.
create table deposit_addresses (
  -- Also the index that the address is derived from.
  id bigint generated always as identity primary key,
  -- A set of addresses that one or several chains share: Ethereum and BSC have the same ones.
  address_space text not null,
  address text not null,
  user_id uuid not null references users,
  -- False where each invoice gets a new one, for privacy.
  is_reused boolean not null,
  created_at timestamptz not null default now(),
  unique (address_space, address)
);
create unique index deposit_addresses_of_user on deposit_addresses (user_id, address_space) where is_reused;

create table invoices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  -- What the amount costs, in the currency's smallest unit, at the rate below: US dollars for one coin, times 10^12.
  due_units numeric(78, 0) not null check (due_units > 0),
  rate_e12 numeric(78, 0) not null check (rate_e12 > 0),
  address_id bigint not null references deposit_addresses,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'CONFIRMING', 'PARTIALLY_PAID', 'PAID', 'OVERPAID', 'EXPIRED')),
  -- Cleared when it is paid, when its time has passed, and when a newer invoice takes its place.
  is_open boolean not null default true,
  -- Payments that arrive before have the rate above. A newer invoice in the same currency brings it forward.
  expired_at timestamptz not null,
  -- Whole milliseconds, as JavaScript has them: a payment of the same instant is not taken for an earlier one.
  created_at timestamptz not null default date_trunc('milliseconds', now())
) with (fillfactor = 80);
create unique index invoices_open_once on invoices (user_id, currency) where is_open;
create index invoices_of_user on invoices (user_id, created_at desc, id);
create index invoices_newest on invoices (created_at desc, id);
create index invoices_of_address on invoices (address_id, currency, created_at desc);
create index invoices_expiring on invoices (expired_at) where is_open;

-- Payments as a chain shows them. What identifies one is the chain's own: it is credited once, however often it is seen.
create table deposits (
  id uuid primary key default gen_random_uuid(),
  chain text not null,
  asset text not null,
  transaction_id text not null,
  output integer not null,
  address_id bigint not null references deposit_addresses,
  -- Null: it came to the user's address when he had no invoice in this currency.
  invoice_id uuid references invoices,
  units numeric(78, 0) not null check (units > 0),
  state text not null check (state in ('SEEN', 'INCLUDED', 'FINAL', 'CREDITED')),
  arrived_at timestamptz not null,
  -- Null: no rate was known then, and the first one after it counts.
  arrival_rate_e12 numeric(78, 0),
  credited_micros bigint check (credited_micros >= 0),
  credited_rate_e12 numeric(78, 0),
  credited_at timestamptz,
  unique (chain, asset, transaction_id, output),
  check ((state = 'CREDITED') = (credited_at is not null and credited_micros is not null))
) with (fillfactor = 80);
create index deposits_of_invoice on deposits (invoice_id);
create index deposits_to_credit on deposits (chain, arrived_at) where state = 'FINAL';

-- Up to where each chain has been read; the row is also the lock of the loop that writes what was read.
create table chain_cursors (
  chain text primary key,
  cursor text
);
insert into chain_cursors (chain)
values ('bitcoin'), ('litecoin'), ('ethereum'), ('bsc'), ('tron'), ('ton');

-- The sandbox chain itself: what a node would know. Development only; nothing here is worth anything.
create table sandbox_transactions (
  height bigint generated always as identity primary key,
  transaction_id text not null unique,
  chain text not null,
  asset text not null,
  address text not null,
  units numeric(78, 0) not null check (units > 0),
  created_at timestamptz not null default now()
);
create index sandbox_transactions_of_chain on sandbox_transactions (chain, height);
create index sandbox_transactions_to_address on sandbox_transactions (address);

-- Paid invoices of referred users: they make the referrer's level. An invoice counts once.
create table referral_payments (
  invoice_id uuid primary key references invoices,
  referrer_id uuid not null references users,
  paid_at timestamptz not null default now()
);
create index referral_payments_of_referrer on referral_payments (referrer_id, paid_at);
