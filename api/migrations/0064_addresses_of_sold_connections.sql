-- Connections that 0.3.0 has sold, if the job of 0.4.0 has not filled in all of them; usually none. Found by the index of the address.
update connections set address = ip from proxies where proxies.id = proxy_id and address is null and ip is not null;
