alter table transfers
  validate constraint charge_names_megabytes,
  validate constraint charge_is_chained;
