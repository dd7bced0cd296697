import type { Connection } from '@cellhop/contract/connections';

/** How a list names a connection: by its label, if it has one, and where it is. */
export function nameOf({ label, ip, city, countryCode }: Pick<Connection, 'label' | 'ip' | 'city' | 'countryCode'>) {
  const place = `${ip} · ${city}, ${countryCode}`;
  return label === '' ? place : `${label} · ${place}`;
}
