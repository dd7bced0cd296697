-- revision: 1
-- of: approvals
-- Requests of staff, and what they are about.
create or replace view readable_staff_requests as
select id, kind, status, promo_code_id, connection_id, lapses_at from staff_requests;
