import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { bootScripts } from './build/boot-plugin.ts';
import { mantineStyles } from './build/mantine-styles-plugin.ts';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

/** What the API does for the built files: the landing page has a file of its own. */
const landingAtRoot: Plugin = {
  name: 'landing-at-root',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      if (/^\/(?:\?|$)/.test(request.url ?? '')) request.url = '/landing.html';
      next();
    });
  },
};

/** @returns a test of module ids: those that end with a pattern, and modules of src/ */
function anyOf(...wanted: (RegExp | string)[]): RegExp {
  const patterns = wanted.map((each) =>
    typeof each === 'string' ? String.raw`[\\/]src[\\/]${each.replaceAll('/', String.raw`[\\/]`)}\.tsx?` : each.source,
  );
  return new RegExp(`(?:${patterns.join('|')})$`);
}

/**
 * Few files: over HTTP/1.1 six travel at a time, and each costs a round trip. Of each group all that it imports goes along,
 * unless a group above it has it.
 */
const landing = [
  'i18n/setup',
  'lib/settings',
  'lib/format',
  'lib/report-error',
  'lib/use-document-title',
  'app/layout/switchers',
  'ui/logo',
  'features/landing/landing-page',
];
const chunkGroups = [
  // What the landing page loads, and what of the contract needs no zod.
  {
    name: 'base',
    test: anyOf(
      /react-dom[\\/]client\.js|contract[\\/]src[\\/](?:client|units|[\w-]+\.plain)\.ts|app[\\/]global\.css/,
      ...landing,
    ),
  },
  { name: 'forms', test: anyOf(/[\\/](?:zod|react-hook-form|@hookform)[\\/].*/) },
  {
    name: 'app',
    test: anyOf(
      'app/router',
      'lib/late-styles',
      'lib/http',
      'lib/error-text',
      'lib/use-seconds-left',
      'ui/plain-field',
      'ui/plain-button',
    ),
  },
  // The frame, and what nearly every screen in it shows.
  {
    name: 'member',
    test: anyOf(
      'app/layout/member-layout',
      'ui/data-table',
      'ui/list-state',
      'ui/country-flag',
      'features/proxies/api',
    ),
  },
  // What most screens but the first are made of.
  { name: 'controls', test: anyOf(/[\\/](?:Stack|Text|Group|Button|Skeleton)\.mjs/) },
  // What opens, which a first visit does without until it is idle.
  {
    name: 'popups',
    test: anyOf(
      /[\\/](?:MultiSelect|Select|Tooltip)\.mjs/,
      'ui/dialog',
      'ui/copyable',
      'ui/facts',
      'app/layout/account-menu-items',
      'app/layout/menu-drawer',
      'features/notifications/notifications-popup',
      'features/proxies/filter-choices',
      'ui/flag-tooltip',
    ),
  },
].map((group, index, groups) => ({ ...group, priority: groups.length - index }));

export default defineConfig({
  plugins: [react(), landingAtRoot, bootScripts(), mantineStyles()],
  server: { proxy: { '/v1': api, '/docs': api, '/dev': api } },
  build: {
    manifest: true,
    // For browsers that need it the files would come in their turn, and all others would load it first.
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'landing.html'],
      output: { codeSplitting: { groups: chunkGroups } },
    },
    // Flags and fonts stay files of their own: inlined they would all be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
