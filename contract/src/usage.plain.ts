import { plain } from './endpoint.ts';
import type * as full from './usage.ts';

/** The longest range by days. */
export const USAGE_DAYS_MAX = 366;

export const getUsage = plain<typeof full.getUsage>({ method: 'GET', url: '/v1/usage', access: 'user' });
