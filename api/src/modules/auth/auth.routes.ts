import { endView, startView } from '@cellhop/contract/staff/view-as';
import {
  changePassword,
  CONFIRM_EMAIL_PATH,
  linkCodeInput,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  listSessions,
  logout,
  recoverPassword,
  refreshTokens,
  renewRecoveryCodes,
  resendConfirmation,
  resendRecovery,
  SECOND_FACTOR_RESET_PATH,
  revokeOtherSessions,
  revokeSession,
  setPassword,
  setUpSecondFactor,
  signIn,
  signInAsConfirmed,
  signUp,
} from '@cellhop/contract/auth';
import { DEVICE_TOKEN_HEADER } from '@cellhop/contract/auth.values';
import { confirmationTexts } from '@cellhop/contract/confirmation-texts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { useFormBodies } from '../../http/body.ts';
import { browserLanguage } from '../../http/link-page.ts';
import { toRequester, route } from '../../http/route.ts';
import * as auth from './auth.service.ts';
import * as confirmation from './confirmation.service.ts';
import { confirmationPage } from './confirmation-page.ts';
import { secondFactorResetPage } from './second-factor-reset-page.ts';
import * as secondFactorReset from './second-factor-reset.service.ts';
import * as secondFactor from './second-factor.service.ts';
import * as sessions from './sessions.service.ts';
import { readSignUpSecret, removedSignUpCookie, signUpCookie } from './sign-up-cookie.ts';
import * as views from './view-sessions.service.ts';

export function authRoutes(app: FastifyInstance): void {
  route(app, signUp, async ({ ctx, body, requester, setCookie }) => {
    const { browserSecret, nextSendingAllowedIn } = await auth.signUp(ctx, body, requester);
    setCookie(signUpCookie(ctx.config, browserSecret));
    return { data: { nextSendingAllowedIn } };
  });
  route(app, signInAsConfirmed, async ({ ctx, body, headers, requester, setCookie }) => {
    const secret = readSignUpSecret(ctx.config, headers.cookie);
    const data = await confirmation.signInAsConfirmed(ctx, body.id, secret, requester);
    setCookie(removedSignUpCookie(ctx.config));
    return { data };
  });
  route(app, resendConfirmation, async ({ ctx, body, requester }) => ({
    data: await auth.resendConfirmation(ctx, body.email, requester),
  }));
  route(app, signIn, async ({ ctx, body, headers, requester }) => {
    const deviceToken = headers[DEVICE_TOKEN_HEADER];
    return { data: await auth.signIn(ctx, body, typeof deviceToken === 'string' ? deviceToken : undefined, requester) };
  });
  route(app, refreshTokens, async ({ ctx, body, requester }) => ({
    data: await sessions.refresh(ctx, body, requester),
  }));
  route(app, logout, async ({ ctx, actor, requester }) => ({
    data: { endedAt: (await sessions.logOut(ctx, actor, requester)).toISOString() },
  }));
  route(app, recoverPassword, async ({ ctx, body, requester }) => ({
    data: presentRecovery(await auth.recoverPassword(ctx, body.email, requester)),
  }));
  route(app, resendRecovery, async ({ ctx, params, requester }) => ({
    data: presentRecovery(await auth.resendRecovery(ctx, params.sessionId, requester)),
  }));
  route(app, setPassword, async ({ ctx, body, requester }) => ({
    data: { changedAt: (await auth.setPassword(ctx, body, requester)).toISOString() },
  }));
  confirmEmailRoutes(app);
  secondFactorResetRoutes(app);
  securityRoutes(app);
  route(app, startView, async ({ ctx, actor, params, body, requester }) => ({
    data: await views.startView(ctx, actor, { userId: params.id, reason: body.reason }, requester),
  }));
  route(app, endView, async ({ ctx, actor, params, requester }) => ({
    data: { endedAt: (await views.endView(ctx, actor, params.id, requester)).toISOString() },
  }));
}

/** Sessions, password and second factor of the signed-in user. */
function securityRoutes(app: FastifyInstance): void {
  route(app, listSessions, async ({ ctx, actor }) => ({ data: await sessions.listSessions(ctx, actor) }));
  route(app, revokeSession, async ({ ctx, actor, params, requester }) => {
    await sessions.revokeSession(ctx, actor, params.id, requester);
    return { data: { id: params.id } };
  });
  route(app, revokeOtherSessions, async ({ ctx, actor, requester }) => ({
    data: { revokedCount: await sessions.revokeOtherSessions(ctx, actor, requester) },
  }));
  route(app, changePassword, async ({ ctx, actor, body, requester }) => ({
    data: { changedAt: (await auth.changePassword(ctx, actor, body, requester)).toISOString() },
  }));

  route(app, getSecondFactor, async ({ ctx, actor }) => ({ data: await secondFactor.getSecondFactor(ctx, actor) }));
  route(app, setUpSecondFactor, async ({ ctx, actor, body, requester }) => ({
    data: await secondFactor.setUp(ctx, actor, body.password, requester),
  }));
  route(app, enableSecondFactor, async ({ ctx, actor, body, requester }) => ({
    data: { recoveryCodes: await secondFactor.enable(ctx, actor, body.code, requester) },
  }));
  route(app, renewRecoveryCodes, async ({ ctx, actor, body, requester }) => ({
    data: { recoveryCodes: await secondFactor.renewRecoveryCodes(ctx, actor, body, requester) },
  }));
  route(app, disableSecondFactor, async ({ ctx, actor, body, requester }) => ({
    data: await secondFactor.disable(ctx, actor, body, requester),
  }));
}

/** Browsers open them, so they return a page and a redirect instead of JSON. */
function confirmEmailRoutes(app: FastifyInstance): void {
  type Input = z.output<typeof linkCodeInput>;
  app.get<{ Querystring: Input }>(
    CONFIRM_EMAIL_PATH,
    { schema: { hide: true, querystring: linkCodeInput } },
    async (request, reply) => {
      const { code } = request.query;
      const languageCode = await confirmation.readConfirmationLanguage(app.ctx, code, toRequester(request));
      const language = languageCode ?? browserLanguage(request.headers['accept-language']);
      return reply.type('text/html; charset=utf-8').send(confirmationPage(language, app.ctx.config, code));
    },
  );
  void app.register(async (scope) => {
    useFormBodies(scope);
    scope.post<{ Body: Input }>(
      CONFIRM_EMAIL_PATH,
      { schema: { hide: true, body: linkCodeInput } },
      async (request, reply) => {
        const secret = readSignUpSecret(app.ctx.config, request.headers.cookie);
        const confirmed = await confirmation.confirmEmail(app.ctx, request.body.code, secret, toRequester(request));
        const language = confirmed.languageCode ?? browserLanguage(request.headers['accept-language']);
        const text = confirmationTexts[language][confirmed.confirmation];
        const signIn = confirmed.signInId === undefined ? '' : `&signIn=${confirmed.signInId}`;
        return reply.redirect(`/public-message?message=${encodeURIComponent(text)}${signIn}`);
      },
    );
  });
}

function secondFactorResetRoutes(app: FastifyInstance): void {
  type Input = z.output<typeof linkCodeInput>;
  const send = (request: FastifyRequest, reply: FastifyReply, code: string, found: LanguageCode | undefined) => {
    const language = found ?? browserLanguage(request.headers['accept-language']);
    const page = found === undefined ? 'unknown' : request.method === 'GET' ? 'question' : 'stopped';
    const html = secondFactorResetPage(language, app.ctx.config, page, code);
    return reply
      .code(found === undefined ? 404 : 200)
      .type('text/html; charset=utf-8')
      .send(html);
  };
  app.get<{ Querystring: Input }>(
    SECOND_FACTOR_RESET_PATH,
    { schema: { hide: true, querystring: linkCodeInput } },
    async (request, reply) => {
      const { code } = request.query;
      return send(request, reply, code, await secondFactorReset.readResetLanguage(app.ctx, code, toRequester(request)));
    },
  );
  void app.register(async (scope) => {
    useFormBodies(scope);
    scope.post<{ Body: Input }>(
      SECOND_FACTOR_RESET_PATH,
      { schema: { hide: true, body: linkCodeInput } },
      async (request, reply) => {
        const { code } = request.body;
        return send(request, reply, code, await secondFactorReset.stopByLink(app.ctx, code, toRequester(request)));
      },
    );
  });
}

function presentRecovery({ id, nextSendingAllowedIn }: { id: string; nextSendingAllowedIn: number }) {
  return { sessionId: id, nextSendingAllowedIn };
}
