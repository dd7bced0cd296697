import { plain } from '../endpoint.ts';
import type * as full from './system.ts';

/** RETRYING: it has failed and will run again by itself. */
export const jobStates = ['FAILED', 'RETRYING', 'RUNNING', 'WAITING'] as const;

export type JobState = (typeof jobStates)[number];

export const getSystemState = plain<typeof full.getSystemState>({
  method: 'GET',
  url: '/v1/system/admin',
  access: { permission: 'SYSTEM_READ' },
});
export const listJobs = plain<typeof full.listJobs>({
  method: 'GET',
  url: '/v1/system/admin/jobs',
  access: { permission: 'SYSTEM_READ' },
});
export const retryJob = plain<typeof full.retryJob>({
  method: 'POST',
  url: '/v1/system/admin/jobs/{id}/retry',
  access: { permission: 'SYSTEM_EDIT' },
});
