-- The schema of release 0.1.0, by module. The current functions and views are in api/sql, which is applied after the migrations.

-- Finds users by a part of their email.
create extension if not exists pg_trgm;

-- The functions of the triggers below. Their definitions are in api/sql too, and replace these before a process uses the new database.
create function refuse_change() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function refuse_other_referrer() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function count_registered() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function offer_proxy() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function refuse_if_sold() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function refuse_blocked_buyer() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function track_ticket() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function track_ticket_message() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function keep_ticket_words() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;
create function add_to_days() returns trigger language plpgsql as $$ begin raise exception 'api/sql is missing'; end $$;

-- What a column may contain is a type, as far as a type can express it: PostgreSQL parses a table's check constraints from their text in
-- each statement that writes the table, which was a third of the cost of a purchase.

-- Micro-dollars for 100 MB. Divisible by 100, so that one megabyte has an exact price.
create domain price_micros as bigint check (value > 0 and value % 100 = 0);
create domain amount_micros as bigint constraint amount_positive check (value > 0);
create domain held_micros as bigint constraint held_not_negative check (value >= 0);
create domain escrow_micros as bigint constraint escrow_not_negative check (value >= 0);
create domain country_code as text check (value ~ '^[A-Z]{2}$');


-- ledger: double entry, append-only. A transfer debits one account and credits another by the same amount, so all balances together are zero.

create type account_kind as enum ('EXTERNAL', 'REVENUE', 'BONUS', 'LOSS', 'USER', 'ADJUSTMENT');
create type transfer_reason as enum (
  'PREPAID_50_MB', 'MEGABYTE', 'REFUND', 'SETTLE', 'TOP_UP', 'TRIAL', 'REFERRAL_BONUS', 'ADJUSTMENT', 'REVERSAL', 'RESTORATION'
);

-- The row holds the current balance and is the lock of its owner. Escrow accounts are columns of their connections, with ids of the
-- same sequence.
create table accounts (
  -- System accounts have ids below 1000.
  id bigint generated always as identity (start with 1000) primary key,
  kind account_kind not null,
  balance_micros bigint not null default 0,
  -- Promised to gateways as grants and not spent yet; still part of the balance.
  held_micros held_micros not null default 0,
  -- The second guard beside the services.
  constraint customer_not_negative check (balance_micros >= held_micros or kind <> 'USER')
-- A batch changes all rows of a page at once. There is room for all of their new versions, so no index needs to be written.
) with (fillfactor = 45);
create trigger accounts_stay before delete on accounts for each row execute function refuse_change();
create trigger accounts_not_truncated before truncate on accounts for each statement execute function refuse_change();

insert into accounts (id, kind) overriding system value
values (1, 'EXTERNAL'), (2, 'REVENUE'), (3, 'BONUS'), (4, 'LOSS'),
       -- The other side of each correction by staff.
       (5, 'ADJUSTMENT');

-- No foreign keys to accounts: the ledger has locked them or changes them in the same statement, accounts are never deleted, and the
-- lookups were a fifth of the cost of a charge.
create table transfers (
  id bigint generated always as identity primary key,
  -- Null for charges of megabytes, which the index transfers_megabyte refuses to repeat.
  idempotency_key text,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  amount_micros amount_micros not null,
  reason transfer_reason not null,
  -- What a charge is for: megabytes from (inclusive) to (exclusive), counted from 0.
  megabyte_from bigint,
  megabyte_to bigint,
  created_at timestamptz not null default now(),
  -- Of a charge: what had been counted, and the hash over this and the hash of the charge before it (docs/receipts.md).
  uploaded_bytes bigint,
  downloaded_bytes bigint,
  charge_hash bytea,
  check (debit_account_id <> credit_account_id),
  constraint repeats_are_refused check (idempotency_key is not null or megabyte_from is not null),
  constraint charge_names_megabytes check ((reason in ('PREPAID_50_MB', 'MEGABYTE')) = (megabyte_to > megabyte_from is true)),
  constraint charge_is_chained check (
    num_nonnulls(charge_hash, uploaded_bytes, downloaded_bytes)
      = case when reason in ('PREPAID_50_MB', 'MEGABYTE', 'REFUND') then 3 else 0 end
  )
);
-- As few indexes as possible on the busiest table: a charge is in three.
create index transfers_debit on transfers (debit_account_id, id);
-- No megabyte of a connection (its escrow account) is charged twice. Also finds all credits of an account.
create unique index transfers_megabyte on transfers (credit_account_id, megabyte_from);
create index transfers_credit on transfers (credit_account_id, id) where megabyte_from is null;
create unique index transfers_idempotency on transfers (idempotency_key) where idempotency_key is not null;
create trigger transfers_append_only before update or delete on transfers for each row execute function refuse_change();
create trigger transfers_not_truncated before truncate on transfers for each statement execute function refuse_change();

-- Sums of all entries up to a transfer, of accounts where they are not zero: the audit compares balances with them and the few entries
-- after that.
create table account_sums (
  account_id bigint primary key,
  micros bigint not null
);
create index account_sums_empty on account_sums (account_id) where micros = 0;
-- The transfer, in the one row that changes in the transaction that adds the entries.
create table account_sums_mark (
  is_only boolean primary key default true check (is_only),
  transfer_id bigint not null
);
insert into account_sums_mark (transfer_id) values (0);


-- users

create table roles (
  name text primary key,
  permissions text[] not null,
  -- Here and in other tables: counts the changes by staff, so that nobody overwrites a change that they have not seen.
  version integer not null default 0
);

create table users (
  id uuid primary key default gen_random_uuid(),
  -- Lower case: one mailbox is one account, however it is typed.
  email text not null unique check (email = lower(email)),
  password_hash text not null,
  language_code text not null check (language_code in ('en', 'ru')),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'BLOCKED', 'DELETED')),
  role_name text not null default 'USER' references roles,
  referral_code text not null unique check (referral_code = upper(referral_code)),
  referrer_id uuid references users check (referrer_id <> id),
  promo_code_id uuid,
  account_id bigint not null unique references accounts,
  email_confirmed_at timestamptz,
  -- Since when two-factor sign-in is on. In this row, so that a sign-in that waits for its lock sees the change.
  second_factor_at timestamptz,
  version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
-- For the foreign key of a connection's user and payer.
create unique index users_with_account on users (id, account_id);
create index users_referrer on users (referrer_id) where referrer_id is not null;
create index users_promo_code on users (promo_code_id) where promo_code_id is not null;
-- Few users are blocked; their connections are searched every second.
create index users_blocked on users (id) where status = 'BLOCKED';
-- Lists and searches of staff.
create index users_newest on users (created_at desc, id);
create index users_newest_by_role on users (role_name, created_at desc, id);
create index users_newest_by_referrer on users (referrer_id, created_at desc, id) where referrer_id is not null;
create index users_newest_not_confirmed on users (created_at desc, id) where email_confirmed_at is null;
create index users_listed_not_active on users (status, created_at desc, id) include (email, role_name) where status <> 'ACTIVE';
create index users_by_email_of_referrer on users (referrer_id, email) include (id) where referrer_id is not null;
create index users_of_staff on users (role_name, email) where role_name <> 'USER';
create index users_email_parts on users using gin (email gin_trgm_ops);
create trigger users_stay before delete on users for each row execute function refuse_change();
create trigger users_not_truncated before truncate on users for each statement execute function refuse_change();
create trigger users_keep_referrer before update of referrer_id on users
  for each row when (new.referrer_id is not null and new.referrer_id is distinct from old.referrer_id)
  execute function refuse_other_referrer();
create trigger users_counted after insert on users for each row when (new.promo_code_id is not null) execute function count_registered();


-- referrals

create table promo_codes (
  id uuid primary key default gen_random_uuid(),
  code text not null unique check (code = upper(code)),
  -- The referrer of all who sign up with it.
  user_id uuid not null references users,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'EXPIRED', 'DISABLED')),
  -- Given once to each person who signed up with the code, when they confirm their email.
  trial_credit_micros bigint not null default 0 check (trial_credit_micros >= 0),
  -- How many credits the code gives, and how much money in total; null: no limit.
  credits_max integer check (credits_max >= 0),
  budget_micros bigint check (budget_micros >= 0),
  -- What it has given so far.
  credit_count integer not null default 0,
  credited_micros bigint not null default 0,
  -- How many users signed up with it: too many to be counted for each list.
  registered_count integer not null default 0,
  -- The author and their key: a repeated request creates no second code.
  idempotency_key text,
  version integer not null default 0,
  expired_at timestamptz,
  created_at timestamptz not null default now(),
  constraint credits_within_maximum check (credit_count <= credits_max),
  constraint credits_within_budget check (credited_micros <= budget_micros)
);
alter table users add foreign key (promo_code_id) references promo_codes;
create unique index promo_codes_idempotency on promo_codes (idempotency_key) where idempotency_key is not null;
create index promo_codes_expiring on promo_codes (expired_at) where expired_at is not null;
-- Lists of staff: all, by status, of one user, and by the first characters of the code.
create index promo_codes_newest on promo_codes (created_at desc, id);
create index promo_codes_listed on promo_codes (status, created_at desc, id) include (expired_at);
create index promo_codes_of_user on promo_codes (user_id, created_at desc, id);
create index promo_codes_by_code on promo_codes (code text_pattern_ops);

-- The key makes the credit once per person, also when two of their accounts confirm their email at the same moment.
create table trial_credits (
  folded_email text primary key,
  user_id uuid not null unique references users,
  promo_code_id uuid not null references promo_codes,
  amount_micros bigint not null check (amount_micros > 0),
  created_at timestamptz not null default now()
);

-- Months (UTC, the first day) whose changes of level have been announced.
create table referral_month_turns (
  month date primary key
);
-- Nothing before the installation is announced.
insert into referral_month_turns (month) values (date_trunc('month', now() at time zone 'UTC'));


-- auth

-- A session is one sign-in. Each refresh token names its generation; only the newest works (docs/accounts.md).
create table sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  generation integer not null,
  refresh_salt bytea not null,
  refresh_token_hash bytea not null unique,
  -- The parent of the newest token. For a few seconds it returns the same child again, because two tabs may refresh at once.
  previous_token_hash bytea,
  -- Of the last sign-in or refresh.
  ip inet,
  -- Browser and system, as far as the User-Agent tells.
  device text not null,
  rotated_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  expired_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_user on sessions (user_id) where revoked_at is null;
create index sessions_expired on sessions (expired_at);

-- Where users have signed in before: they get a mail about a sign-in from elsewhere.
create table known_devices (
  user_id uuid not null references users,
  device text not null,
  -- The /24 of an IPv4 address, the /48 of an IPv6 address.
  network cidr not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (user_id, device, network)
);
create index known_devices_seen on known_devices (seen_at);

-- A secret that was set up; in use while users.second_factor_at is set.
create table second_factors (
  user_id uuid primary key references users,
  -- Needed in clear to compare codes, so it is encrypted and not hashed.
  secret_encrypted bytea not null,
  created_at timestamptz not null default now(),
  -- The time step of the newest code that was accepted: neither it nor an older one is accepted again.
  last_step bigint not null default 0
);
-- Key rotation follows them in the order of their creation.
create index second_factors_created on second_factors (created_at, user_id);

create table recovery_codes (
  user_id uuid not null references second_factors on delete cascade,
  -- A keyed hash, and its key: it cannot be computed again without the code.
  code_hash bytea not null,
  key_id text not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Codes sent by mail, one row per mail. All unused codes of a user are valid until they expire, because mails may be slow; the use of one
-- spends the others. A recovery for an address without an account has a row too (no user, no mail), so that the next request gets the
-- same waiting time as for an address with one. The id is the public session id of a recovery.
create table mail_codes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references users,
  -- A keyed hash: the table does not collect addresses of strangers.
  email_hash bytea not null,
  purpose text not null check (purpose in ('CONFIRM_EMAIL', 'RECOVER_PASSWORD')),
  code_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expired_at timestamptz not null,
  used_at timestamptz
);
create index mail_codes_sendings on mail_codes (email_hash, purpose, created_at desc);
create index mail_codes_user on mail_codes (user_id, purpose) where used_at is null;
create index mail_codes_created on mail_codes (created_at);
-- Codes for addresses without an account are deleted earlier than the others.
create index mail_codes_of_nobody on mail_codes (created_at) where user_id is null;

-- Counters of attempts. Their loss in a crash is harmless, so no log is written.
create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  -- Epoch milliseconds; a float, because the limiter calculates with numbers of JavaScript.
  expire double precision
);
create index rate_limits_expire on rate_limits (expire);

-- Staff who see the app as a user does. The audit log keeps who, whom and why; these rows are deleted when they have expired.
create table view_sessions (
  id uuid primary key,
  viewer_id uuid not null references users,
  -- The view ends with this session.
  viewer_session_id uuid not null,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  expired_at timestamptz not null,
  ended_at timestamptz
);
create index view_sessions_expired on view_sessions (expired_at);


-- profile

-- What customers print on their monthly statements. Deleted with the account.
create table companies (
  user_id uuid primary key references users,
  name text not null check (length(name) <= 200),
  address text not null check (length(address) <= 500),
  tax_id text not null check (length(tax_id) <= 40)
);


-- gateway

create table gateway_nodes (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  token_hash bytea not null unique,
  -- The token before the last change, valid for a day.
  previous_token_hash bytea unique,
  previous_token_until timestamptz,
  -- Where its customers connect to. Null: the settings GATEWAY_HOST and GATEWAY_PORT.
  public_host text,
  public_port integer,
  -- Takes no new purchases; its open connections go on.
  is_draining boolean not null default false,
  version integer not null default 0,
  seen_at timestamptz,
  constraint public_address_is_whole check (num_nulls(public_host, public_port) <> 1),
  constraint public_port_is_port check (public_port between 1 and 65535)
);

-- One start of a gateway process.
create table gateway_runs (
  id uuid primary key,
  node_id uuid not null references gateway_nodes,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- What the process reports about once a minute. Null before its first report.
  software_version text,
  tunnels integer,
  bytes_per_second bigint,
  reported_at timestamptz
);

-- One row: since when gateways have been able to report without a gap, and when an API process last confirmed it.
create table listening (
  is_only boolean primary key default true check (is_only),
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

create type exit_kind as enum ('local-address', 'socks5', 'http');

-- How traffic leaves. An exit belongs to one node forever, because customers were told where to connect to.
create table exits (
  id uuid primary key default gen_random_uuid(),
  node_id uuid not null references gateway_nodes,
  kind exit_kind not null,
  -- Of the kind local-address: an address of the node's host, or null for its default route.
  address inet,
  -- Of the kinds socks5 and http. The credentials (JSON with username and password) are encrypted, and hashed with a key so that equal ones
  -- are found; both are null for an upstream that needs none.
  upstream_host text,
  upstream_port integer,
  credentials_encrypted bytea,
  credentials_hash bytea,
  created_at timestamptz not null default now(),
  constraint exits_local_address check (address is null or (kind = 'local-address' and address = host(address)::inet)),
  constraint exits_upstream check (
    (kind = 'local-address') = (upstream_host is null) and (upstream_host is null) = (upstream_port is null)
      and (credentials_encrypted is null) = (credentials_hash is null)
      and (credentials_encrypted is null or upstream_host is not null)
  )
);
-- All proxies with the same address share one exit, which the node opens once.
create unique index exits_once on exits (node_id, address) nulls not distinct where kind = 'local-address';
-- For imports: upstream proxies with credentials, and those without.
create index exits_credentials_hash on exits (credentials_hash) where credentials_hash is not null;
create index exits_upstream_host on exits (upstream_host, upstream_port) where upstream_host is not null;
-- For key rotation.
create index exits_with_credentials on exits (created_at, id) where credentials_encrypted is not null;
create trigger exits_stay before update of id, node_id, kind on exits
  for each row when (row(old.id, old.node_id, old.kind) is distinct from row(new.id, new.node_id, new.kind))
  execute function refuse_change();


-- proxies: the catalogue

create table proxies (
  id uuid primary key default gen_random_uuid(),
  ip inet not null unique,
  price_micros price_micros not null,
  country_code country_code not null,
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  connection_type text not null,
  exit_id uuid not null references exits,
  -- Whether it is in the catalogue while nobody has it; the trigger computes it from the columns below.
  is_healthy boolean not null default true,
  is_exit_healthy boolean not null default true,
  is_node_draining boolean not null default false,
  retired_at timestamptz,
  -- The open connection that has it; null while it is free. The foreign key follows with the table of connections.
  connection_id uuid,
  created_at timestamptz not null default now()
-- Sales and returns leave dead entries at the cheap end of the indexes: the default, a fifth of a million rows, is far too late.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Of sold proxies only: the planner would take an index with the nulls of a million free ones for a useful one.
create unique index proxies_sold_once on proxies (connection_id) where connection_id is not null;
create index proxies_of_exit on proxies (exit_id);
create index proxies_not_free on proxies (ip) where connection_id is not null or not is_healthy;
-- A search reads one of these in the order of the price and stops at the fiftieth match.
create index proxies_free_by_price on proxies (price_micros, id) include (ip) where connection_id is null and is_healthy;
create index proxies_free_country on proxies (country_code, price_micros) where connection_id is null and is_healthy;
create index proxies_free_region on proxies (region, price_micros) where connection_id is null and is_healthy;
create index proxies_free_city on proxies (city, price_micros) where connection_id is null and is_healthy;
create index proxies_free_zip on proxies (zip, price_micros) where connection_id is null and is_healthy;
create index proxies_free_isp on proxies (isp, price_micros) where connection_id is null and is_healthy;
create index proxies_free_connection_type on proxies (connection_type, price_micros) where connection_id is null and is_healthy;
-- Searches by groups with hardly anything in common are decided by one of these alone, without reading proxies that do not match. One
-- entry stands for all proxies that are equal in its columns, so the four together are smaller than the primary key.
create index proxies_free_in_country on proxies (country_code, isp, connection_type) where connection_id is null and is_healthy;
create index proxies_free_in_region on proxies (region, country_code, isp, connection_type) where connection_id is null and is_healthy;
create index proxies_free_in_city on proxies (city, region, country_code, isp, connection_type) where connection_id is null and is_healthy;
create index proxies_free_in_zip on proxies (zip, city, region, country_code, isp, connection_type)
  where connection_id is null and is_healthy;
create trigger proxies_not_truncated before truncate on proxies for each statement execute function refuse_change();
create trigger sold_proxies_stay before delete on proxies for each row execute function refuse_if_sold();
-- Not when it is sold or returned.
create trigger proxies_offered before insert or update of is_exit_healthy, retired_at, is_node_draining, exit_id on proxies
  for each row execute function offer_proxy();

-- The response of GET /v1/proxies/filter, counted in the background. One row.
create table proxy_counts (
  is_only boolean primary key default true check (is_only),
  -- The whole JSON body.
  body text not null,
  etag text not null,
  counted_at timestamptz not null default clock_timestamp(),
  -- The next count waits in proportion to the duration of this one.
  took_ms integer not null,
  -- The same of proxy_facets.
  facets_counted_at timestamptz,
  facets_took_ms integer
);

-- The free proxies of each country by place, operator and connection type, as API processes load them to count under a filter
-- (docs/decisions/0018). Derived from the catalogue, so no log is written: after a crash it is empty and counted again.
create unlogged table proxy_facets (
  country_code text primary key,
  -- JSON: [[region, city, zip, [[isp, connection type, number of free proxies], ...]], ...]
  body text not null,
  -- A sum of hashes, so it does not depend on the order. 0 if the country has no free proxies any more.
  fingerprint numeric not null,
  -- Greater than all earlier ones when the body changes.
  version bigint not null
);
create index proxy_facets_version on proxy_facets (version);
create sequence proxy_facets_versions owned by proxy_facets.version;

-- A file of proxies that has been read and checked. Nothing of it is in the catalogue until it is applied.
create table catalogue_imports (
  id uuid primary key default gen_random_uuid(),
  -- Null: the operator at the command line.
  actor_id uuid,
  file_name text not null,
  content_sha256 bytea not null,
  new_count integer not null,
  changed_count integer not null,
  unchanged_count integer not null,
  created_at timestamptz not null default now(),
  applied_at timestamptz
);
create index catalogue_imports_of_actor on catalogue_imports (actor_id) where applied_at is null;
create index catalogue_imports_created on catalogue_imports (created_at);

-- Deleted when the import is applied or forgotten.
create table catalogue_import_rows (
  import_id uuid not null references catalogue_imports on delete cascade,
  ip inet not null,
  price_micros bigint not null,
  country_code text not null,
  region text not null,
  city text not null,
  zip text not null,
  isp text not null,
  connection_type text not null,
  node_id uuid not null,
  exit_kind exit_kind not null,
  -- Without credentials. Empty: the default route of the host.
  exit_address text not null,
  upstream_host text,
  upstream_port integer,
  credentials_encrypted bytea,
  -- By each key of the setting, the newest first.
  credentials_hashes bytea[],
  -- The exit that the proxy has, for an exported line, which has no credentials.
  kept_exit_id uuid,
  primary key (import_id, ip)
);

-- Bulk changes and imports that staff have ordered: a job applies each in one transaction, and reports its progress here.
create table catalogue_changes (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('PRICE', 'RETIRE', 'RESTORE', 'IMPORT')),
  -- Null: the operator at the command line.
  actor_id uuid references users,
  -- Where the request came from, for the audit log.
  requester jsonb,
  -- What to change: a selection, or the id of an import.
  request jsonb not null,
  row_count integer not null check (row_count >= 0),
  done_count integer not null default 0,
  -- Of an import.
  new_count integer,
  -- FAILED (its job has failed at all of its attempts, with the reason) is not an end: the same order again finds the change and retries it.
  status text not null default 'WAITING'
    check (status in ('WAITING', 'RUNNING', 'DONE', 'REFUSED', 'FAILED', 'DISMISSED')),
  failure text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status in ('DONE', 'REFUSED', 'DISMISSED')) = (ended_at is not null)),
  check (status <> 'DONE' or done_count = row_count)
);
create index catalogue_changes_newest on catalogue_changes (created_at desc, id);
-- A repeated request finds the change that it has already ordered.
create unique index catalogue_changes_once
  on catalogue_changes (coalesce(actor_id, '00000000-0000-0000-0000-000000000000'), kind, md5(request::text)) where ended_at is null;


-- billing

create type connection_status as enum ('WORK', 'NOT_WORK', 'DISCONNECT_USER', 'DISCONNECT_ADMIN', 'NO_MONEY');
create type end_reason as enum ('USER', 'ADMIN', 'IDLE', 'EXIT_LOST', 'NO_MONEY', 'CAP');
-- Nobody requests NO_MONEY: it follows from the balance.
create type requested_end as enum ('USER', 'ADMIN', 'IDLE', 'EXIT_LOST', 'CAP');
create type refund_status as enum ('NONE', 'REFUNDED');
-- When the traffic of a connection had reached a total.
create type traffic_mark as (at timestamptz, used_bytes bigint);

-- Each change of a connection is made under the lock of its payer's account.
create table connections (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  payer_account_id bigint not null,
  proxy_id uuid not null references proxies,
  -- The proxy's at the purchase: an open connection stays on the node that its customer was told.
  exit_id uuid not null references exits,
  -- As bought.
  price_micros price_micros not null,

  -- The escrow account has its own id in the ledger. It is in this row because it is opened, changed and emptied with the connection:
  -- a charge writes one row less. Also the head of the receipt's hash chain (docs/receipts.md).
  escrow_account_id bigint not null unique default nextval('accounts_id_seq'),
  escrow_micros escrow_micros not null default 0,
  charge_count integer not null default 0,
  charge_hash bytea,

  -- Sums over the gateway runs; a run that is over counts in both with what it used.
  used_bytes bigint not null default 0,
  uploaded_bytes bigint not null default 0,
  granted_bytes bigint not null default 0,
  -- Paid megabytes: the prepaid ones and each that began after them; after a refund those that began.
  charged_megabytes bigint not null,
  -- Traffic that no free money was left for when its late report came.
  written_off_bytes bigint not null default 0,
  -- The connection ends when this traffic is used. Null: no cap.
  cap_megabytes bigint,
  synced_at timestamptz,
  -- The idle window (api/sql/slide_idle_window.sql). A purchase counts as traffic. No index: it changes with the traffic, and each change
  -- would rewrite every other index entry, too.
  idle_marks traffic_mark[] not null default array[(now(), 0)::traffic_mark],

  username text not null unique,
  -- Encrypted, because the customer sees it again; a keyed hash, because the gateway checks it.
  password_encrypted bytea not null,
  password_hash bytea not null,
  -- Idempotency keys of the last changes of the password, the newest first.
  password_keys text[] not null default '{}',
  -- Increases with each change of the password or the allow-list; the other is the revision of the current password.
  access_revision integer not null default 1,
  password_revision integer not null default 1,
  dns_port integer,

  status connection_status not null default 'WORK',
  -- Set while the gateway is asked for its last report; the status changes when it has arrived.
  ending_reason requested_end,
  ending_at timestamptz,
  -- The user ended the connection without a claim to the refund; it may be billed later, by another process.
  is_refund_waived boolean not null default false,
  end_reason end_reason,
  refund_status refund_status not null default 'NONE',
  idempotency_key text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,

  -- A connection is paid from the account of its user. Includes the two rules that both exist, as one lookup per purchase.
  constraint connections_user_account_fkey foreign key (user_id, payer_account_id) references users (id, account_id),
  constraint bytes_in_order check (0 <= uploaded_bytes and uploaded_bytes <= used_bytes and used_bytes <= granted_bytes),
  constraint open_or_ended check (num_nulls(ended_at, end_reason) = case status when 'WORK' then 2 else 0 end)
) with (fillfactor = 45);
-- One proxy is sold to one user at a time, whatever the code believes. Also finds the open connections.
create unique index connections_sold_once on connections (proxy_id) where status = 'WORK';
create unique index connections_idempotency on connections (user_id, idempotency_key) where idempotency_key is not null;
create index connections_of_user on connections (user_id, created_at desc, id);
-- A purchase counts the buyer's open connections.
create index connections_open_of_user on connections (user_id) where status = 'WORK';
create index connections_ending on connections (ending_at) where status = 'WORK' and ending_at is not null;
-- For alerts near the cap.
create index connections_capped on connections (id) where status = 'WORK' and cap_megabytes is not null;
-- For the audit, which reads what has ended since the last one.
create index connections_ended on connections (ended_at) where ended_at is not null;
-- Lists of staff: all, of a proxy, and those that ended with a status.
create index connections_newest on connections (created_at desc, id);
create index connections_of_proxy on connections (proxy_id, created_at desc, id);
create index connections_ended_with on connections (status, created_at desc, id) where status <> 'WORK';
-- A connection stays, because its escrow account and its receipt do.
create trigger connections_stay before delete on connections for each row execute function refuse_change();
create trigger connections_not_truncated before truncate on connections for each statement execute function refuse_change();
create trigger buyers_are_active before insert on connections for each row execute function refuse_blocked_buyer();

-- A purchase takes the proxy before it inserts the connection.
alter table proxies add foreign key (connection_id) references connections deferrable initially deferred;

-- What one run counted on one connection, and up to where it was allowed to. Both only grow.
create table connection_runs (
  connection_id uuid not null references connections,
  run_id uuid not null references gateway_runs,
  used_bytes bigint not null default 0,
  uploaded_bytes bigint not null default 0,
  granted_bytes bigint not null default 0,
  -- What the run reported after its money had been released, and is not charged. The connection has the sum of its runs', and what runs
  -- had written off before they began again.
  written_off_bytes bigint not null default 0,
  -- False once the run is over for this connection: what it did not use is free again.
  is_open boolean not null default true,
  -- The run fell silent with the connection open: its process may still serve it.
  is_lost boolean not null default false,
  -- A cap below the grant recalls it: the run must end its part of the connection, and may open it again.
  is_recalled boolean not null default false,
  primary key (connection_id, run_id),
  constraint uploaded_is_used check (uploaded_bytes between 0 and used_bytes),
  check (used_bytes between 0 and granted_bytes)
) with (fillfactor = 45);
create index connection_runs_open on connection_runs (run_id) where is_open;

-- Every public key that receipts were ever signed with: a receipt can be checked after its key was removed from the setting.
create table receipt_keys (
  key_id text primary key,
  public_key bytea not null,
  created_at timestamptz not null default now()
);

-- What customers chose about alerts; without a row the defaults apply.
create table alert_settings (
  user_id uuid primary key references users,
  -- Null: the default threshold. 0: no alert.
  low_balance_micros bigint check (low_balance_micros >= 0),
  is_mailed boolean not null default true,
  mails_no_money boolean not null default true,
  mails_idle boolean not null default true,
  mails_exit_lost boolean not null default true
);

-- Users who were warned that their balance is low, and have not been above the threshold since.
create table low_balance_warnings (
  id bigint generated always as identity primary key,
  user_id uuid not null unique references users,
  threshold_micros bigint not null,
  -- The last credit of the account before the warning; refunds do not count. Null: there was none.
  last_credit_id bigint
);

-- Traffic caps that their users were warned about. Deleted after the end of the connection.
create table cap_warnings (
  connection_id uuid primary key references connections,
  cap_megabytes bigint not null
);

-- Connections that the system has ended and whose users have not been mailed about it.
create table unmailed_ends (
  connection_id uuid primary key references connections,
  user_id uuid not null references users,
  reason text not null,
  refund_micros bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);
create index unmailed_ends_of_user on unmailed_ends (user_id, reason);

-- When a user was last mailed about ends for a reason, because there is a minimum interval. Deleted after it.
create table end_mails (
  user_id uuid references users,
  reason text,
  mailed_at timestamptz not null,
  primary key (user_id, reason)
);
create index end_mails_by_time on end_mails (mailed_at);


-- gateway: the DNS ports of each node's customers. Nodes on different hosts have the same numbers.
create table node_dns_ports (
  node_id uuid not null references gateway_nodes,
  port integer not null,
  -- A purchase takes the port before it inserts the connection.
  connection_id uuid unique references connections deferrable initially deferred,
  primary key (node_id, port)
);
create index node_dns_ports_free on node_dns_ports (node_id, port) where connection_id is null;


-- connections: what customers set. Apart from the connections, which change only under the lock of their payer's account.

create table connection_labels (
  connection_id uuid primary key references connections,
  label text not null check (char_length(label) between 1 and 60)
);

-- Clients from these networks need no password. Rows of open connections only.
create table allowed_networks (
  connection_id uuid not null references connections,
  network cidr not null,
  primary key (connection_id, network)
);
create index allowed_networks_by_address on allowed_networks using gist (network inet_ops);

-- Client addresses that used a connection's password: only these may be on its allow-list. Rows of open connections only.
create table client_addresses (
  connection_id uuid not null references connections,
  address inet not null,
  used_at timestamptz not null default now(),
  primary key (connection_id, address)
);
create index client_addresses_by_age on client_addresses (used_at);


-- usage

-- What a connection had counted by the end of an hour in which it had traffic. Cumulative: the traffic of an hour is the difference to the
-- row before, so a row written twice or a missing one loses nothing. The worker writes it once a minute from `connections`.
create table traffic_hours (
  connection_id uuid not null references connections,
  hour timestamptz not null,
  used_bytes bigint not null,
  uploaded_bytes bigint not null,
  primary key (connection_id, hour),
  check (uploaded_bytes between 0 and used_bytes),
  check (hour = date_trunc('hour', hour, 'UTC'))
) with (fillfactor = 90);
-- The dashboard sums the traffic of all connections in an hour.
create index traffic_hours_by_hour on traffic_hours (hour);


-- invoices

-- The operator's accounts from whose public keys addresses are derived; the keys are settings. A new key is a new account; older accounts
-- stay, because their addresses are watched forever.
create table wallet_accounts (
  id bigint generated always as identity primary key,
  -- Addresses that one or several chains share: Ethereum and BSC have the same ones.
  address_space text not null,
  -- Of the key and its chain code; 'sandbox' for the sandbox.
  fingerprint text not null,
  -- Of the next address. Address 0 is the operator's, to compare keys.
  next_index bigint not null,
  created_at timestamptz not null default now(),
  unique (address_space, fingerprint)
);

-- Each belongs to one user forever, so a payment always finds its account.
create table deposit_addresses (
  id bigint generated always as identity primary key,
  address_space text not null,
  address text not null,
  user_id uuid not null references users,
  -- False where each invoice gets a new one, for privacy.
  is_reused boolean not null,
  wallet_account_id bigint not null references wallet_accounts,
  derivation_index bigint not null,
  -- Proves that this program derived the address for this user: a changed row must not redirect money.
  mac text not null,
  -- Until then payments are searched at the pace of the chain, later once a day.
  watched_until timestamptz not null default now() + interval '7 days',
  created_at timestamptz not null default now(),
  unique (address_space, address)
);
create unique index deposit_addresses_of_user on deposit_addresses (user_id, address_space) where is_reused;
create index deposit_addresses_of_owner on deposit_addresses (user_id, address_space);
create index deposit_addresses_of_account on deposit_addresses (wallet_account_id, derivation_index);
create index deposit_addresses_watched on deposit_addresses (address_space, watched_until);

create table invoices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  -- What the amount costs in the currency's smallest unit, at the rate below: US dollars for one coin, times 10^12.
  due_units numeric(78, 0) not null check (due_units > 0),
  rate_e12 numeric(78, 0) not null check (rate_e12 > 0),
  address_id bigint not null references deposit_addresses,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'CONFIRMING', 'PARTIALLY_PAID', 'PAID', 'OVERPAID', 'EXPIRED')),
  -- False when it is paid, when its time has passed, and when a newer invoice takes its place.
  is_open boolean not null default true,
  -- Payments that arrive before this have the rate above. A newer invoice in the same currency moves it to an earlier time.
  expired_at timestamptz not null,
  -- Whole milliseconds, as in JavaScript: a payment of the same instant is not an earlier one.
  created_at timestamptz not null default date_trunc('milliseconds', now())
) with (fillfactor = 80);
create unique index invoices_open_once on invoices (user_id, currency) where is_open;
create index invoices_expiring on invoices (expired_at) where is_open;
create index invoices_of_address on invoices (address_id, currency, created_at desc);
create index invoices_of_user on invoices (user_id, created_at desc, id);
-- Lists of staff; the included columns are those of the filters.
create index invoices_of_user_by_amount on invoices (user_id, amount_micros, id);
create index invoices_by_status on invoices (status, created_at desc, id);
create index invoices_by_currency on invoices (currency, created_at desc, id);
create index invoices_listed_by_time on invoices (created_at desc, id) include (status, currency, amount_micros);
create index invoices_listed_by_amount on invoices (amount_micros, id) include (status, currency, created_at);

-- Payments as a chain shows them. The chain's own identification is unique: a payment is credited once, however often it is seen.
create table deposits (
  id uuid primary key default gen_random_uuid(),
  chain text not null,
  asset text not null,
  -- Of a deposit that staff recorded by hand: the id of their request.
  transaction_id text not null,
  output integer not null,
  address_id bigint not null references deposit_addresses,
  -- Null: it came to the user's address when they had no invoice in this currency.
  invoice_id uuid references invoices,
  units numeric(78, 0) not null check (units > 0),
  state text not null constraint deposits_known_state
    check (state in ('SEEN', 'INCLUDED', 'FINAL', 'CREDITED', 'ORPHANED', 'REPLACED', 'REVERSED')),
  -- Recorded by staff: a payment that no watcher can see.
  is_by_hand boolean not null default false,
  -- Its inputs signal that another transaction may replace it while it is in no block (BIP 125).
  is_replaceable boolean not null default false,
  -- What the payment itself requires, whatever its amount, such as 100 of a coinbase output.
  confirmations_min integer not null default 0,
  arrived_at timestamptz not null,
  -- When a worker first reported it.
  first_seen_at timestamptz not null default now(),
  -- Null: no rate was known then, and the first one after it counts.
  arrival_rate_e12 numeric(78, 0),

  -- Where it is on its chain. Null while it is in no block, and for deposits by hand.
  block_height bigint,
  block_hash text,
  block_at timestamptz,
  -- Its block has left the chain and no other contains it.
  orphaned_at timestamptz,
  -- Up to which height the chain was read when a credited deposit was first found in no block and not in the memory pool.
  missing_height bigint,
  -- Since then its credit is to be reversed.
  gone_at timestamptz,

  -- Why it is not credited until somebody releases it.
  hold text check (hold in ('LARGE', 'SOURCES_DISAGREE')),
  released_at timestamptz,
  credited_micros bigint check (credited_micros >= 0),
  credited_rate_e12 numeric(78, 0),
  credited_at timestamptz,

  -- The part of the reversal that the balance could pay. The rest is a loss.
  reversed_micros bigint check (reversed_micros >= 0),
  reversed_at timestamptz,
  -- Each reversal and its restoration have ledger keys of their own.
  reversal_count integer not null default 0,
  -- Since then a reversed deposit is final again, and its credit is to be restored.
  returned_at timestamptz,

  unique (chain, asset, transaction_id, output),
  -- A reversed deposit keeps what it was credited, as the ledger does.
  constraint deposits_credit
    check ((state in ('CREDITED', 'REVERSED')) = (credited_at is not null and credited_micros is not null)),
  constraint deposits_reversal check ((state = 'REVERSED') = (reversed_at is not null and reversed_micros is not null))
) with (fillfactor = 80);
create index deposits_of_invoice on deposits (invoice_id);
create index deposits_of_address on deposits (address_id);
create index deposits_of_transaction on deposits (transaction_id);
create index deposits_of_block on deposits (chain, block_hash) where block_hash is not null;
create index deposits_to_credit on deposits (chain, arrived_at) where state = 'FINAL';
-- What a poll may change without reading a payment, and reversed deposits that are in a block again; there are few.
create index deposits_in_motion on deposits (chain)
  where state in ('SEEN', 'INCLUDED') or (state = 'CREDITED' and orphaned_at is not null);
create index deposits_returning on deposits (chain) where state = 'REVERSED' and block_hash is not null;
-- For the audit: what was credited since the last one, and the few without a credit.
create index deposits_credited on deposits (credited_at) where credited_at is not null;
create index deposits_not_credited on deposits (id) where credited_at is null;

-- referrals: paid invoices of referred users, which decide the referrer's level. An invoice counts once.
create table referral_payments (
  invoice_id uuid primary key references invoices,
  referrer_id uuid not null references users,
  paid_at timestamptz not null default now()
);
create index referral_payments_of_referrer on referral_payments (referrer_id, paid_at);

-- Up to where each chain has been read, and how it is doing. The row is also the lock of the loop that writes what was read.
create table chain_cursors (
  chain text primary key,
  cursor text,
  -- Which worker polls: the one that moves this time into the future.
  next_poll_at timestamptz not null default now(),
  -- Of the last poll that succeeded.
  polled_at timestamptz,
  head_height bigint,
  head_at timestamptz,
  safe_height bigint,
  finalized_height bigint,
  scanned_height bigint,
  -- Null while polls succeed.
  unavailable_since timestamptz,
  unavailable_reason text,
  unavailable_message text,
  failure_count integer not null default 0,
  -- Nothing is credited and no invoice is created until the operator resumes the chain.
  paused_at timestamptz,
  pause_reason text,
  -- Of the nightly comparison of addresses and deposits.
  compared_at timestamptz,
  differences text[] not null default '{}'
);
insert into chain_cursors (chain) values ('bitcoin'), ('litecoin'), ('ethereum'), ('bsc'), ('tron'), ('ton');

-- What the sources of exchange rates reported.
create table rate_quotes (
  id bigint generated always as identity primary key,
  source text not null,
  asset text not null,
  -- US dollars for one coin, times 10^12.
  rate_e12 numeric(78, 0) not null,
  -- By the clock of the source, or of this program if the source has none.
  quoted_at timestamptz not null,
  fetched_at timestamptz not null default now(),
  -- Null: it was used.
  rejection text
);
create index rate_quotes_fetched on rate_quotes (fetched_at);
create index rate_quotes_of_asset on rate_quotes (asset, fetched_at desc);

-- The rates that the policy accepted.
create table exchange_rates (
  asset text not null,
  accepted_at timestamptz not null default now(),
  rate_e12 numeric(78, 0) not null check (rate_e12 > 0),
  -- How many sources agreed; large invoices need more.
  source_count integer not null,
  primary key (asset, accepted_at)
);
create index exchange_rates_old on exchange_rates (accepted_at);

-- The last attempt per source: a failing one is shown to staff.
create table rate_sources (
  source text primary key,
  next_fetch_at timestamptz not null default now(),
  succeeded_at timestamptz,
  failing_since timestamptz,
  failure text
);

-- The sandbox chain itself, as a node would know it. Development only.
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


-- support

create table tickets (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  -- The user, or staff on their behalf.
  author_id uuid not null references users,
  name text not null,
  description text not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'CLOSED')),
  idempotency_key text,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  closed_by uuid references users,
  check ((status = 'CLOSED') = (closed_at is not null))
);
create unique index tickets_idempotency on tickets (author_id, idempotency_key) where idempotency_key is not null;
create index tickets_of_user on tickets (user_id, created_at desc, id);
create index tickets_newest on tickets (created_at desc, id);
create trigger tickets_tracked after insert or update of status on tickets for each row execute function track_ticket();

create table ticket_messages (
  id uuid primary key default gen_random_uuid(),
  -- The order of arrival, also of two at the same moment.
  number bigint generated always as identity,
  ticket_id uuid not null references tickets,
  author_id uuid not null references users,
  -- Written on the user's side of the ticket, not by the support team.
  is_user boolean not null,
  content text not null,
  idempotency_key text,
  created_at timestamptz not null default now()
);
create unique index ticket_messages_idempotency on ticket_messages (author_id, idempotency_key) where idempotency_key is not null;
create index ticket_messages_newest on ticket_messages (ticket_id, number desc);
-- For the limit of messages per hour, over all tickets of a user.
create index ticket_messages_of_user on ticket_messages (author_id, created_at) where is_user;
create trigger ticket_messages_tracked after insert on ticket_messages for each row execute function track_ticket_message();

-- What staff need to list and search tickets without a join, kept up to date by triggers. Statements of customers never read it.
create table ticket_desk (
  ticket_id uuid primary key references tickets,
  created_at timestamptz not null,
  is_open boolean not null,
  user_id uuid not null references users,
  words tsvector not null,
  -- Since when the customer waits: their first message that staff have not answered. Null if staff wrote last.
  waiting_since timestamptz,
  -- Of staff, to a ticket that the customer opened.
  first_reply_at timestamptz,
  assignee_id uuid references users,
  -- Counts the changes of the assignee.
  version integer not null default 0
);
create index ticket_desk_newest on ticket_desk (created_at desc, ticket_id);
create index ticket_desk_open on ticket_desk (created_at desc, ticket_id) where is_open;
create index ticket_desk_waiting on ticket_desk (waiting_since, ticket_id) where is_open and waiting_since is not null;
create index ticket_desk_assigned on ticket_desk (assignee_id, created_at desc, ticket_id) where is_open and assignee_id is not null;
create index ticket_desk_replied on ticket_desk (created_at desc) include (first_reply_at) where first_reply_at is not null;
create index ticket_desk_of_user on ticket_desk (user_id, created_at desc, ticket_id);
create index ticket_desk_open_of_user on ticket_desk (user_id, created_at desc, ticket_id) include (waiting_since) where is_open;
create index ticket_desk_words on ticket_desk using gin (words) with (fastupdate = off);
create index ticket_desk_words_of_open on ticket_desk using gin (words) with (fastupdate = off) where is_open;
create trigger ticket_desk_words_kept after insert or update of words on ticket_desk for each row execute function keep_ticket_words();

-- Every word of a ticket's name. A search looks its words up here first, because the index of the tickets' words finds whole words much
-- faster than beginnings of words.
create table ticket_words (
  -- In the order of their bytes, so that a beginning is a range.
  word text collate "C" primary key
);

-- Customers never see them.
create table ticket_notes (
  id uuid primary key default gen_random_uuid(),
  -- The order of arrival.
  number bigint generated always as identity,
  ticket_id uuid not null references tickets,
  author_id uuid not null references users,
  content text not null,
  idempotency_key text,
  created_at timestamptz not null default now()
);
create unique index ticket_notes_idempotency on ticket_notes (author_id, idempotency_key) where idempotency_key is not null;
create index ticket_notes_newest on ticket_notes (ticket_id, number desc);

create table canned_replies (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  content_en text not null,
  content_ru text not null,
  author_id uuid not null references users,
  idempotency_key text,
  version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index canned_replies_idempotency on canned_replies (author_id, idempotency_key) where idempotency_key is not null;
create index canned_replies_listed on canned_replies (title, id);


-- faqs

-- One language of an entry.
create table faqs (
  id uuid primary key default gen_random_uuid(),
  entry_id uuid not null,
  language_code text not null check (language_code in ('en', 'ru')),
  question text not null,
  response text not null,
  -- In the list; equal ones by age.
  position integer not null,
  -- The author and their key: a repeated request creates no second entry.
  idempotency_key text,
  -- Equal in all languages of the entry.
  version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (entry_id, language_code)
);
create index faqs_listed on faqs (language_code, position, created_at, id);


-- notifications

-- Sent to everybody, or to some: written once, and referred to by the notifications of its readers.
create table broadcasts (
  id uuid primary key default gen_random_uuid(),
  -- By language: { "en": { "description": html, "content": html or null }, "ru": ... }, sanitized.
  texts jsonb not null,
  -- The filter of its recipients. Null: any language, all users, active ones, confirmed ones, any role, any balance, with or without open
  -- connections.
  language_code text check (language_code in ('en', 'ru')),
  user_ids uuid[],
  status text check (status in ('ACTIVE', 'BLOCKED')),
  is_confirmed boolean,
  role_name text,
  balance_from_micros bigint,
  balance_below_micros bigint,
  has_open_connection boolean,
  registered_from timestamptz,
  registered_before timestamptz,
  -- How many users matched when it was sent, counted up to a limit; null: not counted.
  recipient_count integer,
  -- How many have it so far, and the last of them in the order of their ids: where the delivery continues after an interruption.
  reader_count integer not null default 0,
  delivered_until uuid,
  -- The member of staff; null: the system.
  created_by uuid references users,
  idempotency_key text,
  created_at timestamptz not null default now(),
  -- Null until the last recipient has it.
  sent_at timestamptz
);
create unique index broadcasts_idempotency on broadcasts (created_by, idempotency_key) where idempotency_key is not null;
create index broadcasts_newest on broadcasts (created_at desc, id);

create table notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  -- One per business event: the same event again changes nothing.
  idempotency_key text not null,
  -- The text is made when it is read, in the language that its reader has then.
  kind text not null,
  details jsonb not null,
  broadcast_id uuid references broadcasts check ((kind = 'BROADCAST') = (broadcast_id is not null)),
  created_at timestamptz not null default now(),
  read_at timestamptz,
  unique (user_id, idempotency_key)
) with (fillfactor = 85);
-- The key of a message that staff send to one user contains its author, and is used for one user only.
create unique index notifications_of_staff on notifications (idempotency_key) where kind = 'MESSAGE';
create index notifications_of_user on notifications (user_id, created_at desc, id);
create index notifications_unread on notifications (user_id) where read_at is null;
create index notifications_created on notifications (created_at);


-- mails

-- Which mails a user was sent, for staff: no addresses, texts, links or codes. Deleted after 90 days.
create table sent_mails (
  id uuid primary key,
  user_id uuid not null references users,
  template text not null,
  language_code text not null,
  queued_at timestamptz not null default clock_timestamp(),
  -- The mail server has accepted it.
  sent_at timestamptz,
  -- The last attempt failed, or the link of the mail had expired.
  failed_at timestamptz
);
create index sent_mails_of_user on sent_mails (user_id, queued_at desc, id);
create index sent_mails_queued on sent_mails (queued_at);


-- audit-log: who did what to whom, from where

create table audit_log (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default clock_timestamp(),
  -- Null: before authentication, or the operator at the command line.
  actor_id uuid references users,
  action text not null,
  -- What was affected; null if unknown, as for a sign-in to an account that does not exist. Roles and the command line have no id: such
  -- entries have a type only.
  subject_type text,
  subject_id uuid,
  -- The user whom the entry concerns, such as the payer of its invoice.
  user_id uuid,
  ip inet,
  device text,
  request_id text,
  details jsonb not null default '{}',
  constraint audit_log_subject_has_type check (subject_id is null or subject_type is not null)
);
create index audit_log_created on audit_log (created_at);
create index audit_log_action on audit_log (action, id desc);
create index audit_log_actor on audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_actions_of_actor on audit_log (actor_id, action, id desc) where actor_id is not null;
create index audit_log_subject on audit_log (subject_type, subject_id, id desc) where subject_id is not null;
create index audit_log_subject_type on audit_log (subject_type, id desc) where subject_type is not null;
-- The included columns save a read of the table for each entry.
create index audit_log_of_user on audit_log (user_id, id desc) include (actor_id, action) where user_id is not null;
create index audit_log_timeline on audit_log (subject_id, (coalesce(actor_id <> subject_id, false)), created_at desc)
  where subject_type = 'USER';
create trigger audit_log_append_only before update on audit_log for each row execute function refuse_change();
-- Entries are about people, so they may be deleted after a year.
create trigger audit_log_kept before delete on audit_log
  for each row when (old.created_at > now() - interval '365 days') execute function refuse_change();
create trigger audit_log_not_truncated before truncate on audit_log for each statement execute function refuse_change();


-- approvals

-- Changes of money that staff request. Small ones are applied at once, others wait for a second member of staff.
create table staff_requests (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('ADJUSTMENT', 'SETTLEMENT')),
  status text not null check (status in ('APPLIED', 'PENDING', 'APPROVED', 'REJECTED', 'LAPSED')),
  -- The customer.
  user_id uuid not null references users,
  -- Of a settlement.
  invoice_id uuid references invoices,
  currency text,
  -- In the smallest unit of the invoice's currency.
  units numeric(78, 0) check (units > 0),
  -- What the invoice had been credited when the author saw it. An approval may not settle it a second time.
  credited_before_micros bigint,
  -- Negative takes money from the customer.
  amount_micros bigint not null check (amount_micros <> 0),
  reason text not null,
  author_id uuid not null references users,
  idempotency_key text,
  created_at timestamptz not null default now(),
  -- Of a request that has waited; null if it was applied at once.
  lapses_at timestamptz,
  decided_by uuid references users,
  decided_at timestamptz,
  decision_reason text,
  check ((kind = 'SETTLEMENT') = (num_nulls(invoice_id, currency, units, credited_before_micros) = 0)),
  check (status not in ('APPROVED', 'REJECTED') or num_nulls(decided_by, decided_at) = 0),
  -- The second pair of eyes.
  check (status <> 'APPROVED' or decided_by <> author_id),
  check ((status = 'APPLIED') = (lapses_at is null))
);
create unique index staff_requests_once on staff_requests (author_id, idempotency_key) where idempotency_key is not null;
-- The order of the list: pending ones first.
create index staff_requests_listed on staff_requests (kind, (status = 'PENDING') desc, created_at desc, id);
create index staff_requests_by_status on staff_requests (kind, status, created_at desc, id) include (lapses_at);
create index staff_requests_of_user on staff_requests (user_id, created_at desc);
create index staff_requests_lapsing on staff_requests (lapses_at) where status = 'PENDING';


-- dashboard

-- Sums by hour (UTC). The worker adds transfers in batches up to a mark, and counts the hours since another mark again each minute, so
-- that a repeated or interrupted run changes nothing.
create type dashboard_figure as enum ('REVENUE', 'TOP_UP', 'UPLOADED', 'DOWNLOADED', 'SIGN_UP');
create table dashboard_sums (
  figure dashboard_figure not null,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  -- Of a top-up; empty if it is not known, and for the other figures.
  currency text not null default '',
  -- Micro-dollars, bytes or users.
  amount bigint not null,
  count bigint not null,
  primary key (figure, hour, currency)
) with (fillfactor = 90);

-- Sums of 24 hours, one for each hour at which they may begin, because days begin at another hour in each time zone: a year is read in some
-- thousand rows instead of a hundred thousand. Kept up to date by triggers.
create table dashboard_days (
  start timestamptz not null,
  figure dashboard_figure not null,
  currency text not null,
  amount bigint not null,
  count bigint not null,
  primary key (start, figure, currency)
) with (fillfactor = 90);
create trigger hours_added_to_days after insert on dashboard_sums referencing new table as added
  for each statement execute function add_to_days();
create trigger hours_changed_in_days after update on dashboard_sums referencing new table as added old table as removed
  for each statement execute function add_to_days();

-- One row, which is also the lock of the workers.
create table dashboard_mark (
  is_only boolean primary key default true check (is_only),
  -- Transfers up to this one are in the sums.
  transfer_id bigint not null,
  -- Traffic and sign-ups of earlier hours are final. Null: none have been counted.
  hour timestamptz
);
insert into dashboard_mark (transfer_id) values (0);

-- Counted once a minute, because the catalogue may have a million proxies.
create table dashboard_proxies (
  country_code text primary key,
  free integer not null,
  sold integer not null,
  unhealthy integer not null
);


-- reconciliation

-- The result of the last audit of the money, and up to where everything has been verified once. One row.
create table reconciliation (
  is_only boolean primary key default true check (is_only),
  -- When a worker last took the job: others leave it alone for the interval.
  claimed_at timestamptz,
  -- The worker that audits. It renews the lease, so that a worker that died is replaced soon, and one that was suspended for long finds
  -- that its result is no longer wanted.
  lease_id uuid,
  leased_until timestamptz,
  checked_at timestamptz,
  duration_ms double precision,
  violation_count integer not null default 0,
  -- The first hundred, as sentences.
  violations text[] not null default '{}',
  -- Everything up to here was right when it was verified: transfers and ended connections do not change any more.
  verified_transfer_id bigint not null default 0,
  verified_until timestamptz not null default to_timestamp(0),
  -- When all of it, from the first transfer on, was last verified.
  verified_whole_at timestamptz,
  check (checked_at is not null or violation_count = 0)
);
insert into reconciliation default values;


-- key-rotation

-- How far the stored secrets of each kind are encrypted again with the newest key. It follows the rows in the order of their creation, and
-- continues while there are older keys: it also finds what a process with the old setting adds.
create table resealings (
  kind text primary key,
  -- Of the key that rows are encrypted with now; another one begins again.
  key_id text not null,
  -- Rows up to this one are done.
  row_created_at timestamptz not null default '-infinity',
  row_id uuid not null default '00000000-0000-0000-0000-000000000000',
  resealed_count bigint not null default 0,
  -- Rows that no key decrypts.
  unreadable_count bigint not null default 0,
  remaining_count bigint,
  updated_at timestamptz not null default now()
);
