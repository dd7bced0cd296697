-- The customer whom staff gave a payment to an address that a restore has taken from its customer.
alter table deposits add column assigned_to uuid references users;
