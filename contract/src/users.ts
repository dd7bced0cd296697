import { z } from 'zod';
import { deleteAccountBody } from './auth.forms.ts';
import { endpoint } from './endpoint.ts';
import { permissions } from './permissions.ts';
import { referralLevels } from './referrals.values.ts';
import { data, dollarsSchema, idSchema, languageCodeSchema } from './schemas.ts';

export const userStatusSchema = z.enum(['ACTIVE', 'BLOCKED', 'DELETED']);
export type UserStatus = z.infer<typeof userStatusSchema>;

export const profileSchema = z.object({
  id: idSchema,
  email: z.string(),
  balance: dollarsSchema,
  referralLevel: z.enum(referralLevels),
  languageCode: languageCodeSchema,
  referralCode: z.string(),
  /** DUE: this role must switch two-factor sign-in on before any of its permissions works. */
  secondFactor: z.enum(['OFF', 'ON', 'DUE']),
  role: z.object({ name: z.string(), permissions: z.array(z.enum(permissions)) }),
});
export type Profile = z.infer<typeof profileSchema>;

export const getProfile = endpoint({
  method: 'GET',
  url: '/v1/profile',
  access: 'user',
  summary: 'The signed-in user',
  response: data(profileSchema),
});

/** Later emails and confirmation pages are in this language. */
export const updateProfile = endpoint({
  method: 'PATCH',
  url: '/v1/profile',
  access: 'user',
  summary: "Change the user's language",
  body: z.strictObject({ languageCode: languageCodeSchema }),
  response: data(profileSchema),
});

export const deleteAccount = endpoint({
  method: 'POST',
  url: '/v1/profile/delete',
  access: 'user',
  summary:
    "Delete the user's account: connections and sessions end, and a hash replaces the email; ledger and receipts stay",
  body: deleteAccountBody,
  response: data(z.object({ isDeleted: z.literal(true) })),
  errors: [
    'WRONG_PASSWORD',
    'SECOND_FACTOR_REQUIRED',
    'SECOND_FACTOR_INVALID',
    'BALANCE_NOT_ZERO',
    'LAST_ADMINISTRATOR',
    'CHANGED_ELSEWHERE',
    'RATE_LIMITED',
  ],
});

export const exportOwnData = endpoint({
  method: 'GET',
  url: '/v1/profile/export',
  access: 'user',
  summary: 'What the shop stores about the user, as JSON: lists contain their newest rows; no passwords',
  response: z.string(),
  isExport: true,
});
