/** A proxy of the catalogue, a connection that was bought, and its first charge. */
import type { Connection } from '@cellhop/contract/connections';
import type { Proxy } from '@cellhop/contract/proxies';
import type { Charge } from '@cellhop/contract/receipts';

const location = {
  countryCode: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  zip: '10115',
  isp: 'Telekom',
  asn: 3320,
  connectionType: 'LTE',
  limits: { ports: null, tunnels: null, bytesPerSecond: null },
};

/** @param number of the address, at most 255; proxies with different numbers have different ids */
export function exampleProxy(number: number, changes: Partial<Proxy> = {}): Proxy {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return { id, ip: `198.18.0.${number}`, ...location, price: 0.8, checkedAt: null, latencyMs: null, ...changes };
}

export function exampleConnection(number: number, changes: Partial<Connection> = {}): Connection {
  return {
    ...exampleProxy(number),
    paidFor: 0.4,
    trafficUsed: 0,
    status: 'WORK',
    refundStatus: 'NONE',
    endReason: null,
    createdAt: '2026-11-21T12:00:00.000Z',
    firstBoughtAt: null,
    syncAt: null,
    disconnectAt: null,
    host: 'proxy.example.com',
    port: 1080,
    dnsPort: 20_017,
    username: 'zzkpxhpxqykh',
    password: 'phztjenpp7kgkw28gujzvm2xqtr',
    label: '',
    capMegabytes: null,
    currentIp: null,
    rotation: null,
    lastRefusal: null,
    ...changes,
  };
}

/** The purchase of the example connection. */
export const exampleCharge: Charge = {
  number: 1,
  chargedAt: '2026-11-21T12:00:00.000Z',
  kind: 'PREPAID_50_MB',
  firstMegabyte: 1,
  lastMegabyte: 50,
  uploadedBytes: 0,
  downloadedBytes: 0,
  megabytePrice: 0.008,
  amount: 0.4,
  hash: '0'.repeat(64),
};
