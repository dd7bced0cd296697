-- For the filters of staff's list.
create index concurrently invoices_by_status on invoices (status, created_at desc, id);
create index concurrently invoices_by_currency on invoices (currency, created_at desc, id);
create index concurrently invoices_by_amount on invoices (amount_micros, id);
create index concurrently audit_log_action on audit_log (action, id desc);
create index concurrently audit_log_subject_type on audit_log (subject_type, id desc) where subject_type is not null;
