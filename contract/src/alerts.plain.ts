import { plain } from './endpoint.ts';
import type * as full from './alerts.ts';

export const getAlertSettings = plain<typeof full.getAlertSettings>({
  method: 'GET',
  url: '/v1/profile/alerts',
  access: 'user',
});
export const saveAlertSettings = plain<typeof full.saveAlertSettings>({
  method: 'PUT',
  url: '/v1/profile/alerts',
  access: 'user',
});
