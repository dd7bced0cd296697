import { toLocalTime } from './server-clock.ts';
import { type StoredValue, storedValue } from './stored-value.ts';

/** `accessTokenExpiredAt`: epoch milliseconds of this device's clock. */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  accessTokenExpiredAt: number;
}

/** The shape of the API's answers to sign-in and refresh. */
interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  expiredAccessTokenAt: number;
}

export const tokens: StoredValue<StoredTokens> = storedValue<StoredTokens>('tokens', isStoredTokens);

export function saveTokens({ accessToken, refreshToken, expiredAccessTokenAt }: IssuedTokens): StoredTokens {
  const stored = { accessToken, refreshToken, accessTokenExpiredAt: toLocalTime(expiredAccessTokenAt) };
  tokens.set(stored);
  return stored;
}

export function hasTokens(): boolean {
  return tokens.get() !== undefined;
}

function isStoredTokens(value: unknown): value is StoredTokens {
  if (typeof value !== 'object' || value === null) return false;
  const { accessToken, refreshToken, accessTokenExpiredAt } = value as Record<string, unknown>;
  return (
    typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof accessTokenExpiredAt === 'number'
  );
}
