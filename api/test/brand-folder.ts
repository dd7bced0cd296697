import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PNG_SIGNATURE } from '../src/files/png.ts';

/** @returns the beginning of a PNG of this size */
export function picture(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([PNG_SIGNATURE, Buffer.from('0000000d49484452', 'hex'), size]);
}

export const svg = (viewBox: string, content = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${content}</svg>`;

/** A folder for BRAND_IMAGES_FOLDER with all required files and a wide logo. */
export function createBrandFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'brand-'));
  writeBrandImages(folder);
  return folder;
}

export function writeBrandImages(folder: string): void {
  const write = (name: string, content: Buffer | string) => writeFileSync(path.join(folder, name), content);
  write('logo.svg', svg('0 0 120 30'));
  write('favicon.svg', svg('0 0 32 32'));
  write('favicon.ico', Buffer.from('000001000100', 'hex'));
  for (const side of [180, 192, 512]) write(`icon-${side}.png`, picture(side, side));
  write('social-image.png', picture(1200, 630));
}
