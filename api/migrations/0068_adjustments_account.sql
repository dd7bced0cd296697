-- The other side of each correction, so that their total is one balance.
insert into accounts (id, kind) overriding system value values (5, 'ADJUSTMENT');
