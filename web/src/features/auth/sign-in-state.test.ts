import { describe, expect, it } from 'vitest';
import { FIRST_STEP, nextSignInState, type SignInState } from './sign-in-state.ts';

const credentials = { email: 'a@b.co', password: 'long enough' };
const afterPassword = nextSignInState(FIRST_STEP, { type: 'CODE_REQUIRED', credentials });

describe('nextSignInState', () => {
  it('requires a code of the app first, and keeps the credentials', () => {
    expect(afterPassword).toEqual({ step: 'SECOND_FACTOR', credentials, method: 'APP' });
  });

  it('switches between app and recovery code without a new password', () => {
    const recovering = nextSignInState(afterPassword, { type: 'METHOD_CHOSEN', method: 'RECOVERY_CODE' });
    expect(recovering).toEqual({ step: 'SECOND_FACTOR', credentials, method: 'RECOVERY_CODE' });
    expect(nextSignInState(recovering, { type: 'METHOD_CHOSEN', method: 'APP' })).toEqual(afterPassword);
  });

  it('removes the password when the user goes back', () => {
    expect(nextSignInState(afterPassword, { type: 'CANCELLED' })).toEqual({ step: 'CREDENTIALS' });
  });

  it('has no method before a code is required', () => {
    const state: SignInState = nextSignInState(FIRST_STEP, { type: 'METHOD_CHOSEN', method: 'RECOVERY_CODE' });
    expect(state).toBe(FIRST_STEP);
  });
});
