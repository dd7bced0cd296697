export interface Credentials {
  email: string;
  password: string;
}

/** What the reader proves with that he has his second factor. */
export type SecondFactorMethod = 'APP' | 'RECOVERY_CODE';

/** Where the reader stands on the way in. Only the right credentials lead to the second step, which sends them again. */
export type SignInState =
  | { step: 'CREDENTIALS' }
  | { step: 'SECOND_FACTOR'; credentials: Credentials; method: SecondFactorMethod };

export type SignInEvent =
  | { type: 'CODE_ASKED'; credentials: Credentials }
  | { type: 'METHOD_CHOSEN'; method: SecondFactorMethod }
  | { type: 'LEFT' };

export const FIRST_STEP: SignInState = { step: 'CREDENTIALS' };

export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case 'CODE_ASKED':
      return { step: 'SECOND_FACTOR', credentials: event.credentials, method: 'APP' };
    case 'METHOD_CHOSEN':
      return state.step === 'SECOND_FACTOR' ? { ...state, method: event.method } : state;
    case 'LEFT':
      return FIRST_STEP;
  }
}
