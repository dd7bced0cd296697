-- Which person an email address belongs to, as far as the address shows it: mail to name+tag reaches name, and Gmail ignores dots.
-- A function and not a column: a column would rewrite the table of users, and there is one definition for old and new rows.
create function folded_email(email text) returns text language sql immutable strict parallel safe
return (
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
              else name || '@' || domain end
    from (select lower(substring(email from '@([^@]*)$')) as domain,
                 -- An address such as +a@example.com has nothing before its tag; the tag is its name.
                 lower(coalesce(nullif(substring(email from '^([^+@]*)'), ''), substring(email from '^([^@]*)'))) as name) as parts
);

-- Who got a trial credit. The key makes it once per person, also when two accounts confirm their email at the same moment.
create table trial_credits (
  folded_email text primary key,
  user_id uuid not null unique references users,
  promo_code_id uuid not null references promo_codes,
  amount_micros bigint not null check (amount_micros > 0),
  created_at timestamptz not null default now()
);

alter table promo_codes
  -- How many trial credits the code gives, and how much money in all; null: no limit.
  add column credits_max integer check (credits_max >= 0),
  add column budget_micros bigint check (budget_micros >= 0),
  -- What it has given so far.
  add column credit_count integer not null default 0,
  add column credited_micros bigint not null default 0,
  add constraint credits_within_maximum check (credit_count <= credits_max),
  add constraint credits_within_budget check (credited_micros <= budget_micros);
