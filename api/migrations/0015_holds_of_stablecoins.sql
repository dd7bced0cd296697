-- Payments in a stablecoin that does not trade at one dollar are credited when it does again, or at a rate that staff choose. A payment that
-- staff have settled by hand, and that is found on its chain later, is not credited a second time by itself.
alter table deposits
  add column decided_rate_e12 numeric(78, 0),
  drop constraint deposits_hold_check,
  -- Not validated, because all older rows keep the narrower rule.
  add constraint deposits_known_hold check (hold in ('LARGE', 'SOURCES_DISAGREE', 'DEPEG', 'SETTLED')) not valid;
