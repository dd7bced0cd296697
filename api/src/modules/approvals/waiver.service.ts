/** A user who deletes their account may give up what is left of their balance. */
import { toDollars } from '@cellhop/contract/units';
import assert from 'node:assert/strict';
import type { Requester } from '../../http/requester.ts';
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as store from './approvals.store.ts';
import { NO_SUBJECT } from './gate.ts';

const REASON = 'given up with the deletion of the account';

interface Waiver {
  userId: string;
  accountId: bigint;
  amountMicros: bigint;
  requester: Requester;
}

/** An adjustment that the user makes themselves; it only takes money from them. The caller has locked the account. Call it last. */
export async function waiveBalance(ctx: Ctx, { userId, accountId, amountMicros, requester }: Waiver): Promise<void> {
  const taken = { ...NO_SUBJECT, kind: 'ADJUSTMENT', userId, amountMicros: -amountMicros, reason: REASON } as const;
  const made = { isPending: false, lapseHours: 0, authorId: userId, idempotencyKey: null };
  const id = await store.insertRequest(ctx, { ...taken, ...made });
  assert(id !== undefined);
  await record(ctx, {
    action: 'BALANCE_ADJUSTED',
    actorId: userId,
    userId,
    subject: { type: 'REQUEST', id },
    requester,
    reason: REASON,
    before: { balance: toDollars(amountMicros) },
    after: { balance: 0 },
  });
  const transfer: ledger.Transfer = {
    idempotencyKey: `adjustment:${id}`,
    debitAccountId: accountId,
    creditAccountId: ledger.systemAccounts.adjustment,
    amountMicros,
    reason: 'ADJUSTMENT',
  };
  await ledger.postLocked(ctx, [transfer]);
}
