import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { bootScripts } from './build/boot-plugin.ts';
import { mantineStyles } from './build/mantine-styles-plugin.ts';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

/** Serves landing.html at `/`, like the API does for the built files. */
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
 * Every screen is a separate chunk, because the router imports it lazily, and Rolldown splits the code that screens share.
 * By default that results in 80 small files for the first screen. So the code of a first visit is grouped, with all its
 * imports (except those of a group above): the start of each page, and the shell with the screen after sign-in. Two groups
 * of libraries are separate: those of forms, and the Mantine components that the first screen does not use.
 */
const chunkGroups = [
  { name: 'landing', test: inSource(String.raw`app/start-landing\.tsx`) },
  // With lib/ and the files of the contract without schemas, which screens of visitors and of signed-in users share. The helpers of
  // charts and files are loaded with the screens that have them.
  {
    name: 'app',
    test: inSource(
      String.raw`(?:app/start-app\.tsx|lib/(?!day|download-text|scale|spreadsheet)[\w-]+\.ts|ui/plain-[\w-]+\.tsx|(?:client|limits|units|(?!company)[\w-]+\.plain)\.ts)`,
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
    // Browsers without support load the files later; with the polyfill, all other browsers would load it first.
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'landing.html'],
      // Constants of contract/src/limits.ts are in the files that use them, not all in the first one.
      optimization: { inlineConst: { mode: 'all' } },
      output: { codeSplitting: { groups: chunkGroups } },
    },
    // Flags and fonts stay separate files: inlined they would be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
