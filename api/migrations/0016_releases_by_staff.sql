-- Staff who credit a stablecoin at more than its market price create money: that is a request, too.
alter table staff_requests
  -- Of a release: the amount is what it credits above the market price.
  add column deposit_id uuid references deposits,
  drop constraint staff_requests_known_kind,
  add constraint staff_requests_known_kinds check (kind in ('ADJUSTMENT', 'SETTLEMENT', 'REFUND', 'PROMO_CODE', 'RELEASE')),
  add constraint staff_requests_release check ((kind = 'RELEASE') = (deposit_id is not null));
