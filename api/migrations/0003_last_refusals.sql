-- Why a gateway last refused a client of each connection. Apart from the connections, which change only under the lock of their payer's
-- account; one row per connection, which the next refusal replaces.
create table last_refusals (
  connection_id uuid primary key references connections,
  reason text not null,
  refused_at timestamptz not null
);
