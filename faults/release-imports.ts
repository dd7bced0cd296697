/** Imports of proxies by the previous release, on the schema of this one; and what its rows must have afterwards. */
import type { Call } from '@cellhop/contract/client';
import { applyImport, checkImport, readInventoryChange } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import type { Database } from '../api/src/db/db.ts';

/** Exits of each kind, with credentials and without. The last one is by the default route, as the demo's, so its proxies work. */
const exits = [
  ['socks5', 'socks5://operator:password@[2001:db8::9]:1080'],
  ['http', 'http://gate.invalid:8080'],
  ['local-address', '192.0.2.9'],
  ['local-address', ''],
] as const;

/** @param network of the addresses. @returns the id of the ordered change */
export async function orderImport(call: Call, network: string): Promise<string> {
  const lines = exits.map(
    ([kind, exit], index) => `${network}.${index},0.8,DE,Berlin,Berlin,10115,Telekom,LTE,default,${kind},${exit}`,
  );
  const file = { type: 'text/csv', content: [importColumns.join(','), ...lines].join('\n') };
  const { data: checked } = await call(checkImport, { query: { format: 'csv', fileName: `${network}.csv` } }, { file });
  const { data } = await call(applyImport, { params: { id: checked.id! } });
  return data.id;
}

export async function isApplied(call: Call, id: string): Promise<boolean> {
  return (await call(readInventoryChange, { params: { id } })).data.status === 'DONE';
}

/** @returns violations */
export async function findIncomplete(database: Database): Promise<string[]> {
  const rows = await database.query<{ sentence: string }>(
    `select 'connection ' || id || ' has no address' as sentence from connections where address is null
      union all
     select count(*) || ' proxies of imports' from proxies where ip << '198.51.100.0/24' or ip << '203.0.113.0/24' having count(*) <> $1`,
    [2 * exits.length],
  );
  return rows.map(({ sentence }) => sentence);
}
