import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server's own database: give it to `cloneDatabase`. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject) {
  const { url, stop } = await startTestPostgres();
  project.provide('postgresUrl' satisfies keyof ProvidedContext, url);
  return stop;
}
