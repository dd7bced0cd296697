import { approveAdjustment, approveSettlement } from '@cellhop/contract/staff/approvals';
import { listUnassignedPayments } from '@cellhop/contract/staff/invoices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { newInvoice, pay, send, watch } from '../../../test/sandbox-payments.ts';
import { adjust, offer, settle } from '../../../test/staff-requests.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { deleteUser } from '../user-administration/deletion.service.ts';

let testApp: TestApp;
let staff: TestUser;
let second: TestUser;
let admin: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  staff = await createUser(testApp, { roleName: 'FINANCE' });
  second = await createUser(testApp, { roleName: 'FINANCE' });
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  await createUser(testApp, { roleName: 'ADMIN' });
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

async function remove(user: TestUser): Promise<void> {
  const { userId, sessionId, accountId } = { userId: admin.id, sessionId: admin.id, accountId: admin.accountId };
  const actor = {
    userId,
    sessionId,
    accountId,
    languageCode: 'en' as const,
    permissions: new Set<never>(),
    isSecondFactorDue: false,
  };
  const requester = { ip: '::1', userAgent: undefined, requestId: 'test' };
  await deleteUser(testApp.ctx, actor, user.id, { reason: 'they asked for it' }, requester);
}

const decision = (id: string) => ({ params: { id }, body: {} });
const refusal = { status: 409, code: 'ACCOUNT_DELETED' };

describe('staff never credit a deleted account', () => {
  test('by a correction, a settlement or a promo code', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    const [asked, settled] = [await adjust(staff, user, 500), await settle(staff, await newInvoice(user, 'LTC', 150))];
    await remove(user);
    await expect(adjust(staff, user, 1)).rejects.toMatchObject(refusal);
    await expect(settle(staff, invoice)).rejects.toMatchObject(refusal);
    await expect(second.call(approveAdjustment, decision(asked.id))).rejects.toMatchObject(refusal);
    await expect(second.call(approveSettlement, decision(settled.id))).rejects.toMatchObject(refusal);
    await expect(offer(admin, user)).rejects.toMatchObject({ code: 'REFERRAL_NOT_FOUND' });
    expect(await balanceOf(testApp, user)).toBe(0n);
  });
});

describe('a payment on a chain to a deleted account', () => {
  test('is recorded and listed as unassigned, and not credited', async () => {
    const user = await createUser(testApp);
    const invoice = await newInvoice(user);
    await remove(user);
    await pay(testApp, invoice);
    expect(await balanceOf(testApp, user)).toBe(0n);
    const { data } = await staff.call(listUnassignedPayments, { query: {} });
    expect(data).toMatchObject([
      { currency: 'BTC', amountInCurrency: '0.00025000', state: 'FINAL', address: invoice.address, userId: user.id },
    ]);
    const support = await createUser(testApp, { roleName: 'SUPPORT' });
    await expect(support.call(listUnassignedPayments, { query: {} })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('does not keep others from being credited', async () => {
    const [gone, user] = [await createUser(testApp), await createUser(testApp)];
    const [lost, invoice] = [await newInvoice(gone), await newInvoice(user)];
    await remove(gone);
    await send(testApp, lost);
    await watch(testApp, 'BTC');
    await pay(testApp, invoice);
    expect(await balanceOf(testApp, user)).toBe(25_000_000n);
  });
});
