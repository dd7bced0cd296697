-- Other proxies through which traffic leaves. A value of a type cannot be used in the transaction that adds it.
alter type exit_kind add value 'socks5';
alter type exit_kind add value 'http';
