-- Staff who give such a payment to a customer create money for them: that is a request, too.
alter table staff_requests
  drop constraint staff_requests_known_kinds,
  add constraint staff_requests_kinds
    check (kind in ('ADJUSTMENT', 'SETTLEMENT', 'REFUND', 'PROMO_CODE', 'RELEASE', 'ASSIGNMENT')),
  drop constraint staff_requests_release,
  add constraint staff_requests_deposit check ((kind in ('RELEASE', 'ASSIGNMENT')) = (deposit_id is not null));
