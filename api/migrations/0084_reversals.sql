-- The credit of a deposit that has left its chain, taken back. A new value cannot be used in the transaction that adds it.
alter type transfer_reason add value if not exists 'REVERSAL';
