import * as contract from '@cellhop/contract/staff/approvals';
import { refundConnection } from '@cellhop/contract/staff/connections';
import { assignDeposit, releaseDeposit, settleInvoice } from '@cellhop/contract/staff/invoices';
import { createPromoCode, disablePromoCode } from '@cellhop/contract/staff/promo-codes';
import { createAdjustment } from '@cellhop/contract/staff/transactions';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route } from '../../http/route.ts';
import * as approvals from './approvals.service.ts';
import * as approvers from './approvers.service.ts';
import * as requests from './requests.service.ts';

export function approvalsRoutes(app: FastifyInstance): void {
  adjustmentRoutes(app);
  settlementRoutes(app);
  promoCodeRoutes(app);
  approverRoutes(app);
}

function adjustmentRoutes(app: FastifyInstance): void {
  route(app, createAdjustment, async ({ ctx, body, headers, ...staff }) => ({
    data: await requests.requestAdjustment(ctx, staff, body, readIdempotencyKey(headers)),
  }));
  route(app, refundConnection, async ({ ctx, params, body, headers, ...staff }) => ({
    data: await requests.requestRefund(ctx, staff, params.id, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.listAdjustmentRequests, ({ ctx, actor, query }) =>
    approvals.listRequests(ctx, actor, 'ADJUSTMENT', query),
  );
  route(app, contract.approveAdjustment, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.approve(ctx, staff, 'ADJUSTMENT', { id: params.id, reason: body?.reason }),
  }));
  route(app, contract.rejectAdjustment, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.reject(ctx, staff, 'ADJUSTMENT', { id: params.id, reason: body.reason }),
  }));
}

function settlementRoutes(app: FastifyInstance): void {
  route(app, settleInvoice, async ({ ctx, params, body, headers, ...staff }) => ({
    data: await requests.requestSettlement(ctx, staff, params.id, body, readIdempotencyKey(headers)),
  }));
  route(app, releaseDeposit, async ({ ctx, params, body, headers, ...staff }) => ({
    data: await requests.releaseDeposit(ctx, staff, params.id, body, readIdempotencyKey(headers)),
  }));
  route(app, assignDeposit, async ({ ctx, params, body, headers, ...staff }) => ({
    data: await requests.assignDeposit(ctx, staff, params.id, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.listSettlementRequests, ({ ctx, actor, query }) =>
    approvals.listRequests(ctx, actor, 'SETTLEMENT', query),
  );
  route(app, contract.approveSettlement, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.approve(ctx, staff, 'SETTLEMENT', { id: params.id, reason: body?.reason }),
  }));
  route(app, contract.rejectSettlement, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.reject(ctx, staff, 'SETTLEMENT', { id: params.id, reason: body.reason }),
  }));
}

function promoCodeRoutes(app: FastifyInstance): void {
  route(app, createPromoCode, async ({ ctx, body, headers, ...staff }) => ({
    data: await requests.requestPromoCode(ctx, staff, body, readIdempotencyKey(headers)),
  }));
  route(app, disablePromoCode, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.disablePromoCode(ctx, staff, params.id, body),
  }));
  route(app, contract.listPromoCodeRequests, ({ ctx, actor, query }) =>
    approvals.listRequests(ctx, actor, 'PROMO_CODE', query),
  );
  route(app, contract.approvePromoCode, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.approve(ctx, staff, 'PROMO_CODE', { id: params.id, reason: body?.reason }),
  }));
  route(app, contract.rejectPromoCode, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.reject(ctx, staff, 'PROMO_CODE', { id: params.id, reason: body.reason }),
  }));
}

function approverRoutes(app: FastifyInstance): void {
  route(app, contract.readAdjustmentAllowance, async ({ ctx, actor, query }) => ({
    data: await approvers.readAllowance(ctx, actor, 'ADJUSTMENT', query.userId),
  }));
  route(app, contract.readSettlementAllowance, async ({ ctx, actor, query }) => ({
    data: await approvers.readAllowance(ctx, actor, 'SETTLEMENT', query.userId),
  }));
  route(app, contract.readPromoCodeAllowance, async ({ ctx, actor, query }) => ({
    data: await approvers.readAllowance(ctx, actor, 'PROMO_CODE', query.userId),
  }));
}
