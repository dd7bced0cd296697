/** Links from numbers to the lists with their rows. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { toDay } from '../../format/day.ts';
import type { RangeQuery } from '../usage/range.ts';
import classes from './number-link.module.css';

export interface Target {
  to: string;
  search: Record<string, string>;
}

/** The days of a range; its end is exclusive. */
function toDays({ from, to }: Pick<RangeQuery, 'from' | 'to'>) {
  return { from: toDay(new Date(from)), to: toDay(new Date(Date.parse(to) - 1)) };
}

/** The time of one bar. Lists have filters by day, so an hour opens its day. */
export function stepRange(steps: readonly string[], index: number, { to }: Pick<RangeQuery, 'to'>) {
  return { from: steps[index] ?? to, to: steps[index + 1] ?? to };
}

export function rowTargets(query: Pick<RangeQuery, 'from' | 'to'>) {
  return {
    connections: { to: '/admin/connections', search: toDays(query) },
    liveConnections: { to: '/admin/connections', search: { status: 'WORK' } },
    invoices: { to: '/admin/payment/invoices', search: toDays(query) },
    users: { to: '/admin/users', search: toDays(query) },
    tickets: { to: '/admin/tickets', search: { ...toDays(query), view: 'all' } },
    openTickets: { to: '/admin/tickets', search: { view: 'open' } },
    nodes: { to: '/admin/nodes', search: {} },
    system: { to: '/admin/system', search: {} },
  } as const satisfies Record<string, Target>;
}

export function invoicesIn(query: Pick<RangeQuery, 'from' | 'to'>, currency: string): Target {
  return { to: '/admin/payment/invoices', search: { ...toDays(query), currency } };
}

export type ProxyState = 'free' | 'sold' | 'unhealthy';

export function proxiesIn(state: ProxyState, countryCode?: string): Target {
  return {
    to: '/admin/proxies',
    search: { state: state.toUpperCase(), ...(countryCode !== undefined && { country: countryCode }) },
  };
}

/** The screens where staff handle what needs attention. */
export const attentionTargets = {
  approvals: (list: string): Target => ({ to: '/admin/approvals', search: { kind: list, status: 'PENDING' } }),
  ticket: (id: string): Target => ({ to: `/admin/tickets/${id}`, search: {} }),
  heldPayments: { to: '/admin/payment/invoices', search: {} },
  unhealthyProxies: proxiesIn('unhealthy'),
  proxiesElsewhere: { to: '/admin/proxies', search: { state: 'ELSEWHERE' } },
  nodes: { to: '/admin/nodes', search: {} },
  system: { to: '/admin/system', search: {} },
  failedJobs: { to: '/admin/system', search: { state: 'FAILED' } },
} as const;

/** The lists belong to other features, whose routes and parameters this one does not know. */
export const AnyLink = Link as unknown as ComponentType<
  Target & { className: string | undefined; children: ReactNode }
>;

/** For bars of charts, which cannot be link elements. */
export function useOpenTarget(): (target: Target) => void {
  const navigate = useNavigate() as unknown as (target: Target) => Promise<void>;
  return (target) => void navigate(target);
}

interface NumberLinkProps {
  target: Target;
  children: ReactNode;
}

/** A number that links to its rows. */
export function NumberLink({ target, children }: NumberLinkProps) {
  return (
    <AnyLink {...target} className={classes['link']}>
      {children}
    </AnyLink>
  );
}
