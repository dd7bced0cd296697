/** The timeline of a user: entries of many modules, merged by time. Each source reads one page more than is shown. */
import { AppError } from '@cellhop/contract/errors';
import type { Permission } from '@cellhop/contract/permissions';
import { timelineKinds, type TimelineKind } from '@cellhop/contract/staff/lists.values';
import type { TimelineEntry } from '@cellhop/contract/staff/timeline';
import type { TransactionKind } from '@cellhop/contract/transactions.values';
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { netCostMicros } from '../billing/staff-refunds.service.ts';
import { systemAccounts } from '../ledger/ledger.service.ts';
import { present } from '../notifications/notifications.service.ts';
import * as users from '../users/users.service.ts';
import * as store from './timeline.store.ts';

const neededPermission: Record<TimelineKind, Permission> = {
  ACCOUNT: 'USERS_READ',
  STAFF: 'AUDIT_READ',
  MONEY: 'TRANSACTIONS_READ',
  PURCHASE: 'CONNECTIONS_READ',
  END: 'CONNECTIONS_READ',
  TICKET: 'TICKETS_READ',
  NOTIFICATION: 'NOTIFICATIONS_READ',
};

/** Charges and refunds belong to a connection, so they are part of its entries. */
const MONEY_KINDS: readonly TransactionKind[] = [
  'TOP_UP',
  'TRIAL',
  'REFERRAL_BONUS',
  'ADJUSTMENT',
  'REVERSAL',
  'RESTORATION',
];

/** Sorts before and after every id. */
const NO_ID = '';
const EVERY_ID = '~';

interface Timed {
  /** Since 1970. */
  micros: bigint;
  entry: TimelineEntry;
}

interface Query {
  kind?: TimelineKind[] | undefined;
  after?: string | undefined;
  size: number;
}

/** @throws AppError NOT_FOUND */
export async function getTimeline(ctx: Ctx, actor: Actor, userId: string, { kind, after, size }: Query) {
  const user = await users.findUser(ctx, userId);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  const kinds = timelineKinds.filter((each) => actor.permissions.has(neededPermission[each]));
  const chosen = kind === undefined ? kinds : kinds.filter((each) => kind.includes(each));
  const start = parsePosition(after);
  const pages = await Promise.all(
    chosen.map((each) => list(ctx, { user, actor, kind: each, position: positionFor(each, start), limit: size + 1 })),
  );
  const merged = pages.flat().toSorted(compare);
  const shown = merged.slice(0, size);
  const last = shown.at(-1);
  return {
    data: shown.map(({ entry }) => entry),
    next: last === undefined || merged.length === shown.length ? null : formatPosition(last),
    kinds,
  };
}

interface ListInput {
  user: users.User;
  actor: Actor;
  kind: TimelineKind;
  position: store.Position;
  limit: number;
}

async function list(ctx: Ctx, input: ListInput): Promise<Timed[]> {
  const { user, actor, kind, position, limit } = input;
  switch (kind) {
    case 'ACCOUNT':
    case 'STAFF': {
      const rows = await store.listAudit(ctx, user.id, kind === 'STAFF', position, limit);
      return rows.map((row) => timed(row, toAuditEntry(kind, row)));
    }
    case 'MONEY': {
      const accounts = { accountId: user.accountId, adjustmentAccountId: systemAccounts.adjustment };
      const rows = await store.listMoney(ctx, accounts, MONEY_KINDS, position, limit);
      return rows.map((row) => {
        const amount = toDollars(row.amountMicros);
        return timed(row, { ...toHead(row), kind, transaction: row.transaction, amount });
      });
    }
    case 'PURCHASE': {
      const rows = await store.listConnections(ctx, user.id, 'created_at', position, limit);
      return rows.map((row) => timed(row, { ...toConnectionHead(row), kind, status: row.status }));
    }
    case 'END': {
      const rows = await store.listConnections(ctx, user.id, 'ended_at', position, limit);
      return rows.map((row) => {
        const trafficUsed = toKibibytes(row.usedBytes);
        return timed(row, { ...toConnectionHead(row), kind, reason: row.endReason, trafficUsed });
      });
    }
    case 'TICKET': {
      const rows = await store.listTickets(ctx, user.id, position, limit);
      return rows.map((row) => timed(row, { ...toHead(row), kind, ticketId: row.id, name: row.name }));
    }
    case 'NOTIFICATION': {
      const rows = await store.listNotifications(ctx, user.id, position, limit);
      return rows.map((row) => {
        const { description, isRead } = present(row, actor.languageCode);
        return timed(row, { ...toHead(row), kind, description, isRead });
      });
    }
  }
}

function timed({ micros }: { micros: bigint }, entry: TimelineEntry): Timed {
  return { micros, entry };
}

function toHead({ id, micros }: { id: string; micros: bigint }) {
  return { id, at: new Date(Number(micros / 1000n)).toISOString() };
}

function toConnectionHead(row: store.ConnectionRow) {
  const paidFor = toDollars(netCostMicros(row));
  return { ...toHead(row), connectionId: row.id, ip: row.ip, paidFor };
}

function toAuditEntry(kind: 'ACCOUNT' | 'STAFF', row: store.AuditRow): TimelineEntry {
  const { action, ip, device, actorId, actorEmail, reason } = row;
  if (kind === 'ACCOUNT') return { ...toHead(row), kind, action, ip, device };
  const actor = actorId === null || actorEmail === null ? null : { id: actorId, email: actorEmail };
  return { ...toHead(row), kind, action, actor, reason };
}

/** Newest first; entries with the same time in the order of their kinds, then by descending id. */
function compare(one: Timed, other: Timed): number {
  if (one.micros !== other.micros) return one.micros > other.micros ? -1 : 1;
  const order = timelineKinds.indexOf(one.entry.kind) - timelineKinds.indexOf(other.entry.kind);
  return order !== 0 ? order : one.entry.id > other.entry.id ? -1 : 1;
}

interface Start {
  micros: bigint;
  kindIndex: number;
  id: string;
}

/** Undefined without a position: the timeline starts with the newest entry. */
function parsePosition(text: string | undefined): Start | undefined {
  if (text === undefined) return undefined;
  const [micros = '0', kindIndex, ...id] = text.split('_');
  return { micros: BigInt(micros), kindIndex: Number(kindIndex), id: id.join('_') };
}

function formatPosition({ micros, entry }: Timed): string {
  return `${micros}_${timelineKinds.indexOf(entry.kind)}_${entry.id}`;
}

/** Entries with the same time were already shown if their kind precedes that of the last shown entry. */
function positionFor(kind: TimelineKind, start: Start | undefined): store.Position {
  if (start === undefined) return { micros: BigInt(Date.now()) * 1000n + DAY_MICROS, id: EVERY_ID };
  const { micros, kindIndex, id } = start;
  const index = timelineKinds.indexOf(kind);
  return { micros, id: index === kindIndex ? id : index < kindIndex ? NO_ID : EVERY_ID };
}

/** A margin, because the clocks of API and database may differ. */
const DAY_MICROS = 86_400_000_000n;
