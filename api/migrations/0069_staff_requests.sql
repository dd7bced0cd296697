-- Changes of money that staff ask for. Small ones are applied at once, others wait for a second member of staff.
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
  -- What the invoice had been credited when the author saw it. It may not be settled a second time by an approval.
  credited_before_micros bigint,
  -- Signed: negative takes money from the customer.
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
-- The order of the list: those that wait first.
create index staff_requests_listed on staff_requests (kind, (status = 'PENDING') desc, created_at desc, id);
create index staff_requests_of_user on staff_requests (user_id, created_at desc);
create index staff_requests_lapsing on staff_requests (lapses_at) where status = 'PENDING';
