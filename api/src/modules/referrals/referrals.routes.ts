import { getReferralSummary, listOwnPromoCodes } from '@cellhop/contract/referrals';
import { listPromoCodes } from '@cellhop/contract/staff/promo-codes';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as referrals from './referrals.service.ts';
import * as promoCodes from './promo-codes.service.ts';

export function referralsRoutes(app: FastifyInstance): void {
  route(app, getReferralSummary, async ({ ctx, actor }) => ({ data: await referrals.summarise(ctx, actor) }));
  route(app, listOwnPromoCodes, ({ ctx, actor, query }) => promoCodes.listOwn(ctx, actor, query));
  route(app, listPromoCodes, ({ ctx, query }) => promoCodes.listForStaff(ctx, query));
}
