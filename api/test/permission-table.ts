import type { Permission } from '@cellhop/contract/permissions';

/**
 * What staff need for the endpoints below an address: to read (`GET`), and to change something. The longest address counts. It follows from
 * the product's roles, not from the declarations of endpoints, so that a declaration that opens more than its area fails a test.
 */
const areas: Readonly<Record<string, readonly [read: Permission, change?: Permission]>> = {
  '/v1/users/admin': ['USERS_READ', 'USERS_EDIT'],
  '/v1/users/admin/roles': ['USERS_READ', 'ROLES_EDIT'],
  '/v1/proxies/connections/admin': ['CONNECTIONS_READ', 'CONNECTIONS_EDIT'],
  '/v1/support/admin': ['TICKETS_READ', 'TICKETS_EDIT'],
  '/v1/payments/admin': ['PAYMENTS_READ', 'PAYMENTS_EDIT'],
  '/v1/approvals/admin/settlements': ['PAYMENTS_READ', 'PAYMENTS_EDIT'],
  '/v1/transactions/admin': ['TRANSACTIONS_READ', 'TRANSACTIONS_WRITE'],
  '/v1/approvals/admin/adjustments': ['TRANSACTIONS_READ', 'TRANSACTIONS_WRITE'],
  '/v1/referral-system/promo-codes/admin': ['PROMO_CODES_READ', 'PROMO_CODES_WRITE'],
  '/v1/approvals/admin/promo-codes': ['PROMO_CODES_READ', 'PROMO_CODES_WRITE'],
  '/v1/faqs/admin': ['FAQ_READ', 'FAQ_WRITE'],
  '/v1/faqs/admin/{id}': ['FAQ_READ', 'FAQ_EDIT'],
  '/v1/notifications/admin': ['NOTIFICATIONS_READ', 'NOTIFICATIONS_WRITE'],
  '/v1/notifications/admin/broadcasts': ['MASS_NOTIFICATIONS_READ', 'MASS_NOTIFICATIONS_WRITE'],
  '/v1/proxies/admin': ['PROXIES_READ', 'PROXIES_EDIT'],
  '/v1/nodes/admin': ['NODES_READ', 'NODES_EDIT'],
  '/v1/system/admin': ['SYSTEM_READ', 'SYSTEM_EDIT'],
  '/v1/audit-log/admin': ['AUDIT_READ'],
};

/** Endpoints that need something else than their area; `any`: at least one of all permissions. */
export const exceptions: Readonly<Record<string, Permission | 'any'>> = {
  'GET /v1/search/admin': 'any',
  'GET /v1/dashboard/admin': 'any',
  'GET /v1/dashboard/admin/attention': 'any',
  'GET /v1/approvals/admin/settlements/allowance': 'PAYMENTS_EDIT',
  'GET /v1/approvals/admin/adjustments/allowance': 'TRANSACTIONS_WRITE',
  'GET /v1/approvals/admin/promo-codes/allowance': 'PROMO_CODES_WRITE',
  'POST /v1/users/admin/{id}/views': 'USERS_VIEW_AS',
  'POST /v1/users/admin/views/{id}/end': 'USERS_VIEW_AS',
  'POST /v1/proxies/connections/admin/{id}/refund': 'TRANSACTIONS_WRITE',
  'GET /v1/support/admin/tickets/{id}/balance': 'USERS_READ',
  'GET /v1/support/admin/tickets/{id}/connections': 'CONNECTIONS_READ',
  'PUT /v1/support/admin/tickets/{id}/assignee': 'TICKETS_MSG_WRITE',
  'POST /v1/support/admin/tickets/{id}/messages': 'TICKETS_MSG_WRITE',
  'POST /v1/support/admin/tickets/{id}/files': 'TICKETS_MSG_WRITE',
  'POST /v1/support/admin/tickets/{id}/notes': 'TICKETS_MSG_WRITE',
  'DELETE /v1/faqs/admin/{id}': 'FAQ_DELETE',
  'GET /v1/proxies/admin/selection': 'PROXIES_EDIT',
};

/** @param endpoint such as `GET /v1/users/admin` @returns undefined if it is not for staff */
export function neededPermission(endpoint: string): Permission | 'any' | undefined {
  const [method, url = ''] = endpoint.split(' ');
  const area = Object.keys(areas)
    .filter((address) => `${url}/`.startsWith(`${address}/`))
    .toSorted((one, other) => other.length - one.length)[0];
  return exceptions[endpoint] ?? (area === undefined ? undefined : areas[area]?.[method === 'GET' ? 0 : 1]);
}
