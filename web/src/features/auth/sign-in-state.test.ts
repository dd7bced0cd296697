import { describe, expect, it } from 'vitest';
import { FIRST_STEP, nextSignInState, type SignInState } from './sign-in-state.ts';

const credentials = { email: 'a@b.co', password: 'long enough' };
const asked = nextSignInState(FIRST_STEP, { type: 'CODE_ASKED', credentials });

describe('nextSignInState', () => {
  it('asks for a code of the app first, and remembers what was right', () => {
    expect(asked).toEqual({ step: 'SECOND_FACTOR', credentials, method: 'APP' });
  });

  it('changes between app and recovery code without asking for the password again', () => {
    const recovering = nextSignInState(asked, { type: 'METHOD_CHOSEN', method: 'RECOVERY_CODE' });
    expect(recovering).toEqual({ step: 'SECOND_FACTOR', credentials, method: 'RECOVERY_CODE' });
    expect(nextSignInState(recovering, { type: 'METHOD_CHOSEN', method: 'APP' })).toEqual(asked);
  });

  it('forgets the password when the reader goes back', () => {
    expect(nextSignInState(asked, { type: 'LEFT' })).toEqual({ step: 'CREDENTIALS' });
  });

  it('knows no method before a code was asked for', () => {
    const state: SignInState = nextSignInState(FIRST_STEP, { type: 'METHOD_CHOSEN', method: 'RECOVERY_CODE' });
    expect(state).toBe(FIRST_STEP);
  });
});
