import { changeUserStatus } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { changeStatus } from './user-administration.service.ts';

export function userAdministrationRoutes(app: FastifyInstance): void {
  route(app, changeUserStatus, async ({ ctx, actor, params, body, requester }) => ({
    data: await changeStatus(ctx, actor, params.id, body, requester),
  }));
}
