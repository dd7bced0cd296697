-- contract: nothing since 0.4.0 uses month_traffic; month_sums has what it had.
drop table month_traffic;
