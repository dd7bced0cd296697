/** The last refusal of each connection, so that its owner learns what a program cannot show. */
import { REFUSAL_REPORT_MS, type Usage } from '@cellhop/contract/gateway';
import type { RefusalReason } from '@cellhop/contract/refusals.values';
import type { Ctx } from '../../ctx.ts';
import { saveRefusals } from './refusals.store.ts';

/** Whoever knows a username can cause them, so they are stored only once in an interval. */
const causedByStrangers: readonly RefusalReason[] = ['invalid-credentials', 'too-many-failed-logins'];

/** A newer gateway may send other reasons, which are shown without an explanation. PostgreSQL cannot store all texts. */
const REASON = /^[a-z0-9-]+$/;

/** Stores refusals that a node has reported; those of connections that it does not serve are ignored. */
export async function recordRefusals(
  ctx: Ctx,
  nodeId: string,
  reports: readonly Pick<Usage, 'connectionId' | 'refusal'>[],
): Promise<void> {
  const refusals = reports.flatMap(({ connectionId, refusal }) =>
    refusal && REASON.test(refusal.reason) ? [{ connectionId, ...refusal }] : [],
  );
  if (refusals.length === 0) return;
  const owners = await saveRefusals(ctx, nodeId, refusals, { intervalMs: REFUSAL_REPORT_MS, causedByStrangers });
  for (const userId of owners) ctx.changed({ userId }, 'connections');
}

/** A login that the API itself has refused, so that no gateway knows the connection. */
export interface RefusedLoginOf {
  connectionId: string;
  reason: RefusalReason;
}

/** Does not wait, because the time of the response would tell whoever guesses that the username exists. */
export function noteRefusedLogin(ctx: Ctx, nodeId: string, { connectionId, reason }: RefusedLoginOf): void {
  recordRefusals(ctx, nodeId, [{ connectionId, refusal: { reason, agoMs: 0 } }]).catch((error: unknown) =>
    ctx.log.warn({ err: error, connectionId }, 'a refusal could not be saved'),
  );
}
