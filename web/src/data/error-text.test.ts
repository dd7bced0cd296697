import { ApiError } from '@cellhop/contract/client';
import { errorCodes } from '@cellhop/contract/errors';
import i18next from 'i18next';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import en from '../i18n/locales/en/common.json' with { type: 'json' };
import enStaff from '../i18n/locales/en/staff.json' with { type: 'json' };
import ru from '../i18n/locales/ru/common.json' with { type: 'json' };
import ruStaff from '../i18n/locales/ru/staff.json' with { type: 'json' };
import { errorText, toWaitSeconds } from './error-text.ts';
import { currentSettings, loadSettings } from './settings.ts';

beforeAll(() =>
  i18next.init({
    lng: 'en',
    defaultNS: 'common',
    resources: { en: { common: en, staff: enStaff }, ru: { common: ru, staff: ruStaff } },
  }),
);

type Texts = Partial<Record<string, string>>;
const enTexts: Texts = { ...enStaff.errors, ...en.errors };
const ruTexts: Texts = { ...ruStaff.errors, ...ru.errors };

describe('errorText', () => {
  it.each(errorCodes)('has a text for %s in each language', (code) => {
    expect(enTexts[code]).toBeTruthy();
    expect(ruTexts[code]).toBeTruthy();
    expect(errorText(new ApiError(400, code, 'prose of the server'))).toBe(enTexts[code]);
  });

  it('has no text for a code that does not exist', () => {
    const codes = [...Object.keys(en.errors), ...Object.keys(enStaff.errors)];
    expect(codes.sort()).toEqual([...errorCodes, 'NETWORK', 'TIMEOUT'].sort());
  });

  it('shows how long to wait if the server says so', () => {
    const refusal = new ApiError(429, 'RATE_LIMITED', 'Too many requests', undefined, 61);
    expect(errorText(refusal)).toBe('Too many attempts. Try again in 2 minutes');
  });

  it('shows blocked users the contact address, if there is one', async () => {
    const refusal = new ApiError(403, 'ACCOUNT_BLOCKED', 'Account is blocked');
    expect(errorText(refusal)).toBe(en.errors.ACCOUNT_BLOCKED);
    const data = { ...currentSettings(), contactEmail: 'help@example.com' };
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data })));
    await loadSettings();
    expect(errorText(refusal)).toBe(en.accountBlocked.replace('{{email}}', 'help@example.com'));
    vi.unstubAllGlobals();
  });

  it('shows a generic text for unknown errors', () => {
    expect(errorText(new Error('stack and all'))).toBe('An error occurred, please try again later');
  });
});

describe('waitSecondsOf', () => {
  it('reads the seconds after the dash', () => {
    expect(toWaitSeconds(new ApiError(429, 'RESEND_INTERVAL', 'Small interval resend code - 47'))).toBe(47);
    expect(toWaitSeconds(new ApiError(429, 'RESEND_LIMIT', 'Limit resend code'))).toBe(0);
  });
});
