-- For the foreign key of a connection's user and payer.
create unique index concurrently users_with_account on users (id, account_id);
