/** Checks of exits that customers ask for: the check that the catalogue relies on, made now, free of charge and never before others. */
import type { ConnectionCheck } from '@cellhop/contract/connection-checks';
import { AppError } from '@cellhop/contract/errors';
import { CONNECTION_CHECKS_PER_HOUR_MAX } from '@cellhop/contract/limits';
import { placeOf } from '@cellhop/contract/places.values';
import type { Ctx } from '../../ctx.ts';
import { countUse, type Rule } from '../../db/rate-limiter.ts';
import type { Actor } from '../../http/actor.ts';
import { compareWithSold, type FoundPlace, openPlaces, type PlaceOf } from '../proxies/place-files.service.ts';
import * as store from './connection-checks.store.ts';

/** An answer younger than this is repeated, whoever asked for it. Checks that nobody asked for answer nothing: they are older than the question. */
const FRESH_MS = 30_000;
/** Longer than a check takes, with the time until the gateway fetches and reports it (`gateway/src/limits.ts`). */
const UNANSWERED_MS = 20_000;
/** Checks of the gateway's own follow an answer; a request that is older than this has none of them as its answer. */
const ANSWERED_MS = UNANSWERED_MS + FRESH_MS;
/** A check that is older says too little about the exit of now. */
const REPLACEABLE_MS = 600_000;
/** The name is part of stored keys. */
const checksOfConnection: Rule = {
  keyPrefix: 'connection-check',
  points: CONNECTION_CHECKS_PER_HOUR_MAX,
  duration: 3600,
};

/**
 * Begins a check of the exit of the user's own connection, unless one is running or was made a moment ago. Does not wait for the outcome:
 * the customer asks again, and holds no share of the server meanwhile.
 * @throws AppError NOT_FOUND, NOT_CONNECTED, RATE_LIMITED
 */
export async function checkOwn(ctx: Ctx, actor: Actor, connectionId: string): Promise<ConnectionCheck> {
  const row = await store.findConnectionCheck(ctx, connectionId);
  if (row?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
  if (row.status !== 'WORK') throw new AppError('NOT_CONNECTED');
  const placeOfAddress = await openPlaces(ctx);
  const answer = (state: ConnectionCheck['state']) => present(row, state, placeOfAddress);
  if (row.isRequested) return answer((row.requestedMs ?? 0) < UNANSWERED_MS ? 'RUNNING' : 'UNANSWERED');
  if (hasFreshAnswer(row)) return answer(toState(row));
  await ctx.tx(async (ctx) => {
    // Only the request that begins it is counted; beyond the limit none has begun.
    if (await store.beginCheck(ctx, row.exitId)) await countUse(ctx, checksOfConnection, connectionId);
  });
  return answer('RUNNING');
}

function hasFreshAnswer({ checkedMs, requestedMs, isAnswer }: store.ConnectionCheckRow): boolean {
  if (!isAnswer || checkedMs === null || requestedMs === null) return false;
  return checkedMs >= 0 && checkedMs < FRESH_MS && requestedMs < ANSWERED_MS;
}

/** The reason of a check without a verdict is always the same (`ExitCheckPerformer`). */
function toState({ reason }: store.ConnectionCheckRow): ConnectionCheck['state'] {
  if (reason === null) return 'OK';
  return reason === 'echo-unreachable' ? 'INCONCLUSIVE' : 'FAILED';
}

/** The last check of its exit was made lately, and what it found is not what was sold. */
export async function isReplaceable(ctx: Ctx, connectionId: string): Promise<boolean> {
  const row = await store.findConnectionCheck(ctx, connectionId);
  return row !== undefined && isMismatch(row, compare(row, toState(row), await openPlaces(ctx)));
}

type Comparison = Pick<ConnectionCheck, 'seenPlace' | 'isAsSold'>;

/** What the last check has seen, if it succeeded. */
function compare(row: store.ConnectionCheckRow, state: ConnectionCheck['state'], placeOfAddress: PlaceOf): Comparison {
  const isOk = state === 'OK';
  const seenPlace = isOk ? placeOfAddress(row.seenAddress) : null;
  return {
    seenPlace,
    isAsSold: { address: isOk ? row.isPromisedAddress : null, ...compareWithSold(row, seenPlace) },
  };
}

/** While the address changes, no check says anything about the exit. */
function isMismatch(row: store.ConnectionCheckRow, { isAsSold }: Comparison): boolean {
  if (row.isRotating || row.checkedMs === null || row.checkedMs > REPLACEABLE_MS) return false;
  return toState(row) === 'FAILED' || Object.values(isAsSold ?? {}).includes(false);
}

function present(
  row: store.ConnectionCheckRow,
  state: ConnectionCheck['state'],
  placeOfAddress: PlaceOf,
): ConnectionCheck {
  const { ip, checkedAt, seenAddress, latencyMs, udp, ipv6, resolver } = row;
  const isAnswered = state !== 'RUNNING' && state !== 'UNANSWERED';
  const isOk = state === 'OK';
  const comparison = compare(row, state, placeOfAddress);
  return {
    state,
    checkedAt: isAnswered ? checkedAt!.toISOString() : null,
    address: isOk ? seenAddress : null,
    latencyMs: isOk ? latencyMs : null,
    isReplaceable: isAnswered && isMismatch(row, comparison),
    ip,
    ...placeOf(row),
    ...comparison,
    udp: isOk ? udp : null,
    ipv6: isOk ? ipv6 : null,
    resolver: isOk && resolver !== null ? presentResolver(row, resolver, placeOfAddress(resolver)) : null,
  };
}

function presentResolver(row: store.ConnectionCheckRow, address: string, place: FoundPlace | null) {
  const { country } = compareWithSold(row, place);
  return { address, countryCode: place?.countryCode ?? null, isCountryAsSold: country };
}
