/** Links that change the address of a connection without signing in: for programs that can open a URL and nothing else. */
import { AppError } from '@cellhop/contract/errors';
import { ROTATE_HELD_MS, ROTATE_PATH, type RotationResult } from '@cellhop/contract/rotation';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import type { Config } from '../../process/config.ts';
import { deriveKey, deriveKeys } from '../../secrets/keys.ts';
import { type Position, type ResealedBatch, resealRows, seal, tryUnseal } from '../../secrets/sealing.ts';
import * as resealing from './rotation-resealing.store.ts';
import { order, readResult, requireOwn } from './rotation.service.ts';
import * as store from './secret-links.store.ts';

/** A key derivation context. */
const ENCRYPTION = 'rotation-secret-encryption';
const SECRET_BYTES = 20;
const POLL_MS = 500;
/** Requests that this process holds at a time; others get ROTATING at once. */
export const HELD_REQUESTS_MAX = 500;
let heldRequests = 0;
/** By connection: however many clients wait for a change or have left, one query at a time reads it. */
const waits = new Map<string, Promise<RotationResult>>();

/** Replaces the link of the user's own connection. @throws AppError NOT_FOUND, NOT_CONNECTED, NOT_ROTATABLE */
export async function renewLink(ctx: Ctx, actor: Actor, connectionId: string): Promise<{ link: string }> {
  const connection = await requireOwn(ctx, actor, connectionId);
  if (!connection.rotates) throw new AppError('NOT_ROTATABLE');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const encrypted = seal(deriveKey(ctx.config.secretKeys, ENCRYPTION), connectionId, secret);
  await store.saveSecret(ctx, connectionId, hashOf(secret), encrypted);
  ctx.changed(actor, 'connections');
  return { link: toLink(ctx.config, secret) };
}

/** @returns null without one, or if no key opens it */
export function readLink(config: Config, connectionId: string, encrypted: Buffer | null): string | null {
  const opened = encrypted && tryUnseal(deriveKeys(config.secretKeys, ENCRYPTION), connectionId, encrypted);
  return opened ? toLink(config, opened.secret) : null;
}

const toLink = ({ publicUrl }: Config, secret: string) => `${publicUrl}${ROTATE_PATH}/${secret}`;

/** It has 160 random bits, so that its hash needs no key. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** @returns the open connection with this link. @throws AppError UNAUTHORIZED */
export async function findByLink(ctx: Ctx, secret: string): Promise<string> {
  const id = await store.findBySecret(ctx, hashOf(secret));
  if (id === undefined) throw new AppError('UNAUTHORIZED');
  return id;
}

/**
 * Orders a change, or joins the one that is awaited, and waits for its outcome.
 * @param signal when the server stops
 * @throws AppError NOT_CONNECTED, NOT_ROTATABLE, GATEWAY_TOO_OLD, RATE_LIMITED
 */
export async function rotateAndWait(ctx: Ctx, connectionId: string, signal: AbortSignal): Promise<RotationResult> {
  const ordered = await order(ctx, connectionId);
  if (heldRequests >= HELD_REQUESTS_MAX) return ordered;
  const wait =
    waits.get(connectionId) ??
    readUntilEnded(ctx, connectionId, ordered, signal).finally(() => waits.delete(connectionId));
  waits.set(connectionId, wait);
  heldRequests += 1;
  return wait.finally(() => (heldRequests -= 1));
}

async function readUntilEnded(
  ctx: Ctx,
  connectionId: string,
  ordered: RotationResult,
  signal: AbortSignal,
): Promise<RotationResult> {
  const until = performance.now() + ROTATE_HELD_MS;
  let result = ordered;
  while (result.state === 'ROTATING' && performance.now() < until && !signal.aborted) {
    await pause(POLL_MS, undefined, { signal }).catch(() => {});
    result = await readResult(ctx, connectionId);
  }
  return result;
}

/** Encrypts the links of connections again, with the newest key. */
export async function resealSecrets(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const rows = await resealing.listSecrets(ctx, after, limit);
  return resealRows(deriveKeys(secretKeys, ENCRYPTION), after, rows, (opened) =>
    resealing.saveSecrets(
      ctx,
      opened.map(({ id, before, secret }) => ({
        id,
        before,
        encrypted: seal(deriveKey(secretKeys, ENCRYPTION), id, secret),
      })),
    ),
  );
}

export const countSealedSecrets = resealing.countSecrets;
