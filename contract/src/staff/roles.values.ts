/** USER is the role of customers and has no permissions; ADMIN always has all. */
export const fixedRoles = ['USER', 'ADMIN'] as const;

/** More users of a role are not counted. */
export const ROLE_USERS_COUNTED_MAX = 1000;
