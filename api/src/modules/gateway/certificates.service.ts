/** The certificates with which nodes serve TLS: staff are told before one ends, and when it has ended. */
import { NODES_MAX } from '@cellhop/contract/limits';
import type { Ctx } from '../../ctx.ts';
import { tellSystemStaff } from '../notifications/system-notices.service.ts';
import * as store from './nodes.store.ts';

/** Once for each certificate before its end, and once after it. */
export async function warnOfCertificates(ctx: Ctx): Promise<void> {
  for (const { key, isExpired } of await store.listEndingCertificates(ctx, NODES_MAX)) {
    const template = isExpired ? 'certificate-expired' : 'certificate-ending';
    await tellSystemStaff(ctx, `${template}:${key}`, template);
  }
}
