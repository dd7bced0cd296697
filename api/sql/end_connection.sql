-- revision: 3
-- Closes a connection and its runs, returns its proxy to the catalogue, frees its DNS port and deletes the addresses of its clients and the network of its buyer.
-- The caller has billed it and locked the payer's account. Follows the lock order: the proxy before the connection.
-- Returns its owner, null if there is no such connection, and the address that was sold.
create or replace function end_connection(
  in ended_id uuid, in new_status connection_status, in reason end_reason, in new_refund_status refund_status, in megabytes bigint,
  in new_granted_bytes bigint, out user_id uuid, out ip text
) language plpgsql as $$
#variable_conflict use_column
begin
  update proxies set connection_id = null where connection_id = ended_id;
  update connections
     set status = new_status, end_reason = reason, refund_status = new_refund_status, charged_megabytes = megabytes,
         granted_bytes = new_granted_bytes, ended_at = now()
   where id = ended_id
  returning connections.user_id, host(coalesce(address, (select proxies.ip from proxies where proxies.id = proxy_id)))
       into user_id, ip;
  update connection_runs set is_open = false where connection_id = ended_id and is_open;
  update node_dns_ports set connection_id = null where connection_id = ended_id;
  delete from allowed_networks where connection_id = ended_id;
  delete from client_addresses where connection_id = ended_id;
  delete from purchase_networks where connection_id = ended_id;
end $$;
