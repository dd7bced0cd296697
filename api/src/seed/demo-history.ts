/**
 * DEMO_DATA=large: three months of customers' activity for the screens of staff. The product's own services make every event, in
 * chronological order, with a clock in the past (demo-clock.store.ts).
 */
import { currencies } from '@cellhop/contract/invoices.values';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { toDollars } from '@cellhop/contract/units';
import { randomUUID } from 'node:crypto';
import type { Actor } from '../http/actor.ts';
import type { Ctx } from '../ctx.ts';
import { warnOfLowBalances } from '../modules/billing/alerts.service.ts';
import { requestAdjustment } from '../modules/approvals/requests.service.ts';
import { endConnection } from '../modules/billing/ending.service.ts';
import { emptyReport, chargeReports } from '../modules/billing/usage-reports.service.ts';
import { connect } from '../modules/connections/connections.service.ts';
import { createInvoice } from '../modules/invoices/invoices.service.ts';
import { payOnSandbox } from '../modules/invoices/sandbox-payment.service.ts';
import { watchChain } from '../modules/invoices/watch.service.ts';
import { answer, closeAny } from '../modules/tickets/staff-tickets.service.ts';
import { openTicket } from '../modules/tickets/tickets.service.ts';
import { recordTraffic } from '../modules/usage/usage.service.ts';
import { createUser } from '../modules/users/users.service.ts';
import { currencyRules } from '../payments/currencies.ts';
import { closeDemoClock, openDemoClock, setDemoClock } from './demo-clock.store.ts';
import { planHistory, type PlannedPurchase, type PlannedTicket, type PlannedUser } from './demo-plan.ts';
import * as store from './seed.store.ts';

/** Bought at no known place. */
const NO_CLIENT = { idempotencyKey: null, network: null };

interface History {
  passwordHash: string;
  adminId: string;
  supportId: string;
  /** Whose request waits for a second person. */
  financeId: string;
  /** Of the demo's customer, who has the most history. */
  customerEmail: string;
  /** The number of customers. */
  users: number;
}

const MINUTE_MS = 60_000;
/** The sandbox's payments are final and settled after this time. */
const CONFIRMED_AFTER_MS = 15_000;
const REPORTS = 3;

/** The state that the events share. */
interface Stage {
  ctx: Ctx;
  history: History;
  runId: string;
  promoCodeIds: string[];
  /** The proxies that are free at this time; the first one is sold next. */
  freeProxies: store.SeededProxy[];
  queue: Event[];
}

interface Event {
  at: number;
  run: () => Promise<void>;
}

/** Call it in the transaction of the seed. */
export async function seedHistory(ctx: Ctx, history: History): Promise<void> {
  const now = Date.now();
  const users = planHistory(history.users, now, history.customerEmail);
  const runId = randomUUID();
  await openDemoClock(ctx);
  await setDemoClock(ctx, new Date(users[0]!.at - MINUTE_MS));
  // Without a gateway nothing is used.
  if (!(await store.insertRun(ctx, runId))) throw new Error('a gateway node must be registered before the seed');
  const promoCodeIds: string[] = [];
  for (const code of ['SPRING', 'PARTNER10', 'PODCAST', 'FORUM', 'STUDENT', 'LAUNCH'])
    promoCodeIds.push(await store.insertPromoCode(ctx, code, history.adminId, 0n));
  const freeProxies = await store.listProxies(ctx);
  // They were for sale in the past that is told here; from now on, the checks of their exits decide.
  await store.setForSale(ctx, true);
  // Events of the past have no listeners.
  const stage: Stage = { ctx: { ...ctx, changed: () => {} }, history, runId, promoCodeIds, freeProxies, queue: [] };
  for (const user of users) add(stage, user.at, () => signUp(stage, user));
  for (let event = stage.queue.shift(); event !== undefined; event = stage.queue.shift()) {
    await setDemoClock(ctx, new Date(event.at));
    await event.run();
  }
  // The demo starts with alerts of its past that are known: nobody gets twenty mails about them.
  await setDemoClock(ctx, new Date(now));
  await requestSecondPerson(stage);
  await warnOfLowBalances(stage.ctx);
  await store.endMails(ctx);
  await closeDemoClock(ctx);
  await store.setForSale(ctx, false);
}

/** A request above the limit (APPROVAL_USD) waits for somebody else than its author. */
async function requestSecondPerson({ ctx, history }: Stage): Promise<void> {
  const staff = { actor: { userId: history.financeId }, requester: requesterOf('finance') };
  const userId = await store.findUserId(ctx, history.customerEmail);
  const reason = 'Two days without service in Berlin, agreed in the ticket';
  await requestAdjustment(ctx, staff, { userId, amount: 150, reason }, null);
}

const requesterOf = (id: string) => ({ ip: '127.0.0.1', userAgent: 'demo', requestId: `demo:${id}` });

/** Keeps the queue in chronological order. */
function add({ queue }: Stage, at: number, run: () => Promise<void>): void {
  const place = queue.findIndex((event) => event.at > at);
  queue.splice(place === -1 ? queue.length : place, 0, { at, run });
}

async function signUp(stage: Stage, user: PlannedUser): Promise<void> {
  const { passwordHash, adminId } = stage.history;
  const { promoCode } = user;
  const created = await createUser(stage.ctx, {
    email: user.email,
    passwordHash,
    roleName: 'USER',
    referrerId: adminId,
    promoCodeId: promoCode === undefined ? null : stage.promoCodeIds[promoCode % stage.promoCodeIds.length]!,
    languageCode: user.languageCode,
    isEmailConfirmed: true,
  });
  if (!created) throw new Error(`${user.email} exists in a database without users`);
  const actor: Actor = {
    userId: created.id,
    accountId: created.accountId,
    sessionId: randomUUID(),
    languageCode: user.languageCode,
    permissions: new Set(),
    isSecondFactorDue: false,
  };
  for (const { at, dollars, currency, isHeld = false } of user.topUps)
    add(stage, at, () => topUp(stage, at, actor, currencies[currency % currencies.length]!, dollars, isHeld));
  for (const purchase of user.purchases) add(stage, purchase.at, () => buy(stage, actor, purchase));
  for (const ticket of user.tickets) add(stage, ticket.at, () => ask(stage, actor, ticket));
}

type Currency = (typeof currencies)[number];

async function topUp(
  { ctx }: Stage,
  at: number,
  actor: Actor,
  currency: Currency,
  amount: number,
  isHeld: boolean,
): Promise<void> {
  const { id } = await createInvoice(ctx, actor, { currency, amount });
  await payOnSandbox(ctx, id, undefined);
  await setDemoClock(ctx, new Date(at + CONFIRMED_AFTER_MS));
  const payments = { ...ctx.config.payments, ...(isHeld && { holdAboveMicros: 0n }) };
  await watchChain({ ...ctx, config: { ...ctx.config, payments } }, currencyRules[currency].chain);
}

async function buy(stage: Stage, actor: Actor, purchase: PlannedPurchase): Promise<void> {
  const { ctx, runId, freeProxies } = stage;
  const proxy = freeProxies.shift();
  if (proxy === undefined) return;
  const { id } = await connect(ctx, actor, { id: proxy.id, price: toDollars(proxy.priceMicros) }, NO_CLIENT);
  const totalBytes = BigInt(purchase.megabytes * BYTES_PER_MEGABYTE);
  const [opened] = await chargeReports(ctx, runId, [{ ...emptyReport(id), wantedBytes: totalBytes }], 'open');
  let granted = opened?.grantedBytes ?? 0n;
  const use = (share: number, kind: 'report' | 'close') => async () => {
    const planned = (totalBytes * BigInt(share)) / BigInt(REPORTS);
    const usedBytes = planned < granted ? planned : granted;
    const report = {
      ...emptyReport(id),
      usedBytes,
      uploadedBytes: usedBytes / 8n,
      wantedBytes: totalBytes - usedBytes,
    };
    const [settled] = await chargeReports(ctx, runId, [report], kind);
    granted = settled?.grantedBytes ?? granted;
    await recordTraffic(ctx);
  };
  const step = purchase.durationMs / (REPORTS + 1);
  for (let share = 1; share <= REPORTS; share++)
    add(stage, purchase.at + step * share, use(share, share === REPORTS ? 'close' : 'report'));
  if (!purchase.isLeftOpen)
    add(stage, purchase.at + purchase.durationMs, async () => {
      await endConnection(ctx, id, purchase.isIdle ? 'IDLE' : 'USER');
      freeProxies.push(proxy);
    });
}

async function ask(stage: Stage, actor: Actor, ticket: PlannedTicket): Promise<void> {
  const { ctx, history } = stage;
  const { id } = await openTicket(ctx, actor, { name: ticket.name, description: ticket.description }, null);
  const request = { actor: { userId: history.supportId }, requester: requesterOf(id) };
  if (ticket.repliedAt === undefined) return;
  add(stage, ticket.repliedAt, async () => void (await answer(ctx, id, { content: ticket.reply }, request)));
  if (ticket.isClosed)
    add(stage, ticket.repliedAt + 30 * MINUTE_MS, async () => void (await closeAny(ctx, id, request)));
}
