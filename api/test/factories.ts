import { type Call } from '@cellhop/contract/client';
import { hash } from '@node-rs/argon2';
import { randomBytes, randomUUID } from 'node:crypto';
import { openSession } from '../src/modules/auth/sessions.service.ts';
import { DEFAULT_NODE_NAME } from '../src/modules/gateway/gateway.service.ts';
import * as ledger from '../src/modules/ledger/ledger.service.ts';
import type { TestApp } from './test-app.ts';
import { createTestClient } from './test-client.ts';

export const PASSWORD = 'correct horse battery staple';
/** A cheap hash, because hundreds of test users sign in. The parameters are part of the hash. */
const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 };
let passwordHash: Promise<string> | undefined;

export interface TestUser {
  id: string;
  email: string;
  accountId: bigint;
  referralCode: string;
  /** The access token of the session that `call` uses. */
  token: string;
  /** Calls as this user. */
  call: Call;
  /** Headers of this user for requests without the typed client. */
  headers: { authorization: string };
}

export interface UserOptions {
  balanceMicros?: bigint;
  roleName?: string;
  referrerId?: string;
  languageCode?: 'en' | 'ru';
  /** By default a random one of its own person. */
  email?: string;
}

/** A confirmed user with money, and a session. */
export async function createUser(test: TestApp, options: UserOptions = {}): Promise<TestUser> {
  passwordHash ??= hash(PASSWORD, CHEAP);
  const tag = randomBytes(6).toString('hex');
  const email = options.email ?? `${tag}@example.com`;
  const languageCode = options.languageCode ?? 'en';
  const referralCode = tag.toUpperCase();
  const accountId = await ledger.openAccount(test.ctx);
  const [row] = await test.database.query<{ id: string }>(
    `insert into users (email, password_hash, language_code, role_name, referral_code, referrer_id, account_id, email_confirmed_at)
     values ($1, $2, $3, $4, $5, $6, $7, now()) returning id`,
    [
      email,
      await passwordHash,
      languageCode,
      options.roleName ?? 'USER',
      referralCode,
      options.referrerId ?? null,
      accountId,
    ],
  );
  if (options.balanceMicros) await topUp(test, accountId, options.balanceMicros);
  const { id } = row!;
  // Not over HTTP: that costs twice the CPU time, and hundreds of tests create users.
  const session = await openSession(
    test.ctx,
    { userId: id, email, languageCode, passwordHash: await passwordHash, hasSecondFactor: false },
    { ip: '127.0.0.1', userAgent: undefined, requestId: randomUUID() },
  );
  const { accessToken: token } = session!;
  const headers = { authorization: `Bearer ${token}` };
  const call = createTestClient({ baseUrl: test.url, headers: () => headers });
  return { id, email, accountId, referralCode, token, call, headers };
}

export function topUp(test: TestApp, accountId: bigint, amountMicros: bigint): Promise<unknown> {
  return test.ctx.tx((ctx) =>
    ledger.post(ctx, [
      {
        idempotencyKey: `test:${randomBytes(8).toString('hex')}`,
        debitAccountId: ledger.systemAccounts.external,
        creditAccountId: accountId,
        amountMicros,
        reason: 'TOP_UP',
      },
    ]),
  );
}

export interface ProxyOptions {
  priceMicros?: bigint;
  countryCode?: string;
  region?: string;
  city?: string;
  zip?: string;
  isp?: string;
  connectionType?: string;
  isHealthy?: boolean;
  /** By default that of the built-in node. */
  exitId?: string;
}

/** @returns the proxy's id */
export async function createProxy(test: TestApp, options: ProxyOptions = {}): Promise<string> {
  const [row] = await test.database.query<{ id: string }>(
    `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    [
      `2001:db8:${randomBytes(12).toString('hex').match(/.{4}/g)!.join(':')}`,
      options.priceMicros ?? 800_000n,
      options.countryCode ?? 'DE',
      options.region ?? 'Berlin',
      options.city ?? 'Berlin',
      options.zip ?? '10115',
      options.isp ?? 'Telekom',
      options.connectionType ?? 'LTE',
      options.exitId ?? (await defaultExit(test)),
    ],
  );
  // As if a check of its exit had failed; others with the exit stay for sale.
  if (options.isHealthy === false)
    await test.database.query('update proxies set is_exit_healthy = false where id = $1', [row!.id]);
  return row!.id;
}

/** As checks do, so that all proxies of the exit are for sale. @param exitId undefined: all exits */
export async function markHealthy(
  { database }: { database: Pick<TestApp['database'], 'query'> },
  exitId?: string,
): Promise<void> {
  const exits = exitId ?? null;
  await database.query(
    `update exit_checks
        set health = 'HEALTHY', checked_at = now(), succeeded_at = now(), latency_ms = 20, reason = null, failing_since = null
      where health <> 'HEALTHY' and ($1::uuid is null or exit_id = $1)`,
    [exits],
  );
  await database.query('update proxies set is_exit_healthy = true where $1::uuid is null and not is_exit_healthy', [
    exits,
  ]);
}

/** The exit of the built-in node by its own route; before the node is registered as well. */
export async function defaultExit(test: Pick<TestApp, 'database'>): Promise<string> {
  const [row] = await test.database.query<{ id: string }>(
    `with node as (
       insert into gateway_nodes (name, token_hash) values ($1, '') on conflict (name) do update set name = excluded.name
       returning id
     )
     insert into exits (node_id, kind, key, parameters)
     select id, 'local-address', 'local-address://', '{"address": null}' from node
         on conflict (node_id, key) where key is not null do update set key = excluded.key
     returning id`,
    [DEFAULT_NODE_NAME],
  );
  await markHealthy(test, row!.id);
  return row!.id;
}

/** @returns the id of a working exit of this node from an address, or by its own route */
export async function createExit(test: TestApp, node: string, address: string | null = null): Promise<string> {
  const [row] = await test.database.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select id, 'local-address', 'local-address://' || coalesce($2, ''), jsonb_build_object('address', $2::text)
       from gateway_nodes where name = $1
     returning id`,
    [node, address],
  );
  await markHealthy(test, row!.id);
  return row!.id;
}

export async function balanceOf(test: TestApp, user: Pick<TestUser, 'accountId'>): Promise<bigint> {
  return (await ledger.readBalance(test.ctx, user.accountId)).balanceMicros;
}

/** Pays the shop, at most what the balance allows. @returns the micro-dollars that were spent */
export async function spend(test: TestApp, { accountId }: TestUser, amountMicros: bigint): Promise<bigint> {
  return test.ctx.tx(async (ctx) => {
    const { balanceMicros } = await ledger.lockBalance(ctx, accountId);
    const spentMicros = amountMicros < balanceMicros ? amountMicros : balanceMicros;
    if (spentMicros === 0n) return 0n;
    const { revenue } = ledger.systemAccounts;
    const transfer = { idempotencyKey: `spent:${randomUUID()}`, debitAccountId: accountId, creditAccountId: revenue };
    await ledger.postLocked(ctx, [{ ...transfer, amountMicros: spentMicros, reason: 'SETTLE' }]);
    return spentMicros;
  });
}
