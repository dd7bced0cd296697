-- The credit of a reversed deposit whose transaction has returned to the chain. A new value cannot be used in the transaction that adds it.
alter type transfer_reason add value if not exists 'RESTORATION';
