/** Whether a username and password, or a client's address, open a connection. */
import type { EndReason } from '@cellhop/contract/connections';
import type { Exit } from '@cellhop/contract/gateway';
import type { Ctx } from '../../ctx.ts';
import * as store from './logins.store.ts';
import { isPassword } from './credentials.ts';

export interface Login {
  connectionId: string;
  exit: Exit;
  passwordRevision: number;
}

/** `reason`: why the connection has ended. Without one the credentials are wrong. */
export interface RefusedLogin {
  reason: EndReason | 'ADDRESS_SHARED' | undefined;
}

/** Whoever has the right password of a connection that has ended hears why, for a day. */
const REASON_TOLD_HOURS = 24;

export async function findLogin(ctx: Ctx, username: string, password: string): Promise<Login | RefusedLogin> {
  const login = await store.findLogin(ctx, username, REASON_TOLD_HOURS);
  if (!login || !isPassword(ctx.config.secretKeys, password, login.passwordHash)) return { reason: undefined };
  const { connectionId, exit, passwordRevision, endReason } = login;
  return endReason === null ? { connectionId, exit, passwordRevision } : { reason: endReason };
}

/** Of the open connection that lists this address. Where several do, none is opened: nobody could tell them apart. */
export async function findLoginByAddress(ctx: Ctx, address: string): Promise<Login | RefusedLogin> {
  const [login, other] = await store.findLoginsByAddress(ctx, address);
  if (other) return { reason: 'ADDRESS_SHARED' };
  return login ?? { reason: undefined };
}
