/** Compares the state of the database with the oracles of the customers of a model run. */
import type { Ctx } from '../../src/ctx.ts';
import type { Customer } from './fleet.ts';
import type { OracleConnection } from './oracle.ts';

interface AccountRow {
  id: bigint;
  balanceMicros: bigint;
  heldMicros: bigint;
}

interface ConnectionFacts {
  status: string;
  endReason: string | null;
  endingReason: string | null;
  refundStatus: string;
  usedBytes: bigint;
  uploadedBytes: bigint;
  grantedBytes: bigint;
  chargedMegabytes: bigint;
}

/** @throws Error with the history of the first customer for whom anything differs */
export async function compare(ctx: Ctx, customers: readonly Customer[]): Promise<void> {
  const [accounts, connections] = await Promise.all([
    ctx.db.query<AccountRow>(
      'select id, balance_micros as "balanceMicros", held_micros as "heldMicros" from accounts where id = any($1)',
      [customers.map(({ actor }) => actor.accountId)],
    ),
    ctx.db.query<ConnectionFacts & { id: string }>(
      `select id, status, end_reason as "endReason", refund_status as "refundStatus", used_bytes as "usedBytes",
              case when status = 'WORK' then ending_reason end as "endingReason",
              uploaded_bytes as "uploadedBytes", granted_bytes as "grantedBytes", charged_megabytes as "chargedMegabytes"
         from connections where user_id = any($1)`,
      [customers.map(({ actor }) => actor.userId)],
    ),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const connectionOf = new Map(connections.map(({ id, ...facts }) => [id, facts]));
  for (const { actor, oracle } of customers) {
    const { balanceMicros, heldMicros } = accountOf.get(actor.accountId)!;
    const differences = [
      ...difference(
        'money',
        { balanceMicros, heldMicros },
        { balanceMicros: oracle.balanceMicros, heldMicros: oracle.heldMicros },
      ),
      ...oracle.connections.flatMap((each) => difference(each.id.slice(-4), connectionOf.get(each.id), factsOf(each))),
      ...(oracle.freeMicros < 0n ? ['more is held than there is'] : []),
    ];
    if (differences.length > 0) throw new Error([...oracle.history, ...differences].join('\n'));
  }
}

function factsOf(oracle: OracleConnection): ConnectionFacts {
  const { status, endReason, refundStatus, usedBytes, uploadedBytes, grantedBytes, chargedMegabytes } = oracle;
  const endingReason = status === 'WORK' ? oracle.ending : null;
  return { status, endReason, endingReason, refundStatus, usedBytes, uploadedBytes, grantedBytes, chargedMegabytes };
}

function difference<Facts extends object>(what: string, found: Facts | undefined, expected: Facts): string[] {
  if (!found) return [`${what} is missing`];
  const keys = Object.keys(found) as (keyof Facts & string)[];
  return keys
    .filter((key) => found[key] !== expected[key])
    .map((key) => `${what}: ${key} is ${String(found[key])} and must be ${String(expected[key])}`);
}
