-- Of the kinds socks5 and http. The credentials (JSON with username and password) are encrypted, and hashed with a key so that the same
-- ones are found again; both are null for an upstream that asks for none.
alter table exits
  add column upstream_host text,
  add column upstream_port integer,
  add column credentials_encrypted bytea,
  add column credentials_hash bytea,
  add constraint exits_upstream check (
    (kind = 'local-address') = (upstream_host is null) and (upstream_host is null) = (upstream_port is null)
      and (credentials_encrypted is null) = (credentials_hash is null)
      and (credentials_encrypted is null or upstream_host is not null)
  );

-- Rows of files that name such an exit. `exit_address` is then its text without credentials.
alter table catalogue_import_rows
  add column upstream_host text,
  add column upstream_port integer,
  add column credentials_encrypted bytea,
  -- By each key of the setting, the newest first.
  add column credentials_hashes bytea[],
  -- The exit that the proxy has, for an exported line, which has no credentials.
  add column kept_exit_id uuid;
