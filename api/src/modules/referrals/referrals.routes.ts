import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as programme from './programme.service.ts';

export function referralsRoutes(app: FastifyInstance): void {
  route(app, getReferralSummary, async ({ ctx, actor }) => ({ data: await programme.summarise(ctx, actor) }));
  route(app, listOwnPromoCodes, ({ ctx, actor, query }) => programme.listOwnPromoCodes(ctx, actor, query));
}
