-- invoices_listed_by_amount and invoices_listed_by_time begin with the same columns.
drop index invoices_by_amount, invoices_newest;
