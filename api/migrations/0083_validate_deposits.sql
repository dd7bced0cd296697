alter table deposits
  validate constraint deposits_known_state,
  validate constraint deposits_credit,
  validate constraint deposits_reversal;
