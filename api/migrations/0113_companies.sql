-- What customers print on their monthly statements. Deleted with the account.
create table companies (
  user_id uuid primary key references users,
  name text not null check (length(name) <= 200),
  address text not null check (length(address) <= 500),
  tax_id text not null check (length(tax_id) <= 40)
);
