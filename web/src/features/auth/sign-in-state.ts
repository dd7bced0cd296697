export interface Credentials {
  email: string;
  password: string;
}

/** How the user proves the second factor. */
export type SecondFactorMethod = 'APP' | 'RECOVERY_CODE';

/** Steps of the sign-in. Valid credentials lead to the second step, which sends them again with the code. */
export type SignInState =
  | { step: 'CREDENTIALS' }
  | { step: 'SECOND_FACTOR'; credentials: Credentials; method: SecondFactorMethod };

export type SignInEvent =
  | { type: 'CODE_REQUIRED'; credentials: Credentials }
  | { type: 'METHOD_CHOSEN'; method: SecondFactorMethod }
  | { type: 'CANCELLED' };

export const FIRST_STEP: SignInState = { step: 'CREDENTIALS' };

export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case 'CODE_REQUIRED':
      return { step: 'SECOND_FACTOR', credentials: event.credentials, method: 'APP' };
    case 'METHOD_CHOSEN':
      return state.step === 'SECOND_FACTOR' ? { ...state, method: event.method } : state;
    case 'CANCELLED':
      return FIRST_STEP;
  }
}
