/** Secrets that must be read again, encrypted at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first byte of what is stored names the format. The tag tells which key it was sealed with. */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param key 32 bytes, of one purpose
 * @param owner whose secret it is; authenticated with it, so a secret copied into another row does not open
 * @returns format, nonce, tag and text in one
 */
export function seal(key: Buffer, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), text]);
}

export interface Opened {
  secret: string;
  /** Position of the key that opened it; 0 is the newest. */
  keyIndex: number;
}

/** @returns undefined if it was sealed with a key that is not among these, or for another owner */
export function tryUnseal(keys: readonly Buffer[], owner: string, sealed: Buffer): Opened | undefined {
  for (const [keyIndex, key] of keys.entries()) {
    const secret = open(key, owner, sealed);
    if (secret !== undefined) return { secret, keyIndex };
  }
  return undefined;
}

/** @throws Error if it was sealed with a key that is not among these, or for another owner */
export function unseal(keys: readonly Buffer[], owner: string, sealed: Buffer): string {
  const opened = tryUnseal(keys, owner, sealed);
  if (!opened) throw new Error(`no key of SECRET_KEY opens the secret of ${owner}`);
  return opened.secret;
}

function open(key: Buffer, owner: string, sealed: Buffer): string | undefined {
  if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  const text = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
  try {
    return text + decipher.final('utf8');
  } catch {
    // The tag does not fit: another key sealed it, or it belongs to another row.
    return undefined;
  }
}

/** A place in the rows of a table, in the order of their creation. */
export interface Position {
  /** As PostgreSQL writes it: a Date would lose the microseconds. */
  createdAt: string;
  id: string;
}

export interface SealedRow extends Position {
  /** Whose secret it is, as it was sealed. */
  owner: string;
  sealed: Buffer;
}

export interface ResealedBatch {
  /** After the last row that is done. */
  position: Position;
  listedCount: number;
  /** Of those listed; fewer where a row was locked by somebody else, who may be changing it. */
  doneCount: number;
  resealedCount: number;
  unreadableCount: number;
}

export interface Resealed {
  id: string;
  before: Buffer;
  secret: string;
}

/**
 * Opens a batch of rows and hands those that an older key has sealed to `save`.
 * @param rows the ones that follow `after`, in order
 * @param save returns the ids of the rows that it has saved
 */
export async function resealRows(
  keys: readonly Buffer[],
  after: Position,
  rows: readonly SealedRow[],
  save: (rows: readonly Resealed[]) => Promise<ReadonlySet<string>>,
): Promise<ResealedBatch> {
  const opened = rows.map((row) => ({ row, opened: tryUnseal(keys, row.owner, row.sealed) }));
  const old = opened.flatMap(({ row, opened }) =>
    opened && opened.keyIndex > 0 ? [{ id: row.id, before: row.sealed, secret: opened.secret }] : [],
  );
  const saved = old.length > 0 ? await save(old) : new Set<string>();
  const missed = new Set(old.map(({ id }) => id).filter((id) => !saved.has(id)));
  const firstMissed = rows.findIndex(({ id }) => missed.has(id));
  const doneCount = firstMissed === -1 ? rows.length : firstMissed;
  const last = rows[doneCount - 1];
  return {
    position: last ? { createdAt: last.createdAt, id: last.id } : after,
    listedCount: rows.length,
    doneCount,
    resealedCount: saved.size,
    unreadableCount: opened.slice(0, doneCount).filter((each) => !each.opened).length,
  };
}
