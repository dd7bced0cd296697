import { certificateFits } from '@cellhop/contract/certificates';
import type { Connection, RefundStatus } from '@cellhop/contract/connections';
import { placeOf } from '@cellhop/contract/places.values';
import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import type { Config } from '../../process/config.ts';
import type { Ctx } from '../../ctx.ts';
import { netCostMicros } from '../billing/staff-refunds.service.ts';
import { effectiveLimits } from '../proxies/limits.service.ts';
import { presentRotation } from '../rotation/rotation.service.ts';
import { readLink } from '../rotation/secret-links.service.ts';
import type { ConnectionRow } from './connections.store.ts';
import { decryptPassword } from '../../secrets/connection-credentials.ts';

/** Users see their own connections, so the owner is left out. */
type OwnRow = Omit<ConnectionRow, 'userId' | 'userEmail'>;
type SoldRow = Omit<OwnRow, 'passwordEncrypted'>;

/** A connection as its owner sees it, with credentials. The password is null if no key decrypts it. */
export function presentConnection({ config, log }: Pick<Ctx, 'config' | 'log'>, row: OwnRow): Connection {
  const opened = decryptPassword(config.secretKeys, row.id, row.passwordEncrypted);
  if (!opened) log.error({ connectionId: row.id }, 'no key of SECRET_KEY decrypts the password of a connection');
  return presentSold(config, row, opened?.secret ?? null);
}

/** The same if the caller has the password. */
export function presentSold(config: Config, row: SoldRow, password: string | null): Connection {
  // Of an ended connection, nothing changes any more.
  const rotation = row.status === 'WORK' ? presentRotation(row, row.id, config.rotationCooldownMs) : null;
  // Whoever may not see the password may not see the link either.
  const link = password === null ? null : readLink(config, row.id, row.rotationSecret);
  return {
    ...present(config, row),
    password,
    label: row.label ?? '',
    rotation: rotation && { ...rotation, link, everyMinutes: row.everyMinutes },
  };
}

/** A connection as staff see it: with its owner, without the password. */
export function presentForStaff(config: Config, row: ConnectionRow): StaffConnection {
  return { ...present(config, row), user: { id: row.userId, email: row.userEmail } };
}

function present(config: Config, row: SoldRow): Omit<Connection, 'password' | 'label' | 'rotation'> {
  const { id, ip, status, endReason, dnsPort, username } = row;
  const paidForMicros = netCostMicros(row);
  return {
    id,
    ip,
    currentIp: status === 'WORK' ? row.currentIp : null,
    ...placeOf(row),
    status,
    refundStatus: toRefundStatus(row, paidForMicros),
    endReason,
    dnsPort,
    username,
    price: toDollars(row.priceMicros),
    paidFor: toDollars(paidForMicros),
    trafficUsed: toKibibytes(row.usedBytes),
    capMegabytes: row.capMegabytes === null ? null : Number(row.capMegabytes),
    limits: effectiveLimits(config, row),
    createdAt: row.createdAt.toISOString(),
    firstBoughtAt: row.firstBoughtAt?.toISOString() ?? null,
    syncAt: row.syncedAt?.toISOString() ?? null,
    disconnectAt: row.endedAt?.toISOString() ?? null,
    lastRefusal:
      row.refusalReason === null || row.refusedAt === null
        ? null
        : { reason: row.refusalReason, refusedAt: row.refusedAt.toISOString() },
    host: row.publicHost ?? config.gateway.host,
    isTlsServed: isTlsServed(row, row.publicHost ?? config.gateway.host),
    port: row.publicPort ?? config.gateway.port,
  };
}

/** Clients refuse a certificate that has expired, or is for another name. */
function isTlsServed({ certificateNames: names, certificateEndsAt: endsAt }: SoldRow, host: string): boolean {
  return names !== null && endsAt !== null && endsAt.getTime() > Date.now() && certificateFits(names, host);
}

/** A refund by staff is full if nothing of the cost is left. */
function toRefundStatus({ refundStatus, staffRefundedMicros }: SoldRow, paidForMicros: bigint): RefundStatus {
  if (staffRefundedMicros === 0n) return refundStatus;
  return paidForMicros === 0n ? 'REFUNDED' : 'PARTLY_REFUNDED';
}
