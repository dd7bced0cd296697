import {
  CONFIRM_EMAIL_PATH,
  confirmEmailQuery,
  DEVICE_TOKEN_HEADER,
  logout,
  recoverPassword,
  refreshTokens,
  resendConfirmation,
  resendRecovery,
  setPassword,
  signIn,
  signUp,
} from '@cellhop/contract/auth';
import { confirmationTexts } from '@cellhop/contract/confirmation-texts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { clientOf, route } from '../../http/route.ts';
import * as auth from './auth.service.ts';
import * as sessions from './sessions.service.ts';

export function authRoutes(app: FastifyInstance): void {
  route(app, signUp, async ({ ctx, body, client }) => ({ data: await auth.signUp(ctx, body, client) }));
  route(app, resendConfirmation, async ({ ctx, body, client }) => ({
    data: await auth.resendConfirmation(ctx, body.email, client),
  }));
  route(app, signIn, async ({ ctx, body, headers, client }) => {
    const deviceToken = headers[DEVICE_TOKEN_HEADER];
    return { data: await auth.signIn(ctx, body, typeof deviceToken === 'string' ? deviceToken : undefined, client) };
  });
  route(app, refreshTokens, async ({ ctx, body, client }) => ({ data: await sessions.refresh(ctx, body, client) }));
  route(app, logout, async ({ ctx, actor, client }) => ({
    data: { endedAt: (await sessions.logOut(ctx, actor, client)).toISOString() },
  }));
  route(app, recoverPassword, async ({ ctx, body, client }) => ({
    data: presentRecovery(await auth.recoverPassword(ctx, body.email, client)),
  }));
  route(app, resendRecovery, async ({ ctx, params, client }) => ({
    data: presentRecovery(await auth.resendRecovery(ctx, params.sessionId, client)),
  }));
  route(app, setPassword, async ({ ctx, body, client }) => ({
    data: { changedAt: (await auth.setPassword(ctx, body, client)).toISOString() },
  }));
  confirmEmailRoute(app);
}

/** The link of a mail, opened in a browser: it answers with a page, not with JSON. */
function confirmEmailRoute(app: FastifyInstance): void {
  app.get<{ Querystring: z.output<typeof confirmEmailQuery> }>(
    CONFIRM_EMAIL_PATH,
    // No HEAD: what only looks whether a link is alive must not confirm anything.
    { exposeHeadRoute: false, schema: { hide: true, querystring: confirmEmailQuery } },
    async (request, reply) => {
      const { confirmation, languageCode } = await auth.confirmEmail(app.ctx, request.query.code, clientOf(request));
      const text = confirmationTexts[languageCode ?? browserLanguage(request.headers['accept-language'])][confirmation];
      return reply.header('cache-control', 'no-store').redirect(`/public-message?message=${encodeURIComponent(text)}`);
    },
  );
}

/** For a link that belongs to nobody. */
function browserLanguage(header: string | undefined): LanguageCode {
  return header?.toLowerCase().startsWith('ru') ? 'ru' : 'en';
}

function presentRecovery({ id, nextSendingAllowedIn }: { id: string; nextSendingAllowedIn: number }) {
  return { sessionId: id, nextSendingAllowedIn };
}
