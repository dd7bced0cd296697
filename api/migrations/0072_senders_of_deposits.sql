-- Who sent a payment, where its chain says so: staff see accounts with a payer in common. Null for those of processes of 0.4.0.
alter table deposits add column sender text;
