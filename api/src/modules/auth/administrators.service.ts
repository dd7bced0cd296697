/** Administrators created at the command line: the first one cannot be invited. */
import type { Ctx } from '../../ctx.ts';
import { record } from '../audit-log/audit-log.service.ts';
import * as users from '../users/users.service.ts';
import * as store from './auth.store.ts';
import { hashEmail, makeLink } from './codes.ts';
import { hashPassword, knownUser } from './passwords.ts';
import { requireStrongPassword } from './password-rules.ts';
import { mailSecondFactorOff } from './security-mails.ts';
import { disableSecondFactor } from './second-factor.store.ts';
import { revokeSessionsOfUser } from './sessions.store.ts';
import { newSecret } from './tokens.ts';

export interface AdministratorRequest {
  email: string;
  /** Undefined: creates a link with which they set it themselves. */
  password: string | undefined;
  /** For administrators who have lost their authenticator app and recovery codes. */
  resetsSecondFactor: boolean;
}

export interface MadeAdministrator {
  isNew: boolean;
  /** Others can sign up with it. */
  referralCode: string;
  /** Works once, for 30 minutes. */
  passwordLink: string | undefined;
}

/**
 * Creates an account, or gives an existing one the role; it is confirmed and active. A new password ends its sessions.
 * @throws AppError VALIDATION
 */
export async function makeAdministrator(ctx: Ctx, request: AdministratorRequest): Promise<MadeAdministrator> {
  const { password, resetsSecondFactor } = request;
  const email = request.email.toLowerCase();
  if (password !== undefined) requireStrongPassword(password, email, ctx.config.brandName);
  // Without a password, a random one that is never shown: sign-in is only possible after the link was used.
  const passwordHash = await hashPassword(password ?? newSecret(), knownUser('operator'));
  return ctx.tx(async (ctx) => {
    const existing = await store.findCredentials(ctx, email);
    const userId = existing?.userId ?? (await insert(ctx, email, passwordHash));
    await store.makeAdministrator(ctx, userId);
    if (existing && password !== undefined) {
      await store.updatePassword(ctx, userId, passwordHash);
      await revokeSessionsOfUser(ctx, userId);
    }
    if (resetsSecondFactor) await disableSecondFactor(ctx, userId);
    if (resetsSecondFactor && existing?.hasSecondFactor === true) await mailSecondFactorOff(ctx, userId);
    const link =
      password === undefined ? await makeLink(ctx, 'RECOVER_PASSWORD', hashEmail(ctx, email), userId) : undefined;
    await record(ctx, {
      action: 'ADMINISTRATOR_MADE',
      userId,
      requester: undefined,
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
