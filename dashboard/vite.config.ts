import { fileURLToPath, URL } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The server the development proxy talks to; `AMELIA_DEV` points it elsewhere.
const server = process.env.AMELIA_DEV ?? 'http://127.0.0.1:8420';

// Libraries that change seldom and are needed at once, kept apart so that a new release of our own
// code leaves them in the browser's cache. Everything else is split by the lazy routes.
const core =
  /node_modules\/(react|react-dom|scheduler|react-router|@tanstack\/(react-query|query-core))\//;

export default defineConfig({
  base: '/ui/',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    outDir: 'dist',
    target: 'es2024',
    // An inlined asset would be a `data:` address, which the content policy refuses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'core', test: core }] } },
    },
  },
  // Tests read the demo's log where the server keeps it.
  server: {
    fs: { allow: ['..'] },
    proxy: {
      '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    // The tokens are read as text by their contrast test.
    css: { include: [/tokens\.css/] },
  },
});
