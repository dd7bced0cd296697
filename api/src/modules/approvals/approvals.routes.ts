import * as contract from '@cellhop/contract/staff/approvals';
import { settleInvoice } from '@cellhop/contract/staff/invoices';
import { createAdjustment } from '@cellhop/contract/staff/transactions';
import type { FastifyInstance } from 'fastify';
import { readIdempotencyKey } from '../../http/validation.ts';
import { route } from '../../http/route.ts';
import * as approvals from './approvals.service.ts';

export function approvalsRoutes(app: FastifyInstance): void {
  adjustmentRoutes(app);
  settlementRoutes(app);
}

function adjustmentRoutes(app: FastifyInstance): void {
  route(app, createAdjustment, async ({ ctx, body, headers, ...staff }) => ({
    data: await approvals.requestAdjustment(ctx, staff, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.listAdjustmentRequests, ({ ctx, query }) => approvals.listRequests(ctx, 'ADJUSTMENT', query));
  route(app, contract.approveAdjustment, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.approve(ctx, staff, 'ADJUSTMENT', { id: params.id, reason: body?.reason }),
  }));
  route(app, contract.rejectAdjustment, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.reject(ctx, staff, 'ADJUSTMENT', { id: params.id, reason: body.reason }),
  }));
}

function settlementRoutes(app: FastifyInstance): void {
  route(app, settleInvoice, async ({ ctx, params, body, headers, ...staff }) => ({
    data: await approvals.requestSettlement(ctx, staff, params.id, body, readIdempotencyKey(headers)),
  }));
  route(app, contract.listSettlementRequests, ({ ctx, query }) => approvals.listRequests(ctx, 'SETTLEMENT', query));
  route(app, contract.approveSettlement, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.approve(ctx, staff, 'SETTLEMENT', { id: params.id, reason: body?.reason }),
  }));
  route(app, contract.rejectSettlement, async ({ ctx, params, body, ...staff }) => ({
    data: await approvals.reject(ctx, staff, 'SETTLEMENT', { id: params.id, reason: body.reason }),
  }));
}
