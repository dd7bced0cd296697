/** Product specification, section 6, and CONNECTIONS_EDIT, which lets staff end a customer's connection. */
export const permissions = [
  'USERS_READ',
  'USERS_EDIT',
  'CONNECTIONS_READ',
  'CONNECTIONS_EDIT',
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
] as const;

export type Permission = (typeof permissions)[number];

/** The initial roles of an installation; they are stored in the database and may be changed there. */
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
