/** The API program: serves HTTP until it is told to stop. */
import { buildApp } from './app.ts';
import { runProgram } from './program.ts';

await runProgram('api', async (ctx) => {
  const app = await buildApp(ctx);
  await app.listen({ host: ctx.config.host, port: ctx.config.port });
  ctx.log.info({ port: ctx.config.port }, 'listening');
  return () => app.close();
});
