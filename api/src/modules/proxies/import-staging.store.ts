/** The lines of a file that is checked, before they are written. */
import type { RotationLimits } from '@cellhop/contract/staff/exit-rotation';
import type { Ctx } from '../../ctx.ts';
import { placeSql } from '../../db/place-columns.ts';
import type { ImportRow } from './import-rows.ts';

/** What finds the exit at its node: its key with the hash of its credentials, by each key of the setting, the newest first. */
export interface StagedCredentials {
  keys: string[];
  encrypted: Buffer | null;
  hashes: Buffer[] | null;
}

/** How the change of the address of an exit will be set up. */
export interface StagedRotation extends RotationLimits {
  /** Encrypted, as a text of `bytea`. Null: it is removed. */
  link: string | null;
}

export interface StagedRow extends Omit<ImportRow, 'rotation'>, StagedCredentials {
  /** The exit whose credentials stay. */
  keptExitId: string | undefined;
  /** Null: it stays as it is. */
  rotation: StagedRotation | null;
  /** No proxy yet: a check of its exit has to see the address. */
  isWaiting: boolean;
}

/**
 * Finds the current exits of proxies that are those of the rows, regardless of their credentials. A row without an address means the only
 * one whose proxy promises none. @returns exits by line
 */
export async function findKeptExits(ctx: Ctx, rows: readonly ImportRow[]): Promise<Map<number, string>> {
  const found = await ctx.db.query<{ line: number; exitId: string }>(
    `with file as (
       select * from unnest($1::int[], $2::inet[], $3::uuid[], $4::text[]) as file (line, ip, node_id, key)
     )
     select line, exits.id as "exitId" from file
       join proxies on proxies.ip = file.ip
       join readable_exits as exits on exits.id = proxies.exit_id
      where exits.node_id = file.node_id and split_part(exits.key, '#', 1) = file.key and has_credentials
      union all
     select line, min(exits.id::text)::uuid from file
       join readable_exits as exits on exits.node_id = file.node_id and split_part(exits.key, '#', 1) = file.key
       join proxies on proxies.exit_id = exits.id and proxies.ip is null
      where file.ip is null and has_credentials
      group by line having count(*) = 1`,
    [
      rows.map(({ line }) => line),
      rows.map(({ ip }) => ip),
      rows.map(({ nodeId }) => nodeId),
      rows.map(({ exit }) => exit.key),
    ],
  );
  return new Map(found.map(({ line, exitId }) => [line, exitId]));
}

export interface FoundExit {
  line: number;
  exitId: string;
  /** That use it; 2 stands for more. */
  proxies: number;
  /** That the only one promises. */
  ip: string | null;
  /** That customers see. */
  address: string | null;
  linkEncrypted: Buffer | null;
  cooldownSeconds: number | null;
  changesPerHour: number | null;
}

/** @returns by line; not the exits that their nodes do not have yet */
export async function findExits(
  ctx: Ctx,
  rows: readonly (Pick<StagedRow, 'line' | 'nodeId' | 'keptExitId'> & StagedCredentials)[],
): Promise<Map<number, FoundExit>> {
  const found = await ctx.db.query<FoundExit>(
    `select line, found.id as "exitId", users.count as proxies, host(users.ip) as ip, host(coalesce(users.ip, seen_address)) as address,
            link_encrypted as "linkEncrypted", cooldown_seconds as "cooldownSeconds", changes_per_hour as "changesPerHour"
       from unnest($1::int[], $2::uuid[], $3::text[], $4::uuid[]) as file (line, node_id, keys, kept_exit_id)
      cross join lateral (
        select coalesce(kept_exit_id, (
          select id from readable_exits as exits
           where exits.node_id = file.node_id and exits.key = any (file.keys::text[]) order by exits.key limit 1)) as id
      ) as found
      cross join lateral (
        select count(*)::int as count, min(ip) as ip from (select ip from proxies where exit_id = found.id limit 2) as two
      ) as users
       left join exit_states on exit_states.exit_id = found.id
       left join exit_links on exit_links.exit_id = found.id
      where found.id is not null`,
    [
      rows.map(({ line }) => line),
      rows.map(({ nodeId }) => nodeId),
      rows.map(({ keys }) => arrayText(keys)),
      rows.map(({ keptExitId }) => keptExitId ?? null),
    ],
  );
  return new Map(found.map((row) => [row.line, row]));
}

/** Encodes texts as that of an array, because `unnest` would flatten an array of arrays. */
const arrayText = (texts: readonly string[]) => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;

type StagedColumn = readonly [column: string, type: string, value: (row: StagedRow) => unknown];

/** The columns of staged lines with their types and values. */
const staged: readonly StagedColumn[] = [
  ['price_micros', 'bigint', ({ priceMicros }) => priceMicros],
  ...placeSql.map(({ name, sql, type }) => [sql, type, (row: StagedRow) => row[name]] as const),
  ['node_id', 'uuid', ({ nodeId }) => nodeId],
  ['exit_kind', 'exit_kind', ({ exitKind }) => exitKind],
  ['exit_keys', 'text[]', ({ keys }) => arrayText(keys)],
  ['exit_parameters', 'jsonb', ({ exit }) => JSON.stringify(exit.parameters)],
  ['credentials_encrypted', 'bytea', ({ encrypted }) => encrypted],
  [
    'credentials_hashes',
    'bytea[]',
    ({ hashes }) => hashes && arrayText(hashes.map((hash) => `\\x${hash.toString('hex')}`)),
  ],
  ['port_rule', 'text', ({ portRule }) => portRule],
  ['tunnels_max', 'integer', ({ tunnelsMax }) => tunnelsMax],
  ['bytes_per_second_max', 'integer', ({ bytesPerSecondMax }) => bytesPerSecondMax],
  ['rotation', 'jsonb', ({ rotation }) => rotation && JSON.stringify(rotation)],
];

function stagingInto(table: string, columns: readonly StagedColumn[]) {
  const names = columns.map(([column]) => column).join(', ');
  const text = `
    insert into ${table} (import_id, ${names})
    select $1, ${columns.map(([column, type]) => `${column}::${type}`).join(', ')}
      from unnest(${columns.map((_, index) => `$${index + 2}::text[]`).join(', ')}) as file (${names})`;
  return async (ctx: Ctx, importId: string, rows: readonly StagedRow[]): Promise<void> => {
    if (rows.length === 0) return;
    const values = columns.map(([, , value]) => rows.map((row) => value(row) ?? null));
    await ctx.db.query(text, [importId, ...values]);
  };
}

/** Without an address: the proxy of the exit is meant. */
export const insertRows = stagingInto('catalogue_import_rows', [
  ['ip', 'inet', ({ ip }) => ip],
  ...staged,
  ['kept_exit_id', 'uuid', ({ keptExitId }) => keptExitId],
]);
export const insertWaitingRows = stagingInto('catalogue_import_waiting', [
  ['line', 'integer', ({ line }) => line],
  ...staged,
]);
