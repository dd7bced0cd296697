import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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

export default defineConfig({
  plugins: [react(), landingAtRoot],
  server: { proxy: { '/v1': api, '/docs': api, '/dev': api } },
  build: {
    manifest: true,
    target: 'es2022',
    rolldownOptions: { input: ['index.html', 'landing.html'] },
    // Flags and fonts stay files of their own: inlined they would all be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
