/**
 * Customers, gateway runs and the network between them, driven by random scripts against the real services. Many customers share
 * the gateways, so that one report contains many of them; each has their own oracle.
 */
import type { Connection } from '@cellhop/contract/connections';
import { AppError } from '@cellhop/contract/errors';
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../src/http/actor.ts';
import type { Ctx } from '../../src/ctx.ts';
import type { Staff } from '../../src/modules/approvals/gate.ts';
import { requestAdjustment } from '../../src/modules/approvals/requests.service.ts';
import { connect, listOwn } from '../../src/modules/connections/connections.service.ts';
import { setCap } from '../../src/modules/billing/cap.service.ts';
import { endConnection } from '../../src/modules/billing/ending.service.ts';
import { replaceConnection } from '../../src/modules/billing/replacements.service.ts';
import { endIdleConnections } from '../../src/modules/billing/end-idle-connections.service.ts';
import * as ledger from '../../src/modules/ledger/ledger.service.ts';
import * as gateways from '../../src/modules/gateway/gateway.service.ts';
import { markHealthy } from '../factories.ts';
import { compare } from './comparison.ts';
import { brief, CLOSED, idOf, type Message, type Run, toOracle, toOracleReport } from './messages.ts';
import { judge, OracleConnection, type OracleUser } from './oracle.ts';
import { addSuccessors, leaveWindow, refusalOf, refuseReplacement } from './replacing.ts';
import type { GatewayEvent, Step } from './script.ts';

const MB = 1_048_576;
/** Ends wait for the last reports of their gateways, so they are collected and requested together. */
const TURNS_BETWEEN_ENDS = 4;

export interface Customer {
  readonly actor: Actor;
  readonly oracle: OracleUser;
  readonly priceDollars: number;
  readonly proxyIds: readonly string[];
  /** The newest purchase of each proxy. */
  readonly bought: (Purchase | undefined)[];
}

export interface Purchase {
  readonly connection: Connection;
  readonly oracle: OracleConnection;
}

interface Wish {
  readonly customer: Customer;
  readonly purchase: Purchase;
  readonly reason: 'USER' | 'ADMIN' | 'REPLACE';
}

export class Fleet {
  /** The newest process of each node. */
  readonly #current: Run[];
  /** Older processes that still relay and report. */
  readonly #older: Run[] = [];
  /** Older processes that have been silent for long enough to count as dead. */
  readonly #dead: Run[] = [];
  #inFlight: { dueAt: number; message: Message }[] = [];
  #wishes: Wish[] = [];
  #turn = 0;

  constructor(
    private readonly ctx: Ctx,
    nodeIds: readonly string[],
    private readonly customers: readonly Customer[],
    private readonly staff: Staff,
  ) {
    this.#current = nodeIds.map(startRun);
  }

  async play(steps: readonly (Step | undefined)[], event: GatewayEvent): Promise<void> {
    await this.#apply(event);
    await this.#topUp(steps);
    await Promise.all(this.customers.map((customer, index) => this.#step(customer, steps[index])));
    await this.#deliverDue();
    if (this.#turn % TURNS_BETWEEN_ENDS === 0) await this.#fulfilWishes();
    await this.#passTime(steps, event.kind === 'silence' ? this.#current[event.node] : undefined);
    await compare(this.ctx, this.customers);
    this.#turn += 1;
  }

  /** All gateways fall silent: every hold is released, and every requested end completes. */
  async retire(): Promise<void> {
    while (this.#turn % TURNS_BETWEEN_ENDS !== 1) this.#turn += 1; // Then ends have timed out.
    for (const run of [...this.#older.splice(0), ...this.#current]) await this.#passTime([], run);
    await compare(this.ctx, this.customers);
    for (const { actor, oracle } of this.customers) {
      const { data } = await listOwn(this.ctx, actor, { page: 1, size: 100 });
      for (const shown of data) {
        const expected = oracle.connections.find(({ id }) => id === shown.id)!;
        judge(shown.paidFor === toDollars(expected.paidForMicros), `paidFor of ${shown.id} is ${shown.paidFor}`);
        judge(shown.trafficUsed === Number(expected.usedBytes) / 1024, `trafficUsed of ${shown.id} is wrong`);
      }
    }
  }

  /** Unreported usage of a process that exits is lost; sent reports may still arrive. */
  async #apply({ kind, node }: GatewayEvent): Promise<void> {
    await this.#reportStarts();
    const run = this.#current[node]!;
    if (kind === 'crash' || kind === 'drain') {
      (kind === 'crash' ? this.#dead : this.#older).push(run);
      this.#current[node] = startRun(run.nodeId);
    }
    const exited = this.#older.findIndex(({ nodeId }) => nodeId === run.nodeId);
    if (kind === 'exit' && exited >= 0) this.#dead.push(...this.#older.splice(exited, 1));
    await this.#reportStarts();
    await this.#setSilences([]);
  }

  /** A process reports as soon as it has started, before it has any connection and before its node starts another. */
  async #reportStarts(): Promise<void> {
    for (const { id, nodeId } of this.#current) await gateways.update(this.ctx, nodeId, id, []);
  }

  get #alive(): Run[] {
    return [...this.#older, ...this.#current];
  }

  #runFor({ node, isOnOlderRun }: Step): Run {
    const current = this.#current[node]!;
    const older = this.#older.find(({ nodeId }) => nodeId === current.nodeId);
    return (isOnOlderRun ? older : undefined) ?? current;
  }

  async #topUp(steps: readonly (Step | undefined)[]): Promise<void> {
    const transfers = this.customers.flatMap((customer, index): ledger.Transfer[] => {
      const step = steps[index];
      if (step?.kind !== 'topUp') return [];
      const amountMicros = BigInt(1 + step.wantedMegabytes * 7919);
      customer.oracle.depositedMicros += amountMicros;
      note(customer, `top-up of ${amountMicros}`);
      return [deposit(customer.actor.accountId, amountMicros)];
    });
    await this.ctx.tx((ctx) => ledger.post(ctx, transfers));
  }

  async #step(customer: Customer, step: Step | undefined): Promise<void> {
    if (!step || step.kind === 'topUp') return;
    if (step.kind === 'adjust') return this.#adjust(customer, step);
    const isOpen = customer.bought[step.connection]?.oracle.status === 'WORK';
    if (step.kind === 'buy' || !isOpen) await this.#buy(customer, step.connection);
    const purchase = customer.bought[step.connection];
    if (purchase?.oracle.status !== 'WORK') return;
    if (step.kind === 'disconnect' || step.kind === 'replace') {
      const reason = step.kind === 'replace' ? 'REPLACE' : step.sharePercent > 50 ? 'USER' : 'ADMIN';
      // After the refund window, what is unused comes back by a replacement alone.
      if (reason === 'REPLACE' && step.uploadPercent > 50 && purchase.oracle.ending === null)
        await leaveWindow(this.ctx, purchase);
      this.#wishes.push({ customer, purchase, reason });
      return;
    }
    if (step.kind === 'cap') return this.#cap(customer, purchase, step);
    const run = this.#runFor(step);
    if (!run.counters.has(purchase.connection.id)) await this.#authorize(customer, purchase, run);
    if (!run.counters.has(purchase.connection.id)) return;
    this.#send(step, this.#messageOf(step, customer, purchase, run));
    if (step.kind === 'endRun') run.counters.delete(purchase.connection.id);
  }

  /** Staff add or take money, sometimes more than the free balance. */
  async #adjust(customer: Customer, step: Step): Promise<void> {
    const { oracle, actor } = customer;
    const share = BigInt(Math.abs(step.sharePercent)) + 1n;
    const amountMicros =
      step.sharePercent < 0 ? BigInt(step.wantedMegabytes * 7919 + 1) : -(oracle.freeMicros * share) / 100n;
    if (amountMicros === 0n) return;
    const isRefused = oracle.freeMicros + amountMicros < 0n;
    note(customer, `staff adjust by ${amountMicros}: ${isRefused ? 'refused' : 'applied'}`);
    const body = { userId: actor.userId, amount: toDollars(amountMicros), reason: 'a model test' };
    const key = randomUUID();
    const attempt = () => requestAdjustment(this.ctx, this.staff, body, key);
    if (isRefused) {
      const outcome = await attempt().catch((error: unknown) => error);
      return judge(outcome instanceof AppError && outcome.code === 'SMALL_BALANCE', 'too much was taken');
    }
    // Sent twice with one idempotency key: it is one adjustment.
    const [made, repeated] = await Promise.all([attempt(), attempt()]);
    judge(made.id === repeated.id && made.status === 'APPLIED', 'an adjustment was not applied once');
    oracle.depositedMicros += amountMicros;
  }

  async #buy(customer: Customer, slot: number): Promise<void> {
    const id = customer.proxyIds[slot]!;
    const price = BigInt(Math.round(customer.priceDollars * 1e6)) / 100n;
    const isSold = customer.bought[slot]?.oracle.status === 'WORK';
    const refusal = isSold ? 'PROXY_NOT_FOUND' : customer.oracle.freeMicros < 50n * price ? 'SMALL_BALANCE' : undefined;
    const key = randomUUID();
    const attempt = () =>
      connect(this.ctx, customer.actor, { id, price: customer.priceDollars }, { idempotencyKey: key, network: null });
    note(customer, `buys proxy ${slot}: ${refusal ?? 'sold'}`);
    if (refusal) {
      const outcome = await attempt().catch((error: unknown) => error);
      return judge(outcome instanceof AppError && outcome.code === refusal, `a purchase was not refused: ${refusal}`);
    }
    // Sent twice with one idempotency key: it is one purchase.
    const [connection, repeated] = await Promise.all([attempt(), attempt()]);
    judge(connection.id === repeated.id, 'a repeated purchase bought twice');
    const oracle = new OracleConnection(connection.id, price);
    customer.oracle.connections.push(oracle);
    customer.bought[slot] = { connection, oracle };
  }

  /** Sets a cap some megabytes above the usage, or removes it. */
  async #cap(customer: Customer, { connection, oracle }: Purchase, step: Step): Promise<void> {
    const megabytes = step.sharePercent < 0 ? undefined : oracle.usedBytes / BigInt(MB) + BigInt(step.wantedMegabytes);
    const isUsedUp = megabytes !== undefined && megabytes * BigInt(MB) <= oracle.usedBytes;
    const refusal = oracle.ending !== null ? 'NOT_CONNECTED' : isUsedUp ? 'CAP_USED_UP' : undefined;
    note(customer, `caps ${name(connection)} at ${megabytes ?? 'nothing'} MB: ${refusal ?? 'set'}`);
    const outcome = await setCap(this.ctx, connection.id, megabytes ?? null).catch((error: unknown) => error);
    if (refusal)
      return judge(outcome instanceof AppError && outcome.code === refusal, `a cap was not refused: ${refusal}`);
    judge(outcome === undefined, `a cap was refused: ${String(outcome)}`);
    oracle.setCap(megabytes);
  }

  async #authorize(customer: Customer, { connection, oracle }: Purchase, run: Run): Promise<void> {
    const { username, password } = connection;
    assert(password !== null);
    // The exit follows the run, so that runs of several nodes serve one connection at the same time.
    await this.ctx.db.query(
      'update connections set exit_id = exits.id from exits where exits.node_id = $2 and connections.id = $1',
      [connection.id, run.nodeId],
    );
    const answer = await gateways.authorize(this.ctx, run.nodeId, { runId: run.id, username, password });
    note(customer, `${name(connection)} authorized in ${name(run)}: ${JSON.stringify(answer)}`);
    if (oracle.ending !== null) return judge(!answer.isAuthorized, 'a connection that ends was authorized');
    const nothing = { usedBytes: 0n, uploadedBytes: 0n, isExitLost: false };
    for (const old of this.#dead.filter(({ nodeId }) => nodeId === run.nodeId))
      if (oracle.runs.get(old.id)?.isOpen)
        customer.oracle.charge(oracle, old.id, { ...nothing, kind: 'lose', wantedBytes: 0n }, CLOSED);
    // A refusal contains no grant, so it is only right if the run has used its whole grant.
    const refused = { ...CLOSED, grantedBytes: oracle.runs.get(run.id)?.usedBytes ?? 0n };
    const credit = answer.isAuthorized ? toOracle(answer) : refused;
    customer.oracle.charge(oracle, run.id, { ...nothing, kind: 'open', wantedBytes: 1n }, credit);
    customer.oracle.applyEnds();
    await addSuccessors(this.ctx, [customer], true);
    if (!answer.isAuthorized) return;
    const { usedBytes, uploadedBytes, grantedBytes } = answer;
    const known = oracle.runs.get(run.id)!;
    judge(BigInt(usedBytes) === known.usedBytes, 'a run does not go on from its last total');
    judge(BigInt(uploadedBytes) === known.uploadedBytes, 'a run does not go on from its last upload');
    run.counters.set(connection.id, { usedBytes, uploadedBytes, grantedBytes });
  }

  #messageOf(step: Step, customer: Customer, purchase: Purchase, run: Run): Message {
    const counter = run.counters.get(purchase.connection.id)!;
    const { sharePercent, uploadPercent } = step;
    const growth = Math.floor(
      ((counter.grantedBytes - counter.usedBytes) * Math.min(100, Math.max(0, sharePercent))) / 100,
    );
    counter.usedBytes += growth;
    counter.uploadedBytes += Math.floor((growth * uploadPercent) / 100);
    const reportedShare = sharePercent < 0 ? 1 + sharePercent / 100 : 1;
    const liedBytes = sharePercent > 100 ? (sharePercent - 100) * MB : 0;
    return {
      kind: step.kind === 'endRun' ? 'close' : 'report',
      run,
      customer,
      purchase,
      usedBytes: Math.floor(counter.usedBytes * reportedShare) + liedBytes,
      uploadedBytes: Math.floor(counter.uploadedBytes * reportedShare),
      wantedBytes: step.kind === 'endRun' ? 0 : step.wantedMegabytes * MB,
      isExitLost: step.kind === 'loseExit',
      isAnswerLost: step.delivery === 'answerLost',
    };
  }

  #send({ delivery, delayTurns }: Step, message: Message): void {
    if (delivery === 'lost') return note(message.customer, 'a report is lost');
    const isNow = delivery !== 'late';
    if (isNow) this.#inFlight.push({ dueAt: this.#turn, message });
    if (delivery !== 'now') this.#inFlight.push({ dueAt: this.#turn + delayTurns, message });
    return undefined;
  }

  /** A request contains each connection once, as the contract requires; the rest goes into the next one. */
  async #deliverDue(): Promise<void> {
    let due = this.#inFlight.filter(({ dueAt }) => dueAt <= this.#turn).map(({ message }) => message);
    this.#inFlight = this.#inFlight.filter(({ dueAt }) => dueAt > this.#turn);
    while (due.length > 0) {
      const { run, kind } = due[0]!;
      const call = new Map<string, Message>();
      for (const message of due)
        if (message.run === run && message.kind === kind && !call.has(idOf(message))) call.set(idOf(message), message);
      due = due.filter((message) => call.get(idOf(message)) !== message);
      // The service charges a payer's connections in the order of their ids.
      await this.#deliver([...call.values()].toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1)));
    }
  }

  async #deliver(messages: readonly Message[]): Promise<void> {
    const { run, kind } = messages[0]!;
    // A report that was sent before its process exited may reopen the run: it is closed once more.
    if (![...this.#alive, ...this.#dead].includes(run)) this.#dead.push(run);
    const usages = messages.map(({ usedBytes, uploadedBytes, wantedBytes, isExitLost, purchase }) => ({
      connectionId: purchase.connection.id,
      usedBytes,
      uploadedBytes,
      wantedBytes,
      isExitLost,
      accessRevision: 1,
    }));
    const credits = new Map<string, { grantedBytes: number; state: 'open' | 'final' | 'ended' }>();
    if (kind === 'close') await gateways.end(this.ctx, run.nodeId, run.id, usages);
    else
      for (const credit of await gateways.update(this.ctx, run.nodeId, run.id, usages))
        credits.set(credit.connectionId, credit);
    // All connections share an exit, which others have to go on buying.
    if (messages.some(({ isExitLost }) => isExitLost)) await markHealthy({ database: this.ctx.db });

    for (const message of messages) {
      const { customer, purchase, isAnswerLost } = message;
      const credit = credits.get(purchase.connection.id);
      note(
        customer,
        `${kind} of ${name(purchase.connection)} in ${name(run)}: ${brief(message)} ${brief(credit ?? {})}`,
      );
      const answer = credit ? toOracle(credit) : CLOSED;
      customer.oracle.charge(purchase.oracle, run.id, toOracleReport(message), answer);
      if (credit && !isAnswerLost) this.#learn(message, credit);
    }
    for (const { customer } of messages) customer.oracle.applyEnds();
    const customers = messages.map(({ customer }) => customer);
    await addSuccessors(this.ctx, customers, true);
  }

  #learn(message: Message, { grantedBytes, state }: { grantedBytes: number; state: string }): void {
    const counter = message.run.counters.get(idOf(message));
    if (!counter) return;
    counter.grantedBytes = Math.max(counter.grantedBytes, grantedBytes);
    if (state !== 'ended') return;
    message.run.counters.delete(idOf(message));
    const last = { ...message, ...counter, kind: 'close' as const, wantedBytes: 0, isExitLost: false };
    this.#inFlight.push({ dueAt: this.#turn + 1, message: last });
  }

  /** Customers and administrators end connections; the gateways that serve them send their last totals. */
  async #fulfilWishes(): Promise<void> {
    await this.#setSilences([]);
    const all = this.#wishes.filter(({ customer, purchase, reason }, index) => {
      if (reason === 'REPLACE' && purchase.oracle.isReplaced) return false;
      // What one end gives back decides about a replacement that is asked for at the same time.
      const replacing = this.#wishes.find((other) => other.customer === customer && other.reason === 'REPLACE');
      const first = replacing ?? this.#wishes.find((other) => other.purchase === purchase);
      const isFirst = this.#wishes.indexOf(first!) === index;
      const openRuns = [...purchase.oracle.runs].filter(([, run]) => run.isOpen).map(([id]) => id);
      const live = openRuns.filter((id) => this.#alive.some((run) => run.id === id));
      // With a dead run next to a live one the service waits for its timeout; `silence` covers that.
      return isFirst && purchase.oracle.status === 'WORK' && (live.length === 0 || live.length === openRuns.length);
    });
    this.#wishes = [];
    const wishes: Wish[] = [];
    for (const wish of all) {
      const refusal = wish.reason === 'REPLACE' ? refusalOf(wish.customer, wish.purchase) : undefined;
      if (refusal === undefined) wishes.push(wish);
      else await refuseReplacement(this.ctx, wish.purchase, refusal);
    }
    const ended = wishes.map(({ purchase, reason }) => this.#end(purchase, reason));
    await this.#untilAsked(wishes.map(({ purchase }) => purchase.connection.id));
    for (const { customer, purchase, reason } of wishes) {
      note(customer, `${name(purchase.connection)} is ended by ${reason}`);
      const { oracle } = purchase;
      oracle.isReplaced ||= reason === 'REPLACE';
      oracle.ending ??= reason === 'REPLACE' ? 'EXIT_LOST' : reason;
      if (!this.#alive.some(({ id }) => oracle.runs.get(id)?.isOpen)) oracle.end(oracle.ending);
    }
    await Promise.all(ended.filter((_, index) => wishes[index]!.purchase.oracle.endReason !== null));
    await addSuccessors(this.ctx, this.customers, true);
    for (const run of this.#alive) {
      const messages = wishes.flatMap(({ customer, purchase }): Message[] => {
        if (!purchase.oracle.runs.get(run.id)?.isOpen) return [];
        const counter = run.counters.get(purchase.connection.id) ?? { usedBytes: 0, uploadedBytes: 0 };
        run.counters.delete(purchase.connection.id);
        const { usedBytes, uploadedBytes } = counter;
        const rest = { kind: 'close', wantedBytes: 0, isExitLost: false, isAnswerLost: false } as const;
        return [{ ...rest, run, customer, purchase, usedBytes, uploadedBytes }];
      });
      if (messages.length > 0) await this.#deliver(messages);
    }
    await Promise.all(ended);
  }

  async #end({ connection, oracle }: Purchase, reason: Wish['reason']): Promise<void> {
    const wasEnding = oracle.ending !== null;
    try {
      if (reason === 'REPLACE') await replaceConnection(this.ctx, connection.id, async () => {});
      else await endConnection(this.ctx, connection.id, reason);
    } catch (error) {
      // The last report for the first request may arrive before the second request.
      if (!(wasEnding && error instanceof AppError && error.code === 'NOT_CONNECTED')) throw error;
    }
  }

  async #untilAsked(ids: readonly string[]): Promise<void> {
    const sql = `select 1 from connections where id = any($1) and status = 'WORK' and ending_reason is null`;
    while ((await this.ctx.db.query(sql, [ids])).length > 0) await new Promise((fulfil) => setTimeout(fulfil, 2));
  }

  /** Purchases leave the refund window, connections become idle, ends time out, a gateway falls silent; then the worker sweeps. */
  async #passTime(steps: readonly (Step | undefined)[], silent: Run | undefined): Promise<void> {
    const chosen = this.customers.map((customer, index) => ({
      kind: steps[index]?.kind,
      purchase: customer.bought[steps[index]?.connection ?? 0],
    }));
    // After its end was requested, the age of a connection does not matter.
    const open = chosen.filter(({ purchase }) => purchase?.oracle.status === 'WORK' && purchase.oracle.ending === null);
    const idsOf = (kind: Step['kind']) =>
      open.filter((each) => each.kind === kind).map(({ purchase }) => purchase!.connection.id);
    const [old, idle] = [idsOf('passWindow'), idsOf('idle')];
    const isOverdue = this.#turn % TURNS_BETWEEN_ENDS === 1;
    if (old.length === 0 && idle.length === 0 && !silent && !isOverdue) return;
    await this.ctx.db.query(
      `update connections set created_at = case when id = any($1) then created_at - interval '2 hours' else created_at end,
                              first_bought_at = case when id = any($1) then first_bought_at - interval '2 hours' else first_bought_at end,
                              idle_marks = case when id = any($2) then array[(now() - interval '2 hours', used_bytes)::traffic_mark] else idle_marks end,
                              ending_at = case when ending_at is not null then now() + case when $3 then interval '-1 minute' else interval '0' end end
        where id = any($1) or id = any($2) or (status = 'WORK' and ending_at is not null)`,
      [old, idle, isOverdue],
    );
    // A dead process counts as exited only beside a newer one that is not silent.
    await this.#setSilences(silent ? [silent, ...this.#dead].map(({ id }) => id) : []);
    const overdue = this.customers.flatMap(({ oracle }) =>
      oracle.connections.filter(({ ending, status }) => isOverdue && ending !== null && status === 'WORK'),
    );
    for (const { purchase } of open) {
      const { oracle, connection } = purchase!;
      if (old.includes(connection.id)) oracle.isRefundable = false;
      if (!idle.includes(connection.id)) continue;
      const isLive = this.#alive.some((run) => run !== silent && oracle.runs.get(run.id)?.isOpen);
      if (isLive) oracle.ending = 'IDLE';
      else oracle.end('IDLE');
    }
    for (const oracle of overdue) if (oracle.ending !== null) oracle.end(oracle.ending);
    for (const run of [...this.#dead.splice(0), ...(silent ? [silent] : [])]) {
      this.#forget(run);
      // Each sweep closes a limited number of runs.
      await endIdleConnections(this.ctx);
    }
    // What reaches a limit of the database on a busy machine is closed by the next one.
    for (let rounds = 0; rounds < 2; rounds += 1) await endIdleConnections(this.ctx);
    await addSuccessors(this.ctx, this.customers, false);
  }

  #forget(silent: Run): void {
    for (const customer of this.customers) {
      note(customer, `${name(silent)} is silent`);
      const report = { kind: 'lose', usedBytes: 0n, uploadedBytes: 0n, wantedBytes: 0n, isExitLost: false } as const;
      for (const oracle of customer.oracle.connections.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
        if (oracle.runs.get(silent.id)?.isOpen) customer.oracle.charge(oracle, silent.id, report, CLOSED);
      customer.oracle.applyEnds();
    }
  }

  /** The script determines silences, however long a step takes. */
  async #setSilences(lostIds: readonly string[]): Promise<void> {
    const alive = this.#alive.map(({ id }) => id);
    await this.ctx.db.query(
      `update gateway_runs
          set seen_at = now() + case when id = any($1) then interval '-2 minutes'
                                     when id = any($2) then interval '1 hour' else interval '-30 seconds' end
        where id = any($3)`,
      [lostIds, alive, [...alive, ...this.#dead.map(({ id }) => id), ...lostIds]],
    );
  }
}

export function deposit(accountId: bigint, amountMicros: bigint): ledger.Transfer {
  return {
    idempotencyKey: `model:${randomUUID()}`,
    debitAccountId: ledger.systemAccounts.external,
    creditAccountId: accountId,
    amountMicros,
    reason: 'TOP_UP',
  };
}

const startRun = (nodeId: string): Run => ({ id: randomUUID(), nodeId, counters: new Map() });
const name = ({ id }: { id: string }) => id.slice(-4);
const note = ({ oracle }: Customer, text: string) => void oracle.history.push(text);
