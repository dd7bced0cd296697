import i18next from 'i18next';
import { expect, it } from 'vitest';
import { audienceWords } from './audience-words.ts';

it('names each filter, or all users', () => {
  const t = i18next.getFixedT<['staffContent', 'common']>('en', ['staffContent', 'common']);
  expect(audienceWords({}, t)).toEqual(['All active users']);
  const audience = {
    status: 'BLOCKED',
    isConfirmed: false,
    languageCode: 'ru',
    roleName: 'USER',
    hasOpenConnection: false,
    balanceFrom: 0,
    balanceBelow: 12.5,
    userIds: ['one', 'two'],
  } as const;
  expect(audienceWords({ ...audience, userIds: [...audience.userIds] }, t)).toEqual([
    'Blocked users',
    'Email not confirmed',
    'Language: Русский',
    'Role: USER',
    'Without an active connection',
    'Balance from $0.00',
    'Balance below $12.50',
    '2 selected users',
  ]);
});
