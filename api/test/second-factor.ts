import { enableSecondFactor, setUpSecondFactor } from '@cellhop/contract/auth';
import { codeAt } from '../src/modules/auth/second-factor-codes.ts';
import { PASSWORD, type TestUser } from './factories.ts';
import type { TestApp } from './test-app.ts';

/** @param steps half minutes from now */
export function codeOf(secret: string, steps = 0): string {
  return codeAt(secret, Math.floor(Date.now() / 30_000) + steps);
}

export interface Authenticator {
  secret: string;
  recoveryCodes: string[];
  /** The code that enabled it. */
  spentCode: string;
  /** Returns an unused code, by resetting the last used step. */
  freshCode: () => Promise<string>;
}

/** Enables two-factor sign-in like the user. */
export async function activateSecondFactor(test: TestApp, user: TestUser): Promise<Authenticator> {
  const { secret } = (await user.call(setUpSecondFactor, { body: { password: PASSWORD } })).data;
  const spentCode = codeOf(secret);
  const { recoveryCodes } = (await user.call(enableSecondFactor, { body: { code: spentCode } })).data;
  return {
    secret,
    recoveryCodes,
    spentCode,
    freshCode: async () => {
      await test.database.query('update second_factors set last_step = 0 where user_id = $1', [user.id]);
      return codeOf(secret);
    },
  };
}

/** A code that is wrong now and in the next minutes. */
export function wrongCode(secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2, 3].map((steps) => codeOf(secret, steps)));
  return Array.from({ length: 10 }, (_, digit) => String(digit).repeat(6)).find((code) => !right.has(code))!;
}
