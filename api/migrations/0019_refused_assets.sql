-- Assets of a chain for which no new invoices are created, although the chain works: a source knows other contracts of a token.
alter table chain_cursors add column refused_assets text[];
