import { listConnectionAddresses, renewRotationLink, rotateByLink, rotateConnection } from '@cellhop/contract/rotation';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as rotation from './rotation.service.ts';
import * as secretLinks from './secret-links.service.ts';

export function rotationRoutes(app: FastifyInstance): void {
  route(app, rotateConnection, async ({ ctx, actor, params }) => ({
    data: await rotation.rotateOwn(ctx, actor, params.id),
  }));
  const stopping = new AbortController();
  // Closing the server waits for open responses.
  app.addHook('preClose', async () => stopping.abort());
  route(app, rotateByLink, async ({ ctx, params: { secret }, headers, method, networks }) => {
    const find = () => secretLinks.findByLink(ctx, secret);
    const id = await app.invalidTokenLimiter.check(networks, secret, find);
    const isReading =
      method === 'HEAD' || /\bprefetch\b/i.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
    return {
      data: isReading ? await rotation.readResult(ctx, id) : await secretLinks.rotateAndWait(ctx, id, stopping.signal),
    };
  });
  route(app, renewRotationLink, async ({ ctx, actor, params }) => ({
    data: await secretLinks.renewLink(ctx, actor, params.id),
  }));
  route(app, listConnectionAddresses, async ({ ctx, actor, params }) => ({
    data: await rotation.listAddresses(ctx, actor, params.id),
  }));
  route(app, changeExitRotation, async ({ ctx, actor, params, body, requester }) => {
    await rotation.changeRotation(ctx, { actorId: actor.userId, requester }, params.id, body);
    return { data: { id: params.id } };
  });
}
