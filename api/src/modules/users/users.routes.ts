import { getProfile, updateProfile } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as users from './users.service.ts';

export function usersRoutes(app: FastifyInstance): void {
  route(app, getProfile, async ({ ctx, actor }) => ({ data: await users.getProfile(ctx, actor.userId) }));
  route(app, updateProfile, async ({ ctx, actor, body }) => ({
    data: await users.changeLanguage(ctx, actor.userId, body.languageCode),
  }));
}
