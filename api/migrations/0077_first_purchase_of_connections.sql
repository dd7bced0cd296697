-- When the first of the connections was bought that this one replaces: the time for refunds counts from then. Null: it replaces none.
alter table connections add column first_bought_at timestamptz;
