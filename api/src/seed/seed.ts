/** Initial data: the roles and, in development, a demo. */
import type { Ctx } from '../ctx.ts';
import { DEMO_PROMO_CODE } from '../process/config.ts';
import { hashPassword, knownUser } from '../modules/auth/passwords.ts';
import * as ledger from '../modules/ledger/ledger.service.ts';
import { ensureCounts } from '../modules/proxies/proxies.service.ts';
import { updateSums } from '../modules/dashboard/sums.service.ts';
import { createUser } from '../modules/users/users.service.ts';
import { seedHistory } from './demo-history.ts';
import { DEMO_CUSTOMER } from './demo-plan.ts';
import { seedFaq } from './demo-faq.ts';
import { seedProxies } from './demo-proxies.ts';
import { seedRoles } from './roles.ts';
import * as store from './seed.store.ts';

const DEMO_PASSWORD = 'demo-password';
const DEMO_BALANCE_MICROS = 25_000_000n;
/** With DEMO_DATA=large. */
const HISTORY_USERS = 200;

/** Idempotent; may run at every start and from several processes. */
export async function seed(ctx: Ctx): Promise<void> {
  const passwordHash = ctx.config.isDevelopment ? await hashPassword(DEMO_PASSWORD, knownUser('seed')) : undefined;
  // One transaction, so that an interrupted start leaves no incomplete demo.
  const isNew = await ctx.tx(async (ctx) => {
    await store.lockSeeding(ctx);
    await seedRoles(ctx);
    if (passwordHash === undefined || (await store.hasUsers(ctx))) return false;
    await seedDemo(ctx, passwordHash);
    ctx.log.info('demo accounts and catalogue created');
    return true;
  });
  // The catalogue's filter must work before the worker has counted.
  await ensureCounts(ctx);
  if (isNew) await updateSums(ctx);
}

async function seedDemo(ctx: Ctx, passwordHash: string): Promise<void> {
  const admin = await demoUser(ctx, passwordHash, 'admin@example.com', 'ADMIN', null);
  await store.insertPromoCode(ctx, DEMO_PROMO_CODE, admin.id, ctx.config.trialCreditMicros);
  const support = await demoUser(ctx, passwordHash, 'support@example.com', 'SUPPORT', admin.id);
  await seedProxies(ctx);
  await seedFaq(ctx);
  if (ctx.config.demoData === 'large') {
    const finance = await demoUser(ctx, passwordHash, 'finance@example.com', 'FINANCE', admin.id);
    const staff = { adminId: admin.id, supportId: support.id, financeId: finance.id };
    const history = { passwordHash, ...staff, users: HISTORY_USERS };
    await seedHistory(ctx, { ...history, customerEmail: DEMO_CUSTOMER });
    return;
  }
  const user = await demoUser(ctx, passwordHash, DEMO_CUSTOMER, 'USER', admin.id);
  await ledger.post(ctx, [
    {
      idempotencyKey: `seed:${DEMO_CUSTOMER}`,
      debitAccountId: ledger.systemAccounts.external,
      creditAccountId: user.accountId,
      amountMicros: DEMO_BALANCE_MICROS,
      reason: 'TOP_UP',
    },
  ]);
}

async function demoUser(
  ctx: Ctx,
  passwordHash: string,
  email: string,
  roleName: string,
  referrerId: string | null,
): Promise<{ id: string; accountId: bigint }> {
  const user = await createUser(ctx, {
    email,
    passwordHash,
    roleName,
    referrerId,
    promoCodeId: null,
    languageCode: 'en',
    isEmailConfirmed: true,
  });
  if (!user) throw new Error(`${email} exists in a database without users`);
  return user;
}
