/** Finds the connection of a client by its credentials or its address. */
import type { EndReason } from '@cellhop/contract/connections';
import { AppError } from '@cellhop/contract/errors';
import { type Exit, namesOf } from '@cellhop/contract/exits';
import { refusalsOfEnds } from '@cellhop/contract/refusals.values';
import type { Ctx } from '../../ctx.ts';
import { decryptCredentials } from '../../secrets/exit-credentials.ts';
import { resealRows, type Position, type ResealedBatch } from '../../secrets/sealing.ts';
import * as store from './logins.store.ts';
import type { RefusedLoginOf } from './refusals.service.ts';
import { isPassword, encryptionKeys, encryptPassword, hashPassword } from '../../secrets/connection-credentials.ts';

export type { ExitOfLogin } from './logins.store.ts';

export interface Login {
  connectionId: string;
  exit: Exit;
  passwordRevision: number;
  /** The only node that serves it. */
  nodeId: string;
}

/** `reason`: why the connection has ended; undefined for wrong credentials. */
export interface RefusedLogin {
  reason: EndReason | 'ADDRESS_SHARED' | undefined;
  /** For the owner of the connection that the username names. */
  refusal?: RefusedLoginOf;
}

/** How long after its end the credentials of a connection are refused with the reason. */
const END_REASON_HOURS = 24;

export async function findLogin(ctx: Ctx, username: string, password: string): Promise<Login | RefusedLogin> {
  const row = await store.findLogin(ctx, username, END_REASON_HOURS);
  if (!row) return { reason: undefined };
  const { connectionId, endReason } = row;
  if (!isPassword(ctx.config.secretKeys, password, row.passwordHash))
    return { reason: undefined, refusal: { connectionId, reason: 'invalid-credentials' } };
  if (endReason === null) return toLogin(ctx, row);
  return { reason: endReason, refusal: { connectionId, reason: refusalsOfEnds[endReason] } };
}

/**
 * Finds the open connection that lists this address, among those that this node serves. The longest prefix wins: whoever lists a whole
 * network takes no address from a connection that lists it more specifically. Equal prefixes of several connections open none: the
 * client must say by a password which one it means.
 * @param connectionId consider only this connection: that of the DNS port
 */
export async function findLoginByAddress(
  ctx: Ctx,
  nodeId: string,
  address: string,
  connectionId: string | null = null,
): Promise<Login | RefusedLogin> {
  const [row, other] = await store.findLoginsByAddress(ctx, nodeId, address, connectionId);
  if (row && row.prefixBits === other?.prefixBits) return { reason: 'ADDRESS_SHARED' };
  return row ? toLogin(ctx, row) : { reason: undefined };
}

function toLogin(ctx: Ctx, { connectionId, passwordRevision, nodeId, ...row }: store.OpenLoginRow): Login {
  return { connectionId, passwordRevision, nodeId, exit: toExit(ctx, row) };
}

/** @throws AppError UNAVAILABLE if no key decrypts its credentials */
export function toExit(ctx: Ctx, row: store.ExitOfLogin): Exit {
  const { exitId: id, exitKind: kind, parameters, exitCredentials: sealed } = row;
  const names = namesOf(parameters, row.dnsWorks);
  const credentials = sealed ? decryptCredentials(ctx.config.secretKeys, parameters, sealed) : undefined;
  // The database has what the descriptor of the kind has read.
  if (credentials || !sealed)
    return { kind, id, ...parameters, ...(names && { names }), ...(credentials && { credentials }) } as Exit;
  // Without its login an upstream might let traffic leave by another route.
  ctx.log.error({ exitId: id }, 'no key of SECRET_KEY decrypts the credentials of this exit');
  throw new AppError('UNAVAILABLE');
}

/** Encrypts and hashes the passwords of connections again, with the newest key. */
export async function resealPasswords(ctx: Ctx, after: Position, limit: number): Promise<ResealedBatch> {
  const { secretKeys } = ctx.config;
  const rows = await store.listSealed(ctx, after, limit);
  return resealRows(encryptionKeys(secretKeys), after, rows, (opened) =>
    store.saveSealed(
      ctx,
      opened.map(({ id, before, secret }) => ({
        id,
        before,
        encrypted: encryptPassword(secretKeys, id, secret),
        hash: hashPassword(secretKeys, secret),
      })),
    ),
  );
}

export function countSealedPasswords(ctx: Ctx, after: Position): Promise<number> {
  return store.countSealed(ctx, after);
}
