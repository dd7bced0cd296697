-- proxies_free_by_price begins with the same column.
drop index proxies_free_price;
