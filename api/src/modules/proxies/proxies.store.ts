import type { Proxy } from '@cellhop/contract/proxies';

export type ProxyRow = Omit<Proxy, 'price'> & { priceMicros: bigint };

export const COLUMNS = `id, host(ip) as ip, price_micros as "priceMicros", country_code as "countryCode", region, city,
            zip, isp, connection_type as "connectionType"`;
