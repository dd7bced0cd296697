/**
 * Imported first, before any schema is declared: zod would try whether it may compile schemas with `new Function`, which the page's
 * Content Security Policy forbids, and each attempt is an error in the console. This is where `z.config({ jitless: true })` writes, without
 * the kilobyte of zod's core in the code that every page loads first; e2e/console.long.spec.ts notices if zod moves it.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
