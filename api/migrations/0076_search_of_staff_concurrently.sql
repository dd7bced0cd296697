create index concurrently deposits_of_transaction on deposits (transaction_id);
