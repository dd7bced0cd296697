-- What staff have given back of the cost of a connection. It is a transfer of its own: the charges and their receipt stay.
alter table connections add column staff_refunded_micros bigint not null default 0;
