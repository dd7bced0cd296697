/** The API program: serves HTTP until it is told to stop. */
import { buildApp } from './app.ts';
import { startMailSink } from './dev/mail-sink.ts';
import { runProgram } from './program.ts';

await runProgram('api', async (ctx) => {
  const app = await buildApp(ctx);
  // Before the first request can cause a mail.
  const mailSink = ctx.config.smtpUrl === undefined ? await startMailSink(ctx.config.mailSinkPort, ctx.log) : undefined;
  await app.listen({ host: ctx.config.host, port: ctx.config.port });
  return async () => {
    await app.close();
    await mailSink?.stop();
  };
});
