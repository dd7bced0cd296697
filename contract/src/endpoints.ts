/**
 * The endpoints by method and URL, for the browser: these are types only, so it loads no schemas. The rest of the contract declares them.
 */
import type { ClientInput, EndpointDefinition, Output } from './endpoint.ts';
import type * as alerts from './alerts.ts';
import type * as auth from './auth.ts';
import type * as browserErrors from './browser-errors.ts';
import type * as company from './company.ts';
import type * as connectionChecks from './connection-checks.ts';
import type * as connections from './connections.ts';
import type * as development from './development.ts';
import type * as faq from './faq.ts';
import type * as invoices from './invoices.ts';
import type * as legal from './legal.ts';
import type * as notifications from './notifications.ts';
import type * as proxies from './proxies.ts';
import type * as receipts from './receipts.ts';
import type * as referrals from './referrals.ts';
import type * as settings from './settings.ts';
import type * as tickets from './tickets.ts';
import type * as transactions from './transactions.ts';
import type * as usage from './usage.ts';
import type * as users from './users.ts';
import type * as staffApprovals from './staff/approvals.ts';
import type * as staffAuditLog from './staff/audit-log.ts';
import type * as staffCannedReplies from './staff/canned-replies.ts';
import type * as staffConnections from './staff/connections.ts';
import type * as staffDashboard from './staff/dashboard.ts';
import type * as staffExitChecks from './staff/exit-checks.ts';
import type * as staffFaq from './staff/faq.ts';
import type * as staffInventory from './staff/inventory.ts';
import type * as staffInvoices from './staff/invoices.ts';
import type * as staffMails from './staff/mails.ts';
import type * as staffNodes from './staff/nodes.ts';
import type * as staffNotifications from './staff/notifications.ts';
import type * as staffPromoCodes from './staff/promo-codes.ts';
import type * as staffRoles from './staff/roles.ts';
import type * as staffSearch from './staff/search.ts';
import type * as staffTickets from './staff/tickets.ts';
import type * as staffSystem from './staff/system.ts';
import type * as staffTimeline from './staff/timeline.ts';
import type * as staffTransactions from './staff/transactions.ts';
import type * as staffUsers from './staff/users.ts';
import type * as staffViewAs from './staff/view-as.ts';

type Module =
  | typeof alerts
  | typeof auth
  | typeof browserErrors
  | typeof company
  | typeof connectionChecks
  | typeof connections
  | typeof development
  | typeof faq
  | typeof invoices
  | typeof legal
  | typeof notifications
  | typeof proxies
  | typeof receipts
  | typeof referrals
  | typeof settings
  | typeof tickets
  | typeof transactions
  | typeof usage
  | typeof users
  | typeof staffApprovals
  | typeof staffAuditLog
  | typeof staffCannedReplies
  | typeof staffConnections
  | typeof staffDashboard
  | typeof staffExitChecks
  | typeof staffFaq
  | typeof staffInventory
  | typeof staffInvoices
  | typeof staffMails
  | typeof staffNodes
  | typeof staffNotifications
  | typeof staffPromoCodes
  | typeof staffRoles
  | typeof staffSearch
  | typeof staffTickets
  | typeof staffSystem
  | typeof staffTimeline
  | typeof staffTransactions
  | typeof staffUsers
  | typeof staffViewAs;

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
