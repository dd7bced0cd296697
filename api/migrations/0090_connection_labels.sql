-- What customers call their connections. Apart from the connections, which change only under the lock of their payer's account.
create table connection_labels (
  connection_id uuid primary key references connections,
  label text not null check (char_length(label) between 1 and 60)
);
