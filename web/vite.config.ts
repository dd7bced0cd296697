import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/v1': api, '/docs': api, '/dev': api } },
  build: {
    manifest: true,
    target: 'es2022',
    // Flags and fonts stay files of their own: inlined they would all be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
