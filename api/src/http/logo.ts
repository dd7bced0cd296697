/** The logo in the headers of pages that the API renders, as web/src/ui/logo.tsx. */
import { escapeHtml } from '../mail/layout.ts';
import type { Config } from '../process/config.ts';
import { findLogo } from './brand-images.ts';

/** Of an installation. */
export type Brand = Pick<Config, 'brandName' | 'brandImagesFolder'>;

const BUILT_IN = `<svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true"><path class="cell" d="M16 1.5 28.6 8.75v14.5L16 30.5 3.4 23.25V8.75z"/><path class="hop" d="M9 20.5c0-9.5 14-9.5 14 0"/><circle class="start" cx="9" cy="20.5" r="2.7"/><circle class="end" cx="23" cy="20.5" r="2.7"/></svg>`;

/** @returns HTML: the operator's own, with the name unless it has the name in it */
export function logoHtml({ brandName, brandImagesFolder }: Brand): string {
  const logo = findLogo(brandImagesFolder);
  const name = `<span>${escapeHtml(brandName)}</span>`;
  if (logo === null) return BUILT_IN + name;
  const image = (file: string, theme: string) =>
    `<img src="/${file}.svg" alt="${logo.isWide ? escapeHtml(brandName) : ''}" class="${theme}">`;
  const images = image('logo', logo.hasDark ? 'light' : '') + (logo.hasDark ? image('logo-dark', 'dark') : '');
  return logo.isWide ? images : images + name;
}
