-- Of staff: promo codes and requests by status, proxies by price, actions of a member of staff, and the timeline of a user.
create index concurrently promo_codes_listed on promo_codes (status, created_at desc, id) include (expired_at);
create index concurrently promo_codes_expiring on promo_codes (expired_at) where expired_at is not null;
create index concurrently staff_requests_by_status on staff_requests (kind, status, created_at desc, id) include (lapses_at);
create index concurrently proxies_free_by_price on proxies (price_micros, id) include (ip) where connection_id is null and is_healthy;
create index concurrently audit_log_actions_of_actor on audit_log (actor_id, action, id desc) where actor_id is not null;
create index concurrently audit_log_timeline on audit_log (subject_id, (coalesce(actor_id <> subject_id, false)), created_at desc)
  where subject_type = 'USER';
