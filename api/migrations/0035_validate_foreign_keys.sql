alter table connections
  validate constraint connections_payer_account_id_fkey,
  validate constraint connections_user_id_fkey,
  validate constraint connections_proxy_id_fkey;
alter table proxies validate constraint proxies_connection_id_fkey;
