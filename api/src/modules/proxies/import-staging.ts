/** Decides what each line of a checked file means, and encrypts its secrets. */
import type { ParsedExit } from '@cellhop/contract/exits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import type { FileColumn, ImportProblem } from '@cellhop/contract/staff/inventory.values';
import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '../../ctx.ts';
import { inSlices } from '../../process/time-slices.ts';
import { encryptCredentials, hashCredentials } from '../../secrets/exit-credentials.ts';
import { decryptLink, encryptLink } from '../../secrets/rotation-links.ts';
import { type ImportRow, UNKNOWN_COUNTRY } from './import-rows.ts';
import * as store from './import-staging.store.ts';
import { completePlace, type PlaceOf } from './place-files.service.ts';

export const errorOf = (
  { line }: { line: number },
  problem: ImportProblem,
  column: FileColumn = 'exit',
  value: string | null = null,
): ImportError => ({ line, column, problem, value });

/** The first line of a file that means a proxy, by its address, or uses an exit; and whether no other line may. */
export type Claims = Map<string, { line: number; isAlone: boolean }>;

type SealedRow = Omit<store.StagedRow, 'rotation' | 'isWaiting'> & Pick<ImportRow, 'rotation'>;
/** The row, or why it is refused. */
type Staged = store.StagedRow | ImportError;

export async function stageRows(ctx: Ctx, batch: readonly ImportRow[], placeOf: PlaceOf, claims: Claims) {
  const hidden = batch.filter(({ exit }) => exit.credentials === 'hidden');
  const kept = hidden.length === 0 ? new Map<number, string>() : await store.findKeptExits(ctx, hidden);
  const sealed: SealedRow[] = [];
  for await (const row of inSlices(batch))
    sealed.push({ ...row, ...sealExit(ctx, row.exit), keptExitId: kept.get(row.line) });
  const exits = await store.findExits(ctx, sealed);
  const rows: store.StagedRow[] = [];
  const errors: ImportError[] = [];
  for await (const row of inSlices(sealed)) {
    const isLost = row.exit.credentials === 'hidden' && row.keptExitId === undefined;
    const staged = isLost
      ? errorOf(row, 'HIDDEN_CREDENTIALS')
      : stageRow(ctx, row, exits.get(row.line), placeOf, claims);
    if ('problem' in staged) errors.push(staged);
    else rows.push(staged);
  }
  return { rows, errors };
}

/**
 * A line without an address means the proxy of its exit. So does one whose exit has a link or gets one, or has lost the address that its proxy
 * promised: an address that changes finds no proxy.
 */
function stageRow(
  ctx: Ctx,
  row: SealedRow,
  exit: store.FoundExit | undefined,
  placeOf: PlaceOf,
  claims: Claims,
): Staged {
  const rotation = stageRotation(ctx, row, exit);
  if (rotation === undefined) return errorOf(row, 'HIDDEN_CREDENTIALS', 'rotation');
  const isShared = exit !== undefined && exit.proxies > 1;
  if (isShared && (row.ip === null || rotation?.link != null))
    return errorOf(row, 'SHARED_EXIT', row.ip === null ? 'ip' : 'rotation');
  const isLinked = rotation === null ? exit?.linkEncrypted != null : rotation.link !== null;
  const only = exit?.proxies === 1 ? exit : undefined;
  const isOfExit = !isShared && (row.ip === null || isLinked || only?.ip === null);
  const found = isOfExit ? only : undefined;
  const promised = found === undefined ? row.ip : found.ip;
  const first =
    claim(claims, exit?.exitId ?? `${row.nodeId} ${row.keys[0]!}`, row.line, isOfExit) ??
    (promised === null ? undefined : claim(claims, promised, row.line, true));
  if (first !== undefined) return errorOf(row, 'DUPLICATE_EXIT', 'exit', String(first));
  const isWaiting = row.ip === null && found === undefined;
  const place = completePlace(row, placeOf(found?.address ?? row.ip));
  if (place.countryCode === UNKNOWN_COUNTRY && !isWaiting) return errorOf(row, 'NOT_A_COUNTRY', 'countryCode');
  return { ...row, ...place, ip: found === undefined ? row.ip : null, isWaiting, rotation };
}

/** @returns the earlier line, if one of the two has to be alone */
function claim(claims: Claims, name: string, line: number, isAlone: boolean): number | undefined {
  const first = claims.get(name);
  if (first === undefined) claims.set(name, { line, isAlone });
  return first && (first.isAlone || isAlone) ? first.line : undefined;
}

/** @returns null if it stays as it is, undefined if the exit has no link to keep */
function stageRotation(
  { config: { secretKeys } }: Ctx,
  { rotation, exitKind, exit: { parameters } }: SealedRow,
  exit: store.FoundExit | undefined,
): store.StagedRotation | null | undefined {
  if (rotation === null) return null;
  const { link, ...limits } = rotation;
  const owner = { exitKind, parameters };
  const known = exit?.linkEncrypted ?? null;
  if (link === null) return known && { link, ...limits };
  const isSame = isDeepStrictEqual(limits, {
    cooldownSeconds: exit?.cooldownSeconds,
    changesPerHour: exit?.changesPerHour,
  });
  if (link === 'hidden') return known === null ? undefined : isSame ? null : { link: toBytea(known), ...limits };
  if (isSame && known && isDeepStrictEqual(decryptLink(secretKeys, owner, known), link)) return null;
  return { link: toBytea(encryptLink(secretKeys, owner, link)), ...limits };
}

const toBytea = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

function sealExit(ctx: Ctx, { key, parameters, credentials }: ParsedExit): store.StagedCredentials {
  if (credentials === undefined || credentials === 'hidden') return { keys: [key], encrypted: null, hashes: null };
  const { secretKeys } = ctx.config;
  const hashes = hashCredentials(secretKeys, credentials);
  const encrypted = encryptCredentials(secretKeys, parameters, credentials);
  return { keys: hashes.map((hash) => `${key}#${hash.toString('hex')}`), encrypted, hashes };
}

export async function storeRows(ctx: Ctx, importId: string, rows: readonly store.StagedRow[]): Promise<void> {
  await store.insertRows(
    ctx,
    importId,
    rows.filter(({ isWaiting }) => !isWaiting),
  );
  await store.insertWaitingRows(
    ctx,
    importId,
    rows.filter(({ isWaiting }) => isWaiting),
  );
}
