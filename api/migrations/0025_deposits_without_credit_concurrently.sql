-- For the audit, which walks through them; there are few.
create index concurrently deposits_not_credited on deposits (id) where credited_at is null;
