import {
  changePassword,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  listSessions,
  renewRecoveryCodes,
  revokeOtherSessions,
  revokeSession,
  setUpSecondFactor,
} from '@cellhop/contract/security';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as auth from './auth.service.ts';
import * as secondFactor from './second-factor.service.ts';
import * as sessions from './sessions.service.ts';

/** What a signed-in user sees and changes of his own access. */
export function securityRoutes(app: FastifyInstance): void {
  route(app, listSessions, async ({ ctx, actor }) => ({ data: await sessions.listSessions(ctx, actor) }));
  route(app, revokeSession, async ({ ctx, actor, params, client }) => {
    await sessions.revokeSession(ctx, actor, params.id, client);
    return { data: { id: params.id } };
  });
  route(app, revokeOtherSessions, async ({ ctx, actor, client }) => ({
    data: { revokedCount: await sessions.revokeOtherSessions(ctx, actor, client) },
  }));
  route(app, changePassword, async ({ ctx, actor, body, client }) => ({
    data: { changedAt: (await auth.changePassword(ctx, actor, body, client)).toISOString() },
  }));

  route(app, getSecondFactor, async ({ ctx, actor }) => ({ data: await secondFactor.getSecondFactor(ctx, actor) }));
  route(app, setUpSecondFactor, async ({ ctx, actor, body, client }) => ({
    data: await secondFactor.setUp(ctx, actor, body.password, client),
  }));
  route(app, enableSecondFactor, async ({ ctx, actor, body, client }) => ({
    data: { recoveryCodes: await secondFactor.enable(ctx, actor, body.code, client) },
  }));
  route(app, renewRecoveryCodes, async ({ ctx, actor, body, client }) => ({
    data: { recoveryCodes: await secondFactor.renewRecoveryCodes(ctx, actor, body, client) },
  }));
  route(app, disableSecondFactor, async ({ ctx, actor, body, client }) => ({
    data: await secondFactor.disable(ctx, actor, body, client),
  }));
}
