/** Payments on a chain of the test that are credited, lost in a reorganisation, and mined again. */
import type { Invoice } from '@cellhop/contract/invoices';
import * as states from '../src/modules/invoices/chain-states.store.ts';
import { watchChain } from '../src/modules/invoices/watch.service.ts';
import type { TestUser } from './factories.ts';
import { newInvoice } from './sandbox-payments.ts';
import type { ScriptedChain } from './scripted-chain.ts';
import type { TestApp } from './test-app.ts';

/** $25 at the rate of the sandbox. */
const UNITS = 25_000n;
export const BLOCKS_UNTIL_FINAL = 4;

export type ChainPayment = ReturnType<ScriptedChain['send']>;

export function paymentsOn(chain: ScriptedChain, testApp: TestApp) {
  const watch = () => watchChain(testApp.ctx, 'bitcoin', chain);

  const confirm = async (payment: ChainPayment): Promise<void> => {
    chain.mine([payment]);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL - 1);
    await watch();
  };

  /** Pays an invoice of $25, whatever the amount, and credits it. */
  const credit = async (user: TestUser, units = UNITS): Promise<{ invoice: Invoice; payment: ChainPayment }> => {
    const invoice = await newInvoice(user);
    await watch();
    const payment = chain.send({ asset: 'BTC', address: invoice.address, units });
    await confirm(payment);
    return { invoice, payment };
  };

  /** Removes the blocks since the payment from the chain; another transaction spends its coins. */
  const orphan = async (payment: ChainPayment): Promise<void> => {
    chain.reorganise(BLOCKS_UNTIL_FINAL);
    chain.drop(payment);
    chain.mineEmpty(BLOCKS_UNTIL_FINAL + 1);
    await watch();
    chain.mineEmpty(1);
    await watch();
    await states.resume(testApp.ctx, 'bitcoin');
  };

  return { watch, confirm, credit, orphan };
}

/** Gives the referrer the level Silver: a bonus of 10 % this month. */
export async function raiseToSilver(testApp: TestApp, referrer: TestUser, payer: TestUser): Promise<void> {
  const { id } = await newInvoice(payer, 'LTC');
  await testApp.database.query(
    `insert into referral_payments (invoice_id, referrer_id, paid_at)
     values ($1, $2, date_trunc('month', now(), 'UTC') - interval '1 second')`,
    [id, referrer.id],
  );
}
