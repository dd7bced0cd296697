/** Checks the credentials of connections. */
import type { Exit } from '@cellhop/contract/gateway';
import type { Ctx } from '../../ctx.ts';
import * as store from './connections.store.ts';
import { isPassword } from './credentials.ts';

export interface Login {
  connectionId: string;
  exit: Exit;
}

/** @returns undefined for wrong credentials, or if the connection is ending or has ended */
export async function findLogin(ctx: Ctx, username: string, password: string): Promise<Login | undefined> {
  const login = await store.findLogin(ctx, username);
  if (!login || !isPassword(ctx.config.secretKeys, password, login.passwordHash)) return undefined;
  return { connectionId: login.connectionId, exit: login.exit };
}
