import * as staff from '@cellhop/contract/staff/refused-destinations';
import { readRefusedPage } from '@cellhop/contract/refused-pages';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../http/actor.ts';
import { route, routeUpload } from '../../http/route.ts';
import type { Requester } from '../../http/requester.ts';
import * as destinations from './destinations.service.ts';

export function destinationsRoutes(app: FastifyInstance): void {
  route(app, readRefusedPage, async ({ ctx, body }) => ({ data: await destinations.readPage(ctx, body.after) }));
  route(app, staff.listRefusedDestinations, ({ ctx, query }) => destinations.listEntries(ctx, query));
  route(app, staff.refuseDestination, async ({ ctx, body, ...request }) => ({
    data: await destinations.refuse(ctx, toEditor(request), body),
  }));
  route(app, staff.allowDestination, async ({ ctx, params, ...request }) => {
    await destinations.allow(ctx, toEditor(request), params.id);
    return { data: params };
  });
  route(app, staff.listDestinationLists, async ({ ctx }) => ({ data: await destinations.listLists(ctx) }));
  routeUpload(
    app,
    staff.importDestinationList,
    staff.DESTINATION_FILE_BYTES_MAX,
    async ({ ctx, query, content, ...request }) => ({
      data: await destinations.importList(ctx, toEditor(request), query.list, content),
    }),
  );
  route(app, staff.removeDestinationList, async ({ ctx, query, ...request }) => ({
    data: { ...query, removed: await destinations.removeList(ctx, toEditor(request), query.list) },
  }));
}

const toEditor = ({ actor, requester }: { actor: Actor; requester: Requester }) => ({
  actorId: actor.userId,
  requester,
});
