-- The same rules as before (migration 0018), by the names of the reasons: they no longer lean on the order in which an enumerated type
-- lists them, which a new reason may change.
alter table transfers
  add constraint charge_names_megabytes
    check ((reason in ('PREPAID_50_MB', 'MEGABYTE')) = (megabyte_to > megabyte_from is true)) not valid,
  add constraint charge_is_chained
    check (num_nonnulls(charge_hash, uploaded_bytes, downloaded_bytes)
           = case when reason in ('PREPAID_50_MB', 'MEGABYTE', 'REFUND') then 3 else 0 end) not valid,
  drop constraint charges_have_megabytes,
  drop constraint charges_are_chained;
