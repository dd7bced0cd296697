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

/**
 * Every screen is a file of its own, because the router imports it when it is wanted, and Rolldown splits what screens
 * share. Left alone that makes 80 small files for the first one. So what a visit begins with is put together, with all that
 * it imports (unless a group above has it): each page's start, and the frame with the screen after sign-in. Of the libraries
 * two are kept apart: what forms need, and the controls that the first screen does without.
 */
const chunkGroups = [
  { name: 'landing', test: inSource(String.raw`app/start-landing\.tsx`) },
  // With all of lib/ and the half of the contract that has no schemas: screens of visitors and of members find them there.
  {
    name: 'app',
    test: inSource(
      String.raw`(?:app/start-app\.tsx|lib/[\w-]+\.ts|ui/plain-[\w-]+\.tsx|(?:client|limits|units|[\w-]+\.plain)\.ts)`,
    ),
  },
  { name: 'forms', test: /[\\/](?:zod|react-hook-form|@hookform|src[\\/]lib[\\/]forms)[\\/]/ },
  { name: 'member', test: inSource(String.raw`app/(?:layout/member-layout|screens/proxies-screen)\.tsx`) },
  { name: 'controls', test: /[\\/](?:@mantine|@floating-ui)[\\/]/, minShareCount: 2 },
].map((group, index, groups) => ({ ...group, priority: groups.length - index }));

/** @param path a pattern of paths within the src/ of the web app or of the contract, with slashes */
function inSource(path: string): RegExp {
  return new RegExp(`/src/${path}$`.replaceAll('/', String.raw`[\\/]`));
}

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
