-- Lists of staff whose filters and order are read from one index, without the rows: pages far from the first, and counts.
create index concurrently users_listed_not_active on users (status, created_at desc, id) include (email, role_name) where status <> 'ACTIVE';
create index concurrently invoices_listed_by_amount on invoices (amount_micros, id) include (status, currency, created_at);
create index concurrently invoices_listed_by_time on invoices (created_at desc, id) include (status, currency, amount_micros);
