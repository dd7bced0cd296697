import type { ExitCapabilities, ExitCheck } from '@cellhop/contract/exit-checks';
import type { ExitCheckReason, ExitHealth } from '@cellhop/contract/staff/inventory.values';
import type { Ctx } from '../../ctx.ts';
import type { ExitOfLogin } from '../connections/logins.service.ts';
import type { FoundPlace } from '../proxies/place-files.service.ts';
import type { CheckedState, ExitState } from './exit-health.ts';

/** A run that has fetched a check and does not report it for this long has lost it. */
const LEASE_MS = 30_000;
/** Such a check leaves the exit in doubt. */
const ECHO_ALONE: ExitCheckReason = 'echo-alone';
/** Exits without proxies, and without one that waits for its address. `offer_proxy` and `add_import_exits` end the pause. */
const UNUSED_CHECK_MS = 900_000;

/** What exits carry besides tunnels changes rarely, and its test costs somebody's traffic. */
const CAPABILITIES_MS = 3_600_000;
/** The same where names of destinations wait for DNS to work again. */
const NO_DNS_MS = 300_000;
/** Minimum interval between two such tests that failures of customers cause. */
const SUSPECT_CAPABILITIES_MS = 60_000;

export interface DueExit extends ExitOfLogin {
  /** Somebody has asked for the check, or it is long since this was tested. */
  areCapabilitiesDue: boolean;
  /** A check has reached the echo and nothing else, and none has succeeded since. */
  isInDoubt: boolean;
}

/** Finds them by indexes: sorts no more rows than a few times the limit, however many are due. */
export const DUE = `
  select exit_id from (
    (select exit_id, 0 as turn from exit_checks where node_id = $1 and is_urgent and next_check_at <= now()
      order by next_check_at limit $2)
    union all
    select exit_id, row_number() over (partition by health = 'HEALTHY' order by next_check_at)
      from unnest(enum_range(null::exit_health)) as each
     cross join lateral (select exit_id, health, next_check_at from exit_checks
                          where node_id = $1 and health = each and next_check_at <= now() and not is_urgent
                          order by next_check_at limit $2) as backlog
  ) as due order by turn limit $2`;

/**
 * Takes due exits of the node for one run; those that others take just now are skipped. Urgent ones come first. Then healthy ones and others
 * take turns, so that many dead exits, each of which occupies a run for seconds, do not keep the others from being checked.
 */
export function takeDue(ctx: Ctx, nodeId: string, limit: number): Promise<DueExit[]> {
  return ctx.db.query(
    `with due as (${DUE}), free as (
       select checks.exit_id,
              exists (select from proxy_states
                       where proxy_states.exit_id = checks.exit_id and (not is_retired or connection_id is not null))
              or exists (select from waiting_exits where waiting_exits.exit_id = checks.exit_id) as is_used
         from exit_checks as checks join due on due.exit_id = checks.exit_id
        where next_check_at <= now() for no key update of checks skip locked
     ), taken as (
       update exit_checks set next_check_at = now() + case when is_used then $3::int else $4::int end * interval '1 millisecond'
         from free where free.exit_id = exit_checks.exit_id returning exit_checks.exit_id, is_in_doubt, is_used,
         is_requested or coalesce(capabilities_at, '-infinity') < now() - $5 * interval '1 millisecond' as are_capabilities_due,
         dns_works, not dns_works and capabilities_at < now() - $6 * interval '1 millisecond' as is_dns_due
     )
     select exits.id as "exitId", kind as "exitKind", parameters, credentials_encrypted as "exitCredentials", dns_works as "dnsWorks",
            is_in_doubt as "isInDoubt",
            are_capabilities_due or coalesce(is_dns_due and parameters ->> 'names' = 'exit', false) as "areCapabilitiesDue"
       from taken
       join readable_exits as exits on exits.id = taken.exit_id
       left join exit_credentials as credentials on credentials.id = exits.id
      where is_used`,
    [nodeId, limit, LEASE_MS, UNUSED_CHECK_MS, CAPABILITIES_MS, NO_DNS_MS],
  );
}

export function findExits(ctx: Ctx, exitIds: readonly string[]): Promise<ExitOfLogin[]> {
  return ctx.db.query(
    `select exits.id as "exitId", kind as "exitKind", parameters, credentials_encrypted as "exitCredentials", dns_works as "dnsWorks"
       from readable_exits as exits left join exit_credentials as credentials on credentials.id = exits.id
       left join exit_checks on exit_checks.exit_id = exits.id
      where exits.id = any($1::uuid[])`,
    [exitIds],
  );
}

/** Their links were called a moment ago. */
export async function requestAtOnce(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  if (exitIds.length === 0) return;
  await ctx.db.query('update exit_checks set next_check_at = now(), is_urgent = true where exit_id = any($1::uuid[])', [
    exitIds,
  ]);
}

/** Longer than any change of proxies takes that has read the health before. */
const FOLLOWED_MS = 3_600_000;

export interface StateRow extends ExitState {
  exitId: string;
  /** Lately. */
  hasChanged: boolean;
  isRequested: boolean;
  /** Another address is awaited. */
  isRotating: boolean;
}

/** Locks the checks of these exits until the end of the transaction. */
export function lockStates(ctx: Ctx, nodeId: string, exitIds: readonly string[]): Promise<StateRow[]> {
  return ctx.db.query(
    `select exit_id as "exitId", health, succeeded_at is not null as "hasSucceeded", successes, failures,
            recent_failures as "recentFailures", (extract(epoch from now() - failing_since) * 1000)::float8 as "failingMs", is_requested as "isRequested",
            changed_at > now() - $3 * interval '1 millisecond' as "hasChanged",
            exists (select from rotating_exits where rotating_exits.exit_id = exit_checks.exit_id) as "isRotating"
       from exit_checks where node_id = $1 and exit_id = any($2::uuid[]) order by exit_id for no key update`,
    [nodeId, exitIds, FOLLOWED_MS],
  );
}

export interface Checked {
  check: ExitCheck;
  /** Of the address that it has seen. */
  seenPlace: FoundPlace | null;
  state: CheckedState;
}

export async function saveChecks(ctx: Ctx, checked: readonly Checked[]): Promise<void> {
  await ctx.db.query(
    `update exit_checks
        set health = change.health, changed_at = case when change.health = exit_checks.health then changed_at else now() end,
            checked_at = now(), successes = change.successes, failures = change.failures, recent_failures = change.recent_failures,
            succeeded_at = case when is_ok then now() else succeeded_at end,
            latency_ms = case when is_ok then change.latency_ms else exit_checks.latency_ms end,
            seen_address = case when is_ok then change.seen_address else exit_checks.seen_address end,
            seen_country = case when is_ok then change.seen_country else exit_checks.seen_country end,
            seen_asn = case when is_ok then change.seen_asn else exit_checks.seen_asn end,
            reason = change.reason, is_in_doubt = not is_ok and (is_in_doubt or change.reason is not distinct from $13),
            failing_since = case when is_failing then coalesce(failing_since, now()) end,
            next_check_at = now() + change.next_check_ms * interval '1 millisecond', is_requested = false, is_urgent = change.is_urgent
       from unnest($1::uuid[], $2::exit_health[], $3::int[], $4::int[], $5::bool[], $6::bool[], $7::int[], $8::text[], $9::inet[], $10::int[], $11::int[], $12::bool[], $14::text[], $15::bigint[])
            as change (exit_id, health, successes, failures, is_ok, is_failing, latency_ms, reason, seen_address, next_check_ms, recent_failures, is_urgent, seen_country, seen_asn)
      where exit_checks.exit_id = change.exit_id`,
    [
      checked.map(({ check }) => check.exitId),
      checked.map(({ state }) => state.health),
      checked.map(({ state }) => state.successes),
      checked.map(({ state }) => state.failures),
      checked.map(({ check }) => check.outcome === 'ok'),
      checked.map(({ state }) => state.isFailing),
      checked.map(({ check }) => check.latencyMs ?? null),
      checked.map(({ check }) => (check.outcome === 'ok' ? null : (check.reason ?? 'unknown'))),
      checked.map(({ check }) => check.seenAddress ?? null),
      checked.map(({ state }) => state.nextCheckMs),
      checked.map(({ state }) => state.recentFailures),
      checked.map(({ state }) => state.isUrgent),
      ECHO_ALONE,
      checked.map(({ seenPlace }) => seenPlace?.countryCode ?? null),
      checked.map(({ seenPlace }) => seenPlace?.asn ?? null),
    ],
  );
}

export interface CapabilitiesOfExit extends ExitCapabilities {
  exitId: string;
}

export async function saveCapabilities(ctx: Ctx, found: readonly CapabilitiesOfExit[]): Promise<void> {
  await ctx.db.query(
    `update exit_checks
        set udp_works = udp, ipv6_works = ipv6, dns_works = coalesce(dns, nullif(dns_works, true)), resolver = asked_from, capabilities_at = now()
       from unnest($1::uuid[], $2::bool[], $3::bool[], $4::bool[], $5::inet[]) as found (exit_id, udp, ipv6, dns, asked_from)
      where exit_checks.exit_id = found.exit_id`,
    [
      found.map(({ exitId }) => exitId),
      found.map(({ udp }) => udp ?? null),
      found.map(({ ipv6 }) => ipv6 ?? null),
      found.map(({ dns }) => dns ?? null),
      found.map(({ resolver }) => resolver ?? null),
    ],
  );
}

/** Adds to the sums of today. Those of a node wait for each other, so this comes last in its transaction. */
export async function countChecks(ctx: Ctx, nodeId: string, checks: number, passed: number): Promise<void> {
  await ctx.db.query(
    `insert into exit_check_days as counted (day, node_id, checks, passed)
     values ((now() at time zone 'UTC')::date, $1, $2, $3)
     on conflict (day, node_id) do update set checks = counted.checks + excluded.checks, passed = counted.passed + excluded.passed`,
    [nodeId, checks, passed],
  );
}

/** Of all nodes, with today. */
export async function sumChecks(ctx: Ctx, days: number): Promise<{ checks: number; passed: number }> {
  const [row] = await ctx.db.query<{ checks: number; passed: number }>(
    `select coalesce(sum(checks), 0)::float8 as checks, coalesce(sum(passed), 0)::float8 as passed
       from exit_check_days where day > (now() at time zone 'UTC')::date - $1::int`,
    [days],
  );
  return row!;
}

/** Customers' tunnels fail through these exits: they are due now, unless they were checked a moment ago. Perhaps names are not resolved any more. */
export async function requestSuspects(
  ctx: Ctx,
  nodeId: string,
  exitIds: readonly string[],
  spacingMs: number,
): Promise<void> {
  await ctx.db.query(
    `update exit_checks set next_check_at = least(next_check_at, now()), is_urgent = true,
            capabilities_at = case when capabilities_at > now() - $4 * interval '1 millisecond' then capabilities_at end
      where node_id = $1 and exit_id = any($2::uuid[])
        and coalesce(checked_at, '-infinity') < now() - $3 * interval '1 millisecond'`,
    [nodeId, exitIds, spacingMs, SUSPECT_CAPABILITIES_MS],
  );
}

/** @returns whether there is such an exit */
export async function requestCheck(ctx: Ctx, exitId: string): Promise<boolean> {
  const rows = await ctx.db.query(
    `update exit_checks set next_check_at = now(), is_requested = true, is_urgent = true, requested_at = now()
      where exit_id = $1
     returning exit_id`,
    [exitId],
  );
  return rows.length === 1;
}

/** Open connections on an exit that has stopped working may last this much longer than a restart of another proxy takes. */
const LOST_AFTER_MS = 180_000;
/** Connections have ended long before. */
const LOST_UNTIL_MS = 3_600_000;
/** Far fewer than there are in that time: where the clock was set forwards, one or two failures are no long outage. */
const LOST_FAILURES_MIN = 5;
const LOST_MAX = 1000;

/** Exits in use that have failed for so long that their connections end. */
export async function findLost(ctx: Ctx, nodeId: string): Promise<string[]> {
  const rows = await ctx.db.query<{ exitId: string }>(
    `select exit_id as "exitId" from exit_checks as checks
      where node_id = $1 and health = 'UNHEALTHY' and failures >= $5
        and failing_since between now() - $3 * interval '1 millisecond' and now() - $2 * interval '1 millisecond'
        and exists (select from proxy_states where proxy_states.exit_id = checks.exit_id and connection_id is not null)
      limit $4`,
    [nodeId, LOST_AFTER_MS, LOST_UNTIL_MS, LOST_MAX, LOST_FAILURES_MIN],
  );
  return rows.map(({ exitId }) => exitId);
}

/** The node has lost the exits of these connections. @returns the exits that were not known as unhealthy */
export async function saveLost(
  ctx: Ctx,
  nodeId: string,
  connectionIds: readonly string[],
  nextCheckMs: number,
): Promise<string[]> {
  const rows = await ctx.db.query<{ exitId: string }>(
    `update exit_checks
        set health = 'UNHEALTHY', changed_at = now(), reason = 'exit-lost', successes = 0, failures = failures + 1,
            failing_since = coalesce(failing_since, now()), next_check_at = now() + $3 * interval '1 millisecond'
      where node_id = $1 and health <> 'UNHEALTHY'
        and exit_id in (select exit_id from readable_connections where id = any($2::uuid[]) and status = 'WORK')
     returning exit_id as "exitId"`,
    [nodeId, connectionIds, nextCheckMs],
  );
  return rows.map(({ exitId }) => exitId);
}

/** Those that exits no longer have. @returns the number of deleted rows, at most `limit` */
export async function deleteOldAddresses(ctx: Ctx, days: number, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from exit_addresses where (exit_id, since) in (
       select exit_id, since from exit_addresses where until < now() - $1 * interval '1 day' limit $2
     ) returning exit_id`,
    [days, limit],
  );
  return rows.length;
}

export interface ExitCount {
  node: string;
  health: ExitHealth;
  count: number;
}

export function countByHealth(ctx: Ctx): Promise<ExitCount[]> {
  return ctx.db.query(
    `select name as node, health, count(*)::int as count
       from exit_checks join gateway_nodes on gateway_nodes.id = node_id group by name, health order by name, health`,
  );
}
