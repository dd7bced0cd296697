-- Corrections of balances by staff. A new value cannot be used in the transaction that adds it, so the account is in the next file.
alter type account_kind add value if not exists 'ADJUSTMENT';
alter type transfer_reason add value if not exists 'ADJUSTMENT';
