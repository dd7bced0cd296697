/** Administrators that the operator makes at the command line: the first one has nobody who could invite him. */
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as users from '../users/users.service.ts';
import * as store from './auth.store.ts';
import { hashEmail, makeLink } from './codes.ts';
import { hashPassword, known } from './passwords.ts';
import { refuseWeakPassword } from './password-rules.ts';
import { switchOff } from './second-factor.store.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { newSecret } from './tokens.ts';

export interface AdministratorOrder {
  email: string;
  /** Undefined: a link is made with which he sets it himself. */
  password: string | undefined;
  /** For one who has lost his authenticator app and his recovery codes. */
  resetsSecondFactor: boolean;
}

export interface MadeAdministrator {
  isNew: boolean;
  /** With it others can sign up. */
  referralCode: string;
  /** Works once, for 30 minutes. */
  passwordLink: string | undefined;
}

/**
 * Makes an account, or gives an existing one the role, confirmed and active. A new password ends its sessions.
 * @throws AppError VALIDATION
 */
export async function makeAdministrator(ctx: Ctx, order: AdministratorOrder): Promise<MadeAdministrator> {
  const { password, resetsSecondFactor } = order;
  const email = order.email.toLowerCase();
  if (password !== undefined) refuseWeakPassword(password, email, ctx.config.brandName);
  // Without one nobody can sign in before the link was used: nobody knows this password.
  const passwordHash = await hashPassword(password ?? newSecret(), known('operator'));
  return ctx.tx(async (ctx) => {
    const existing = await store.findCredentials(ctx, email);
    const userId = existing?.userId ?? (await insert(ctx, email, passwordHash));
    await store.makeAdministrator(ctx, userId);
    if (existing && password !== undefined) {
      await store.updatePassword(ctx, userId, passwordHash);
      await revokeSessionsOfUser(ctx, userId);
    }
    if (resetsSecondFactor) await switchOff(ctx, userId);
    const link =
      password === undefined ? await makeLink(ctx, 'RECOVER_PASSWORD', hashEmail(ctx, email), userId) : undefined;
    await record(ctx, {
      action: 'ADMINISTRATOR_MADE',
      userId,
      client: undefined,
      details: { isNew: !existing, hasNewPassword: password !== undefined, resetsSecondFactor },
    });
    const user = await users.findUser(ctx, userId);
    return { isNew: !existing, referralCode: user!.referralCode, passwordLink: link?.link };
  });
}

async function insert(ctx: Ctx, email: string, passwordHash: string): Promise<string> {
  const user = await users.createUser(ctx, {
    email,
    passwordHash,
    languageCode: 'en',
    roleName: 'ADMIN',
    referrerId: null,
    promoCodeId: null,
    isEmailConfirmed: true,
  });
  if (!user) throw new Error(`${email} belongs to an account that was deleted`);
  return user.id;
}
