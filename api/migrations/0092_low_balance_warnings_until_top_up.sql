-- The last credit of the account before the warning; refunds do not count. Null: there was none, or an older process has warned.
alter table low_balance_warnings add column last_credit_id bigint;
