-- A connection is paid from the account of its user. This contains the two rules that the user exists and that the account exists
-- (users.account_id references accounts), and is one lookup per purchase instead of two. Those two are dropped once it is valid.
alter table connections
  add constraint connections_user_account_fkey foreign key (user_id, payer_account_id) references users (id, account_id) not valid;
