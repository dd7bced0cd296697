/** Encrypts secrets at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first byte of the ciphertext. */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param key 32 bytes, derived for one purpose
 * @param owner additional authenticated data: a ciphertext copied into a row of another owner does not decrypt
 * @returns format, nonce, tag and ciphertext
 */
export function seal(key: Buffer, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), text]);
}

export interface Opened {
  secret: string;
  /** Index of the key that decrypted it; 0 is the newest. */
  keyIndex: number;
}

/** @returns undefined if it was encrypted with another key or for another owner */
export function tryUnseal(keys: readonly Buffer[], owner: string, sealed: Buffer): Opened | undefined {
  for (const [keyIndex, key] of keys.entries()) {
    const secret = open(key, owner, sealed);
    if (secret !== undefined) return { secret, keyIndex };
  }
  return undefined;
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
    // Authentication failed: another key, or another owner.
    return undefined;
  }
}

/** A keyset position in a table ordered by creation time. */
export interface Position {
  /** A text in PostgreSQL's format, because a Date would lose the microseconds. */
  createdAt: string;
  id: string;
}

export interface SealedRow extends Position {
  /** The additional authenticated data. */
  owner: string;
  sealed: Buffer;
}

export interface ResealedBatch {
  /** The position of the last completed row. */
  position: Position;
  listedCount: number;
  /** Below `listedCount` if a row was locked by a concurrent transaction. */
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
 * Decrypts a batch of rows and passes those that were encrypted with an older key to `save`.
 * @param rows the next ones after `after`, in order
 * @param save returns the ids of the saved rows
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
