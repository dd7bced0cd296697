import { describe, expect, it } from 'vitest';
import { ensureChromium, ensureHeadlessShell } from './chromium.mjs';

/** A browser that exists only after its installation. */
function installable(file: string) {
  let installed: string | undefined;
  return { find: () => installed, install: () => void (installed = file) };
}

const install = () => {};
const otherwise = () => '/opt/chromium';

describe('the browser of the end-to-end tests', () => {
  it('is the headless shell, installed if possible, and otherwise Chromium', () => {
    const found = { find: () => '/opt/shell', install: () => expect.unreachable(), otherwise };
    expect(ensureHeadlessShell(found)).toBe('/opt/shell');
    expect(ensureHeadlessShell({ ...installable('/opt/new-shell'), otherwise })).toBe('/opt/new-shell');
    expect(ensureHeadlessShell({ find: () => undefined, install, otherwise })).toBe('/opt/chromium');
  });

  it('is the Chromium that is found or newly installed, and otherwise a sentence says what to do', () => {
    expect(ensureChromium({ find: () => '/opt/chromium', install })).toBe('/opt/chromium');
    expect(ensureChromium(installable('/opt/new-chromium'))).toBe('/opt/new-chromium');
    expect(() => ensureChromium({ find: () => undefined, install })).toThrow(
      /need Chromium: install it, or set CHROMIUM/,
    );
  });
});
