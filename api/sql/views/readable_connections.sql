-- revision: 5
-- of: billing
-- Connections: who bought which proxy at which address, usage and charges.
create or replace view readable_connections as
select id, user_id, proxy_id, payer_account_id, escrow_account_id, price_micros, status, end_reason, refund_status, ending_at, dns_port,
       charged_megabytes, used_bytes, uploaded_bytes, created_at, synced_at, ended_at, exit_id,
       ending_reason, cap_megabytes, access_revision, password_revision, staff_refunded_micros, address, first_bought_at
  from connections;
