-- revision: 1
-- Buys the proxy that takes the place of a connection, which has ended. The caller has locked the payer's account and closed the connection.
-- No limit of purchases counts: no more connections are open than before, and the replacement itself was limited.
-- Returns the outcome of buy_proxy, or ACCOUNT_BLOCKED.
create or replace function buy_replacement(
  replaced_id uuid, new_id uuid, new_username text, new_password_encrypted bytea, new_password_hash bytea
) returns text language plpgsql as $$
declare
  replaced connections;
  candidate uuid;
  unlimited constant integer := 2147483647;
  result text := 'PROXY_NOT_FOUND';
begin
  select * into strict replaced from connections where id = replaced_id;
  -- Blocking locks the account first, as this does.
  if exists (select from users where id = replaced.user_id and status <> 'ACTIVE') then
    result := 'ACCOUNT_BLOCKED';
  else
    -- Others buy as well, and staff change proxies: then the next one is taken.
    for candidate in select * from replacing_proxies(replaced_id, 3) loop
      begin
        select outcome into result
          from buy_proxy(candidate, replaced.price_micros, replaced.user_id, replaced.payer_account_id, null, new_id, new_username,
                         new_password_encrypted, new_password_hash, unlimited, unlimited);
      exception when lock_not_available then
        result := 'PROXY_NOT_FOUND';
      end;
      exit when result in ('BOUGHT', 'SMALL_BALANCE');
    end loop;
  end if;
  if result = 'BOUGHT' then
    -- Together they stay within the cap of the first.
    update connections
       set first_bought_at = coalesce(replaced.first_bought_at, replaced.created_at),
           cap_megabytes = case when replaced.cap_megabytes is not null
                                then greatest(1, replaced.cap_megabytes - (replaced.used_bytes + 1048575) / 1048576) end
     where id = new_id;
    insert into connection_labels (connection_id, label) select new_id, label from connection_labels where connection_id = replaced_id;
  end if;
  update replacements
     set finished_at = statement_timestamp(), new_connection_id = case when result = 'BOUGHT' then new_id end
   where connection_id = replaced_id;
  return result;
end $$;
