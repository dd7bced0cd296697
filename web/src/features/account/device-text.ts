import type { TFunction } from 'i18next';

/** The server returns "Firefox on Windows" or "Unknown device"; names stay, words are translated. */
export function deviceText(device: string, t: TFunction<'user'>): string {
  const [browser, system] = device.split(' on ');
  if (browser === undefined || browser === 'Unknown device') return t('sessions.unknownDevice');
  return system === undefined ? browser : t('sessions.device', { browser, system });
}

export function isPhone(device: string): boolean {
  return /\b(?:Android|iOS|iPhone|iPad)\b/i.test(device);
}
