-- The operator's accounts from whose public keys addresses are derived. A new key is a new account; the older ones stay, because
-- their addresses are watched forever. The key itself is a setting.
create table wallet_accounts (
  id bigint generated always as identity primary key,
  address_space text not null,
  -- Of the key and its chain code; 'sandbox' for the sandbox.
  fingerprint text not null,
  -- Of the next address. Address 0 is the operator's, to compare keys.
  next_index bigint not null,
  created_at timestamptz not null default now(),
  unique (address_space, fingerprint)
);
alter table deposit_addresses
  -- Null in rows of older processes: then the id is the index of a sandbox address.
  add column wallet_account_id bigint references wallet_accounts,
  add column derivation_index bigint,
  -- Proves that this program derived the address for this user: a changed row must not redirect money.
  add column mac text,
  -- Until then payments are searched at the pace of the chain, later once a day.
  add column watched_until timestamptz not null default now() + interval '7 days';
