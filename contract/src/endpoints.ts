/**
 * The endpoints by method and URL, for the browser: these are types only, so it loads no schemas. The rest of the contract declares them.
 */
import type { ClientInput, EndpointDefinition, Output } from './endpoint.ts';

type Module =
  | typeof import('./alerts.ts')
  | typeof import('./auth.ts')
  | typeof import('./browser-errors.ts')
  | typeof import('./company.ts')
  | typeof import('./connection-checks.ts')
  | typeof import('./connections.ts')
  | typeof import('./development.ts')
  | typeof import('./faq.ts')
  | typeof import('./invoices.ts')
  | typeof import('./legal.ts')
  | typeof import('./notifications.ts')
  | typeof import('./proxies.ts')
  | typeof import('./receipts.ts')
  | typeof import('./referrals.ts')
  | typeof import('./replacements.ts')
  | typeof import('./rotation.ts')
  | typeof import('./settings.ts')
  | typeof import('./ticket-files.ts')
  | typeof import('./tickets.ts')
  | typeof import('./transactions.ts')
  | typeof import('./usage.ts')
  | typeof import('./users.ts')
  | typeof import('./staff/approvals.ts')
  | typeof import('./staff/audit-log.ts')
  | typeof import('./staff/canned-replies.ts')
  | typeof import('./staff/connections.ts')
  | typeof import('./staff/dashboard.ts')
  | typeof import('./staff/exit-checks.ts')
  | typeof import('./staff/exit-rotation.ts')
  | typeof import('./staff/faq.ts')
  | typeof import('./staff/inventory.ts')
  | typeof import('./staff/invoices.ts')
  | typeof import('./staff/mails.ts')
  | typeof import('./staff/margins.ts')
  | typeof import('./staff/nodes.ts')
  | typeof import('./staff/notifications.ts')
  | typeof import('./staff/promo-codes.ts')
  | typeof import('./staff/refused-destinations.ts')
  | typeof import('./staff/roles.ts')
  | typeof import('./staff/search.ts')
  | typeof import('./staff/system.ts')
  | typeof import('./staff/tickets.ts')
  | typeof import('./staff/timeline.ts')
  | typeof import('./staff/traffic-budgets.ts')
  | typeof import('./staff/transactions.ts')
  | typeof import('./staff/users.ts')
  | typeof import('./staff/view-as.ts')
  | typeof import('./staff/waiting-proxies.ts');

/** The endpoints among the exports of a module; distributes over a union of modules. */
type Declared<M> = M extends unknown ? Extract<M[keyof M], EndpointDefinition> : never;

/** `Endpoints['GET /v1/proxies']` is the declaration of that endpoint. */
export type Endpoints = { [E in Declared<Module> as `${E['method']} ${E['url']}`]: E };
export type EndpointKey = keyof Endpoints;

/** What a caller passes: before defaults and coercion. */
export type EndpointInput<K extends EndpointKey> = ClientInput<Endpoints[K]>;
/** What the caller reads. */
export type EndpointOutput<K extends EndpointKey> = Output<Endpoints[K]>;

/** Those that need no access token. */
export type PublicEndpointKey = {
  [K in EndpointKey]: Endpoints[K]['access'] extends 'public' ? K : never;
}[EndpointKey];

/** The URLs of `GET` endpoints without parameters in the path. */
export type FixedUrl = EndpointKey extends infer K
  ? K extends `GET ${infer Url}`
    ? Url extends `${string}{${string}`
      ? never
      : Url
    : never
  : never;
