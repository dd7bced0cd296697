-- What the last poll of a chain found strange, although it stopped nothing: sentences for the operator.
alter table chain_cursors add column warnings text[];
