import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { BULK_USERS_MAX, EMAIL_LENGTH_MAX, EXPORT_ROWS_MAX } from '../limits.ts';
import { referralLevels } from '../referrals.values.ts';
import {
  data,
  dateInputSchema,
  dateSchema,
  dollarsSchema,
  idParams,
  idSchema,
  languageCodeSchema,
  listQuery,
  listed,
  reasonSchema,
  versionSchema,
} from '../schemas.ts';
import { userStatusSchema } from '../users.ts';
import { roleNameSchema } from './roles.ts';
import { accountRelations, blockRefusals, EMAIL_PART_LENGTH_MIN, userSorts } from './lists.values.ts';

export type UserSort = (typeof userSorts)[number];

export const listedUserSchema = z.object({
  id: idSchema,
  email: z.string(),
  isConfirmedEmail: z.boolean(),
  status: userStatusSchema,
  balance: dollarsSchema,
  referralLevel: z.enum(referralLevels),
  role: z.object({ name: z.string() }),
  languageCode: languageCodeSchema,
  referralCode: z.string(),
  createdAt: dateSchema,
});
export type ListedUser = z.infer<typeof listedUserSchema>;

export const staffUserSchema = listedUserSchema.extend({
  deletedAt: dateSchema.nullable(),
  /** The referrer. */
  referral: z.object({ id: idSchema, email: z.string() }).nullable(),
  /** The promo code of the sign-up. */
  promoCode: z.string().nullable(),
  hasSecondFactor: z.boolean(),
  /** When a reset of it that staff have asked for takes place, unless the user stops it; null: none is open. */
  secondFactorResetAt: dateSchema.nullable(),
  version: versionSchema,
});
export type StaffUser = z.infer<typeof staffUserSchema>;

const usersFilter = {
  /** The users whom this one has referred. */
  referralId: idSchema.optional(),
  /** Part of the email. */
  email: z.string().trim().min(EMAIL_PART_LENGTH_MIN).max(EMAIL_LENGTH_MAX).optional(),
  status: userStatusSchema.optional(),
  role: roleNameSchema.optional(),
  isConfirmed: z.enum(['true', 'false']).optional(),
  /** Inclusive. */
  createdFrom: dateInputSchema.optional(),
  /** Exclusive. */
  createdTo: dateInputSchema.optional(),
};
export const usersQuery = z.strictObject({
  ...listQuery,
  ...usersFilter,
  sort: z.enum(userSorts).default('-createdAt'),
});
export type UsersQuery = z.infer<typeof usersQuery>;

export const listUsers = endpoint({
  method: 'GET',
  url: '/v1/users/admin',
  access: { permission: 'USERS_READ' },
  summary: 'All users, or those that match all given filters',
  query: usersQuery,
  response: listed(listedUserSchema),
});

export const exportUsers = endpoint({
  method: 'GET',
  url: '/v1/users/admin/export',
  access: { permission: 'USERS_READ' },
  summary: `The users that match all given filters as a CSV file, newest first; at most ${EXPORT_ROWS_MAX}`,
  query: z.strictObject(usersFilter),
  response: z.string(),
});

export const getUser = endpoint({
  method: 'GET',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_READ' },
  summary: 'A user',
  params: idParams,
  response: data(staffUserSchema),
  errors: ['NOT_FOUND'],
});

/** An account that may belong to the same person as another one. */
const relatedUserSchema = listedUserSchema.extend({ relation: z.enum(accountRelations) });
export type RelatedUser = z.infer<typeof relatedUserSchema>;

export const listRelatedUsers = endpoint({
  method: 'GET',
  url: '/v1/users/admin/{id}/related',
  access: { permission: 'USERS_READ' },
  summary: 'Accounts with the same normalized address, and as a weak hint those that signed in from the same networks',
  params: idParams,
  response: z.object({
    data: z.array(relatedUserSchema),
    /** There are more: a network of a carrier has thousands of users. */
    isTruncated: z.boolean(),
  }),
  errors: ['NOT_FOUND'],
});

/** At most LISTED_ROWS_MAX, which stands for more as well; null if the caller may not read the list. */
const rowCount = z.int().nonnegative().nullable();
const userCountsSchema = z.object({
  referrals: rowCount,
  related: rowCount,
  connections: rowCount,
  invoices: rowCount,
  tickets: rowCount,
  promoCodes: rowCount,
  transactions: rowCount,
  notifications: rowCount,
  mails: rowCount,
});
export type UserCounts = z.infer<typeof userCountsSchema>;

export const countUserLists = endpoint({
  method: 'GET',
  url: '/v1/users/admin/{id}/counts',
  access: { permission: 'USERS_READ' },
  summary: 'How many rows the lists of a user have',
  params: idParams,
  response: data(userCountsSchema),
  errors: ['NOT_FOUND'],
});

/** `reason` is kept in the audit log; the user does not see it. */
export const changeUserStatusBody = z.strictObject({
  status: z.enum(['ACTIVE', 'BLOCKED']),
  reason: reasonSchema,
  version: versionSchema.optional(),
});
export type ChangeUserStatusBody = z.infer<typeof changeUserStatusBody>;

export const changeUserStatus = endpoint({
  method: 'PATCH',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_EDIT' },
  summary: 'Block a user, which ends their connections as DISCONNECT_ADMIN, or unblock them',
  params: idParams,
  body: changeUserStatusBody,
  response: data(staffUserSchema),
  errors: ['NOT_FOUND', 'PERMISSION_LACKING', 'LAST_ADMINISTRATOR', 'CHANGED_ELSEWHERE'],
});

export const blockUsersBody = z.strictObject({
  userIds: z.array(idSchema).min(1).max(BULK_USERS_MAX),
  reason: reasonSchema,
});
export type BlockUsersBody = z.infer<typeof blockUsersBody>;

const blockedUserSchema = z.object({
  userId: idSchema,
  /** UNCHANGED: they were blocked before. */
  outcome: z.enum(['BLOCKED', 'UNCHANGED', 'REFUSED']),
  /** Null unless it is refused. */
  refusal: z.enum(blockRefusals).nullable(),
});
export type BlockedUser = z.infer<typeof blockedUserSchema>;

export const blockUsers = endpoint({
  method: 'POST',
  url: '/v1/users/admin/block',
  access: { permission: 'USERS_EDIT' },
  summary: 'Block several users, one after another, as `PATCH` blocks one; a repeated request changes nothing',
  body: blockUsersBody,
  response: data(z.array(blockedUserSchema)),
});

const changeUserRoleBody = z.strictObject({
  role: roleNameSchema,
  reason: reasonSchema,
  version: versionSchema.optional(),
});
export type ChangeUserRoleBody = z.infer<typeof changeUserRoleBody>;

export const resetSecondFactor = endpoint({
  method: 'POST',
  url: '/v1/users/admin/{id}/second-factor-reset',
  access: { permission: 'USERS_EDIT' },
  summary:
    "Reset a customer's second factor a day after an email that lets them stop it; a repeated request changes nothing",
  params: idParams,
  body: z.strictObject({ reason: reasonSchema, version: versionSchema.optional() }),
  response: data(staffUserSchema),
  errors: [
    'NOT_FOUND',
    'PERMISSION_LACKING',
    'STAFF_SECOND_FACTOR',
    'ACCOUNT_BLOCKED',
    'SECOND_FACTOR_OFF',
    'CHANGED_ELSEWHERE',
  ],
});

export const changeUserRole = endpoint({
  method: 'PATCH',
  url: '/v1/users/admin/{id}/role',
  access: { permission: 'USERS_EDIT' },
  summary: 'Give a user another role. Neither of the two may have a permission that the caller lacks',
  params: idParams,
  body: changeUserRoleBody,
  response: data(staffUserSchema),
  errors: ['NOT_FOUND', 'OWN_ROLE', 'PERMISSION_LACKING', 'LAST_ADMINISTRATOR', 'CHANGED_ELSEWHERE'],
});

const deleteUserBody = z.strictObject({ reason: reasonSchema, version: versionSchema.optional() });
export type DeleteUserBody = z.infer<typeof deleteUserBody>;

export const deleteUser = endpoint({
  method: 'DELETE',
  url: '/v1/users/admin/{id}',
  access: { permission: 'USERS_EDIT' },
  summary: 'Delete an account without a balance: connections and sessions end, and a hash replaces the email',
  params: idParams,
  body: deleteUserBody,
  response: data(staffUserSchema),
  errors: ['NOT_FOUND', 'PERMISSION_LACKING', 'LAST_ADMINISTRATOR', 'BALANCE_NOT_ZERO', 'CHANGED_ELSEWHERE'],
});
