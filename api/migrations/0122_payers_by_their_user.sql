-- connections_user_account_fkey contains both.
alter table connections
  drop constraint connections_user_id_fkey,
  drop constraint connections_payer_account_id_fkey;
