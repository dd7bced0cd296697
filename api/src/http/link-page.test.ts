import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createBrandFolder, svg } from '../../test/brand-folder.ts';
import { linkPage } from './link-page.ts';

const wide = createBrandFolder();
const square = createBrandFolder();
writeFileSync(path.join(square, 'logo.svg'), svg('0 0 32 32'));
writeFileSync(path.join(square, 'logo-dark.svg'), svg('0 0 32 32'));
afterAll(() => [wide, square].forEach((folder) => rmSync(folder, { recursive: true })));

const brandName = 'Rohr & Post';
const headerOf = (brandImagesFolder: string | undefined) =>
  /<header.*<\/header>/s.exec(linkPage('en', { brandName, brandImagesFolder }, { title: 'Title', text: 'Text' }))![0];

test('a page that a mail links to has the logo of Cellhop beside the name of the brand', () => {
  expect(headerOf(undefined)).toMatch(/<svg .*<\/svg><span>Rohr &#38; Post<\/span>/);
});

test("a page that a mail links to has the operator's own logo, which replaces the name if it is wide", () => {
  const header = headerOf(wide);
  expect(header).toContain('<img src="/logo.svg" alt="Rohr &#38; Post" class="">');
  expect(header).not.toContain('<span>');
  const both = '<img src="/logo.svg" alt="" class="light"><img src="/logo-dark.svg" alt="" class="dark">';
  expect(headerOf(square)).toContain(`${both}<span>Rohr &#38; Post</span>`);
});
