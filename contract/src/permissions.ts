/** The permissions of the product specification, section 6; after them those of screens that it does not contain. */
export const permissions = [
  'USERS_READ',
  'USERS_EDIT',
  'CONNECTIONS_READ',
  'TICKETS_READ',
  'TICKETS_EDIT',
  'TICKETS_MSG_WRITE',
  'PAYMENTS_READ',
  'PAYMENTS_EDIT',
  'PROMO_CODES_READ',
  'PROMO_CODES_WRITE',
  'TRANSACTIONS_READ',
  'TRANSACTIONS_WRITE',
  'FAQ_READ',
  'FAQ_WRITE',
  'FAQ_EDIT',
  'FAQ_DELETE',
  'NOTIFICATIONS_READ',
  'NOTIFICATIONS_WRITE',
  'MASS_NOTIFICATIONS_READ',
  'MASS_NOTIFICATIONS_WRITE',
  'CONNECTIONS_EDIT',
  'PROXIES_READ',
  'PROXIES_EDIT',
  'NODES_READ',
  'NODES_EDIT',
  'SYSTEM_READ',
  'SYSTEM_EDIT',
  'AUDIT_READ',
  'ROLES_EDIT',
  'USERS_VIEW_AS',
] as const;

export type Permission = (typeof permissions)[number];

export function isPermission(value: string): value is Permission {
  return permissions.some((permission) => permission === value);
}

/** The initial roles of an installation. Staff may change them, except ADMIN, which always holds all permissions. */
export const seededRoles: Record<string, readonly Permission[]> = {
  USER: [],
  SUPPORT: [
    'USERS_READ',
    'CONNECTIONS_READ',
    'TICKETS_READ',
    'TICKETS_EDIT',
    'TICKETS_MSG_WRITE',
    'FAQ_READ',
    'NOTIFICATIONS_READ',
  ],
  FINANCE: [
    'USERS_READ',
    'PAYMENTS_READ',
    'PAYMENTS_EDIT',
    'TRANSACTIONS_READ',
    'TRANSACTIONS_WRITE',
    'PROMO_CODES_READ',
  ],
  ADMIN: permissions,
};

/** USER is the role of customers and has no permissions; ADMIN always has all. */
export const fixedRoles = ['USER', 'ADMIN'] as const;
