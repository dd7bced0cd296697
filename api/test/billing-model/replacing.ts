/** Replacements of connections in a model run: what they are refused for, and what they buy. */
import { AppError } from '@cellhop/contract/errors';
import assert from 'node:assert/strict';
import type { Ctx } from '../../src/ctx.ts';
import { replaceConnection } from '../../src/modules/billing/replacements.service.ts';
import { listOwn } from '../../src/modules/connections/connections.service.ts';
import type { Customer, Purchase } from './fleet.ts';
import { begunMegabytes, judge, OracleConnection, PREPAID } from './oracle.ts';

type Refusal = 'NOT_CONNECTED' | 'PROXY_NOT_FOUND' | 'SMALL_BALANCE';

/** Why a replacement must be refused now. */
export function refusalOf(customer: Customer, { oracle }: Purchase): Refusal | undefined {
  if (oracle.ending !== null) return 'NOT_CONNECTED';
  if (!hasFreeProxy(customer, oracle)) return 'PROXY_NOT_FOUND';
  const unused = PREPAID - begunMegabytes(oracle.usedBytes);
  const backMicros = oracle.heldMicros + (unused > 0n ? unused : 0n) * oracle.megabytePriceMicros;
  return customer.oracle.freeMicros + backMicros < priceOf(oracle) ? 'SMALL_BALANCE' : undefined;
}

/** Any free proxy of the customer's other ones may be bought. */
function hasFreeProxy({ bought, proxyIds }: Customer, replaced: OracleConnection): boolean {
  return proxyIds.some((_, slot) => bought[slot]?.oracle.status !== 'WORK' && bought[slot]?.oracle !== replaced);
}

const priceOf = ({ megabytePriceMicros }: OracleConnection) => PREPAID * megabytePriceMicros;

/** Two hours after the purchase. */
export async function leaveWindow(ctx: Ctx, { connection, oracle }: Purchase): Promise<void> {
  await ctx.db.query(
    `update connections set created_at = created_at - interval '2 hours', first_bought_at = first_bought_at - interval '2 hours'
      where id = $1`,
    [connection.id],
  );
  oracle.isRefundable = false;
}

export async function refuseReplacement(ctx: Ctx, { connection }: Purchase, refusal: Refusal): Promise<void> {
  const outcome = await replaceConnection(ctx, connection.id, async () => {}).catch((error: unknown) => error);
  judge(outcome instanceof AppError && outcome.code === refusal, `a replacement was not refused: ${refusal}`);
}

/**
 * Adds what the ends of replaced connections have bought.
 * @param isAlone no other connection of these customers has ended meanwhile, whose money or proxy the replacement did not have
 */
export async function addSuccessors(ctx: Ctx, customers: readonly Customer[], isAlone: boolean): Promise<void> {
  for (const customer of customers)
    for (const replaced of customer.oracle.takeReplaced()) await addSuccessor(ctx, customer, replaced, isAlone);
}

async function addSuccessor(ctx: Ctx, customer: Customer, replaced: OracleConnection, isAlone: boolean): Promise<void> {
  const isPossible = hasFreeProxy(customer, replaced) && customer.oracle.freeMicros >= priceOf(replaced);
  const [row] = await ctx.db.query<{ isFinished: boolean; id: string | null; proxyId: string | null }>(
    `select finished_at is not null as "isFinished", new_connection_id as id, proxy_id as "proxyId"
       from replacements left join connections on id = new_connection_id where connection_id = $1`,
    [replaced.id],
  );
  assert(row?.isFinished, 'an end left its replacement open');
  customer.oracle.history.push(`${replaced.id.slice(-4)} is replaced by ${row.id?.slice(-4) ?? 'none'}`);
  if (row.id === null) return judge(!isPossible || !isAlone, 'a replacement that was possible was not bought');
  const slot = customer.proxyIds.indexOf(row.proxyId!);
  judge(customer.bought[slot]?.oracle.status !== 'WORK', 'a replacement bought a proxy that was sold');
  judge(isPossible, 'a replacement was bought without money');
  const oracle = new OracleConnection(row.id, replaced.megabytePriceMicros);
  oracle.isRefundable = replaced.isRefundable;
  oracle.capBytes = replaced.capLeftBytes;
  const { data } = await listOwn(ctx, customer.actor, { page: 1, size: 1, id: row.id });
  customer.oracle.connections.push(oracle);
  customer.bought[slot] = { connection: data[0]!, oracle };
}
