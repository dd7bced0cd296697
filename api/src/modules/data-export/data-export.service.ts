/**
 * What the shop stores about a user, for themselves: one JSON object, written page by page, so that a slow client keeps neither a transaction
 * nor much memory. It has no passwords, and of each list the newest rows.
 */
import { LISTED_ROWS_MAX, PAGE_SIZE_MAX } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import type { PageQuery } from '../../http/paging.ts';
import { listSessions } from '../auth/sessions.service.ts';
import { getAlertSettings } from '../billing/alerts.service.ts';
import * as connections from '../connections/connections.service.ts';
import * as invoices from '../invoices/invoices.service.ts';
import * as notifications from '../notifications/notifications.service.ts';
import { getCompany, getProfile } from '../profile/profile.service.ts';
import { summarise } from '../referrals/referrals.service.ts';
import { readFilesOfUser } from '../tickets/ticket-files.service.ts';
import * as tickets from '../tickets/tickets.service.ts';
import { writeCsv } from '../transactions/transactions.service.ts';

type List = (page: PageQuery) => Promise<{ data: object[] }>;

export async function* writeOwnData(ctx: Ctx, actor: Actor): AsyncGenerator<string> {
  const [profile, company, alerts, referrals, sessions] = [
    await getProfile(ctx, actor.userId),
    await getCompany(ctx, actor),
    await getAlertSettings(ctx, actor),
    await summarise(ctx, actor),
    await listSessions(ctx, actor),
  ];
  // Without the closing brace: the lists follow.
  yield JSON.stringify({ exportedAt: new Date(), profile, company, alerts, referrals, sessions }).slice(0, -1);
  yield* writeList('connections', (page) => listConnections(ctx, actor, page));
  yield* writeList('invoices', (page) => invoices.listOwn(ctx, actor, page));
  yield* writeList('notifications', (page) => notifications.listOwn(ctx, actor, page));
  yield* writeList('tickets', (page) => listTickets(ctx, actor, page));
  yield* writeFiles(ctx, actor);
  yield* writeTransactions(ctx, actor);
  yield '}';
}

async function* writeList(name: string, list: List): AsyncGenerator<string> {
  yield `,"${name}":[`;
  for (let page = 1; page <= LISTED_ROWS_MAX / PAGE_SIZE_MAX; page++) {
    const { data } = await list({ page, size: PAGE_SIZE_MAX });
    const rows = data.map((row) => JSON.stringify(row)).join(',');
    if (rows !== '') yield page === 1 ? rows : `,${rows}`;
    if (data.length < PAGE_SIZE_MAX) break;
  }
  yield ']';
}

async function listConnections(ctx: Ctx, actor: Actor, page: PageQuery) {
  const { data } = await connections.listOwn(ctx, actor, page);
  return {
    data: data.map(({ password: _password, rotation, ...connection }) => ({
      ...connection,
      // Its link acts without signing in.
      rotation: rotation && { state: rotation.state, everyMinutes: rotation.everyMinutes },
    })),
  };
}

/** With the newest messages of each. */
async function listTickets(ctx: Ctx, actor: Actor, page: PageQuery) {
  const { data } = await tickets.listOwn(ctx, actor, page);
  const withMessages: object[] = [];
  for (const ticket of data) {
    const messages = await tickets.listOwnMessages(ctx, actor, ticket.id, { page: 1, size: PAGE_SIZE_MAX });
    withMessages.push({ ...ticket, messages: messages.data });
  }
  return { data: withMessages };
}

/** All files of tickets, each with its content in base64. */
async function* writeFiles(ctx: Ctx, actor: Actor): AsyncGenerator<string> {
  yield ',"ticketFiles":[';
  let separator = '';
  for await (const file of readFilesOfUser(ctx, actor.userId)) {
    yield `${separator}${JSON.stringify(file)}`;
    separator = ',';
  }
  yield ']';
}

/** All of them, as the text of the CSV export. */
async function* writeTransactions(ctx: Ctx, actor: Actor): AsyncGenerator<string> {
  yield ',"transactionsCsv":"';
  for await (const lines of writeCsv(ctx, actor, {})) yield JSON.stringify(lines).slice(1, -1);
  yield '"';
}
