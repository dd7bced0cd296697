import { getCompany, saveCompany } from '@cellhop/contract/company';
import { getProfile, updateProfile } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as profile from './profile.service.ts';

export function profileRoutes(app: FastifyInstance): void {
  route(app, getProfile, async ({ ctx, actor }) => {
    const data = await profile.getProfile(ctx, actor.userId);
    // The effective permissions: staff who see the app as another member of staff have none.
    if (actor.viewerId !== undefined) data.role.permissions = [];
    return { data };
  });
  route(app, updateProfile, async ({ ctx, actor, body }) => ({
    data: await profile.changeLanguage(ctx, actor.userId, body.languageCode),
  }));
  route(app, getCompany, async ({ ctx, actor }) => ({ data: await profile.getCompany(ctx, actor) }));
  route(app, saveCompany, async ({ ctx, actor, body }) => ({ data: await profile.saveCompany(ctx, actor, body) }));
}
