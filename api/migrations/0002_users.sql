create table roles (
  name text primary key,
  permissions text[] not null
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
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index users_referrer on users (referrer_id) where referrer_id is not null;
create index users_promo_code on users (promo_code_id) where promo_code_id is not null;
create index users_newest on users (created_at desc, id);

create table promo_codes (
  id uuid primary key default gen_random_uuid(),
  code text not null unique check (code = upper(code)),
  -- The user who is the referrer of everybody who signs up with it.
  user_id uuid not null references users,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'EXPIRED', 'DISABLED')),
  -- Given once to each user who signed up with the code, when he confirms his email.
  trial_credit_micros bigint not null default 0 check (trial_credit_micros >= 0),
  expired_at timestamptz,
  created_at timestamptz not null default now()
);
alter table users add foreign key (promo_code_id) references promo_codes;

-- A session is one sign-in: a family of refresh tokens, of which only the newest works.
create table sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  refresh_token_hash bytea not null unique,
  -- The parent of the newest token; inside a short grace it gets the same child again (two tabs).
  previous_token_hash bytea,
  rotated_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  expired_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_user on sessions (user_id) where revoked_at is null;

-- Codes sent by mail, one row a sending. All unused codes of a user work until they expire: the mail that was slow, and
-- the one that he asked for meanwhile; using one spends the others. A recovery asked for an address without an account
-- leaves a row too (no user, no mail), so that the next request is answered with the same waiting time as for an address
-- with one. The id is the public session id of a recovery.
create table mail_codes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references users,
  -- A keyed hash: the table does not collect the addresses of strangers.
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
