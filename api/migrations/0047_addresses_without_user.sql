-- After a restore to an earlier time, addresses that were shown in the lost time belong to customers whom the database does not know.
alter table deposit_addresses alter column user_id drop not null;
