import { startTestPostgres } from './test-postgres.ts';

/** The end-to-end tests pass POSTGRES_URL to `cloneDatabase`. */
export default async function setup() {
  const { url, stop } = await startTestPostgres();
  process.env['POSTGRES_URL'] = url;
  return stop;
}
