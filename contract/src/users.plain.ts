import { plain } from './endpoint.ts';
import type * as full from './users.ts';

export const getProfile = plain<typeof full.getProfile>({ method: 'GET', url: '/v1/profile', access: 'user' });
export const updateProfile = plain<typeof full.updateProfile>({ method: 'PATCH', url: '/v1/profile', access: 'user' });
