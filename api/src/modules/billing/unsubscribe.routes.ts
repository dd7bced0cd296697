/** The pages behind the link that switches emails of broadcasts off. Mail programs post to it without opening it (RFC 8058, section 3.2). */
import { UNSUBSCRIBE_PATH, unsubscribeQuery } from '@cellhop/contract/alerts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { useRawBodies } from '../../http/body.ts';
import { browserLanguage, type LinkPage, linkPage } from '../../http/link-page.ts';
import { toRequester } from '../../http/route.ts';
import { readUnsubscribeCode } from '../../mail/unsubscribe-link.ts';
import { limitLookups } from '../auth/auth.service.ts';
import * as users from '../users/users.service.ts';
import * as alerts from './alerts.service.ts';

interface Texts {
  question: Pick<LinkPage, 'title' | 'text'>;
  button: string;
  done: Pick<LinkPage, 'title' | 'text'>;
  unknown: Pick<LinkPage, 'title' | 'text'>;
  account: string;
}

const texts: Record<LanguageCode, Texts> = {
  en: {
    question: {
      title: 'Stop emails with news?',
      text: 'You will still get emails about your account, and news in the app.',
    },
    button: 'Stop emails with news',
    done: { title: 'You get no more emails with news', text: 'You can switch them on again in your account.' },
    unknown: {
      title: 'This link is not valid',
      text: 'Check that it is complete, or switch the emails off in your account.',
    },
    account: 'Open the account',
  },
  ru: {
    question: {
      title: 'Отказаться от писем с новостями?',
      text: 'Письма о вашем аккаунте и новости в приложении будут приходить по-прежнему.',
    },
    button: 'Отказаться от писем',
    done: {
      title: 'Письма с новостями больше не придут',
      text: 'Включить их снова можно в аккаунте.',
    },
    unknown: {
      title: 'Ссылка недействительна',
      text: 'Проверьте, что она скопирована целиком, или отключите письма в аккаунте.',
    },
    account: 'Открыть аккаунт',
  },
};

const toAccount = (language: LanguageCode) => ({ href: '/account#alerts', text: texts[language].account });

type Query = z.output<typeof unsubscribeQuery>;
type UnsubscribeRequest = FastifyRequest<{ Querystring: Query }>;

export function unsubscribeRoutes(app: FastifyInstance): void {
  const schema = { hide: true, querystring: unsubscribeQuery };
  const findReader = async ({ query: { code } }: UnsubscribeRequest) => {
    const userId = readUnsubscribeCode(app.ctx.config.secretKeys, code);
    const user = userId === undefined ? undefined : await users.findUser(app.ctx, userId);
    return user?.status === 'DELETED' ? undefined : user;
  };
  const stop = async (request: UnsubscribeRequest) => {
    const reader = await findReader(request);
    if (reader) await alerts.stopNewsMails(app.ctx, { userId: reader.id, accountId: reader.accountId });
    return reader;
  };
  const send = (reply: FastifyReply, language: LanguageCode, page: LinkPage) =>
    reply.type('text/html; charset=utf-8').send(linkPage(language, app.ctx.config, page));
  const refuse = ({ headers }: UnsubscribeRequest, reply: FastifyReply) => {
    const language = browserLanguage(headers['accept-language']);
    return send(reply.code(404), language, { ...texts[language].unknown, link: toAccount(language) });
  };

  app.get<{ Querystring: Query }>(UNSUBSCRIBE_PATH, { schema }, async (request, reply) => {
    const reader = await limitLookups(toRequester(request).ip, false, () => findReader(request));
    if (!reader) return refuse(request, reply);
    const { question, button } = texts[reader.languageCode];
    // Only a POST changes something: programs that check links open them.
    const path = `${UNSUBSCRIBE_PATH}?${new URLSearchParams({ code: request.query.code }).toString()}`;
    return send(reply, reader.languageCode, { ...question, form: { path, fields: {}, button } });
  });
  void app.register(async (scope) => {
    // Of mail programs, `List-Unsubscribe=One-Click` in one of two content types. Nothing depends on it.
    useRawBodies(scope);
    scope.post<{ Querystring: Query }>(UNSUBSCRIBE_PATH, { schema }, async (request, reply) => {
      const reader = await limitLookups(toRequester(request).ip, false, () => stop(request));
      if (!reader) return refuse(request, reply);
      return send(reply, reader.languageCode, {
        ...texts[reader.languageCode].done,
        link: toAccount(reader.languageCode),
      });
    });
  });
}
