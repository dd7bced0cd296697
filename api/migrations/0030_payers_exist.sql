-- Four foreign keys that migrations 0014 and 0018 dropped for a benchmark's ratio are back (docs/decisions/0012). Each is added without a
-- look at old rows, in a file of its own; migration 0035 looks at those while everybody goes on.
alter table connections
  add constraint connections_payer_account_id_fkey foreign key (payer_account_id) references accounts not valid;
