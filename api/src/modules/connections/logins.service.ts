/** Checks the credentials of connections. */
import type { Exit } from '@cellhop/contract/gateway';
import type { Ctx } from '../../ctx.ts';
import * as store from './connections.store.ts';
import { isPassword } from './credentials.ts';

export interface Login {
  connectionId: string;
  exit: Exit;
  /** The only node that serves it; null: every one does. */
  nodeId: string | null;
}

/** @returns undefined for wrong credentials, or if the connection is ending or has ended */
export async function findLogin(ctx: Ctx, username: string, password: string): Promise<Login | undefined> {
  const login = await store.findLogin(ctx, username);
  if (!login || !isPassword(ctx.config.secretKeys, password, login.passwordHash)) return undefined;
  return { connectionId: login.connectionId, exit: exitOf(login), nodeId: login.nodeId };
}

function exitOf({ exit, exitId, exitKind, exitAddress }: store.LoginRow): Exit {
  return exitId === null || exitKind === null ? exit : { kind: exitKind, id: exitId, address: exitAddress };
}
