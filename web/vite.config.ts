import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { leanContract } from './build/contract-plugin.ts';
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

/**
 * Few files: over HTTP/1.1 six travel at a time, and each costs a round trip. Of each group all that it imports goes along,
 * unless a group above it has it.
 */
const chunkGroups = [
  {
    name: 'base',
    test: /[\\/](?:react-dom[\\/]client\.js|src[\\/](?:i18n[\\/]setup|lib[\\/]settings|app[\\/]layout[\\/]switchers|limits|units|errors)\.tsx?)$/,
  },
  { name: 'forms', test: /[\\/](?:zod|react-hook-form|@hookform)[\\/]|\?schemas$/ },
  { name: 'app', test: /[\\/]app[\\/]router\.tsx$/ },
  { name: 'member', test: /[\\/]app[\\/]layout[\\/]member-layout\.tsx$/ },
  { name: 'lists', test: /[\\/]src[\\/]ui[\\/]|[\\/]features[\\/]connections[\\/]connection-access\.tsx$/ },
  { name: 'choices', test: /[\\/](?:Multi)?Select\.mjs$/ },
].map((group, index, groups) => ({ ...group, priority: groups.length - index }));

export default defineConfig({
  plugins: [react(), landingAtRoot, leanContract(), mantineStyles()],
  server: { proxy: { '/v1': api, '/docs': api, '/dev': api } },
  build: {
    manifest: true,
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'landing.html'],
      output: { codeSplitting: { groups: chunkGroups } },
    },
    // Flags and fonts stay files of their own: inlined they would all be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
