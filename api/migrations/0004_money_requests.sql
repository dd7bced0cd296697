-- Every operation of staff that creates money is a request: promo codes with a credit and refunds of connections too.
alter table staff_requests
  -- Of a refund.
  add column connection_id uuid references connections,
  -- Of a promo code: the amount is the most that its trial credits can pay.
  add column promo_code_id uuid references promo_codes,
  drop constraint staff_requests_kind_check,
  add constraint staff_requests_known_kind check (kind in ('ADJUSTMENT', 'SETTLEMENT', 'REFUND', 'PROMO_CODE')),
  add constraint staff_requests_refund check ((kind = 'REFUND') = (connection_id is not null)),
  add constraint staff_requests_promo_code check ((kind = 'PROMO_CODE') = (promo_code_id is not null));
