import i18next, { type TFunction } from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { deviceText, isPhone } from './device-text.ts';

let inEnglish: TFunction<'user'>;
let inRussian: TFunction<'user'>;

beforeAll(async () => {
  inEnglish = i18next.getFixedT('en', 'user');
  inRussian = i18next.getFixedT('ru', 'user');
});

it('keeps names and translates words', () => {
  expect(deviceText('Firefox on Windows', inEnglish)).toBe('Firefox on Windows');
  expect(deviceText('Firefox on Windows', inRussian)).toBe('Firefox, Windows');
});

it('shows the known part if the other is unknown', () => {
  expect(deviceText('curl', inRussian)).toBe('curl');
  expect(deviceText('Unknown device', inEnglish)).toBe('Unknown device');
  expect(deviceText('Unknown device', inRussian)).toBe('Неизвестное устройство');
});

it('supports phones and tablets', () => {
  expect(['Safari on iPhone', 'Safari on iPad', 'Chrome on Android'].every(isPhone)).toBe(true);
  expect(['Safari on macOS', 'curl', 'Unknown device'].some(isPhone)).toBe(false);
});
