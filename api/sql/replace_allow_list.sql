-- revision: 1
-- Replaces the allow-list of an open connection. The caller has locked the payer's account.
create or replace function replace_allow_list(changed_id uuid, networks cidr[]) returns void language plpgsql as $$
begin
  update connections set access_revision = access_revision + 1 where id = changed_id and status = 'WORK';
  if not found then
    return;
  end if;
  delete from allowed_networks where connection_id = changed_id;
  insert into allowed_networks (connection_id, network) select changed_id, network from unnest(networks) as network;
end $$;
