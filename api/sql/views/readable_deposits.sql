-- revision: 2
-- of: invoices
-- The payer and the invoice of each deposit.
create or replace view readable_deposits as
select deposits.id, invoices.id as invoice_id, invoices.currency, coalesce(deposits.assigned_to, deposit_addresses.user_id) as user_id
  from deposits
  left join deposit_addresses on deposit_addresses.id = address_id
  left join invoices on invoices.id = invoice_id;
