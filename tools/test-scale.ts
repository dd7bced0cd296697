/**
 * How many cases a test goes through: `usual` of them in `npm test`, `many` in `npm run test:long`, which runs the tests with the tag
 * `long`.
 */
export const scaled = (usual: number, many: number): number => (process.env['TEST_LONG'] === '1' ? many : usual);
