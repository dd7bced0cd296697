import { plain } from '../endpoint.ts';
import type * as full from './dashboard.ts';

export const getDashboard = plain<typeof full.getDashboard>({
  method: 'GET',
  url: '/v1/dashboard/admin',
  access: 'staff',
});
