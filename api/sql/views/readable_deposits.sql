-- revision: 1
-- of: invoices
-- The payer and the invoice of each deposit.
create or replace view readable_deposits as
select deposits.id, invoices.id as invoice_id, invoices.currency, deposit_addresses.user_id
  from deposits
  left join deposit_addresses on deposit_addresses.id = address_id
  left join invoices on invoices.id = invoice_id;
