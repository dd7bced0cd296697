import { getProfile, updateProfile } from '@cellhop/contract/users';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import * as profile from './profile.service.ts';

export function profileRoutes(app: FastifyInstance): void {
  route(app, getProfile, async ({ ctx, actor }) => ({ data: await profile.getProfile(ctx, actor.userId) }));
  route(app, updateProfile, async ({ ctx, actor, body }) => ({
    data: await profile.changeLanguage(ctx, actor.userId, body.languageCode),
  }));
}
