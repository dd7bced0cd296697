import { listConnectionAddresses, rotateConnection } from '@cellhop/contract/rotation';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as rotation from './rotation.service.ts';

export function rotationRoutes(app: FastifyInstance): void {
  route(app, rotateConnection, async ({ ctx, actor, params }) => ({
    data: await rotation.rotateOwn(ctx, actor, params.id),
  }));
  route(app, listConnectionAddresses, async ({ ctx, actor, params }) => ({
    data: await rotation.listAddresses(ctx, actor, params.id),
  }));
  route(app, changeExitRotation, async ({ ctx, actor, params, body, requester }) => {
    await rotation.changeRotation(ctx, { actorId: actor.userId, requester }, params.id, body);
    return { data: { id: params.id } };
  });
}
