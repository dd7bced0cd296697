-- revision: 3
-- of: invoices
-- The payer, the invoice and the receipt of each deposit.
create or replace view readable_deposits as
select deposits.id, invoices.id as invoice_id, invoices.currency, coalesce(deposits.assigned_to, deposit_addresses.user_id) as user_id,
       top_up_receipts.number as receipt
  from deposits
  left join deposit_addresses on deposit_addresses.id = address_id
  left join invoices on invoices.id = invoice_id
  left join top_up_receipts on deposit_id = deposits.id;
