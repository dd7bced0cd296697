/** The API program: serves HTTP until it is told to stop. */
import { buildApp } from './app.ts';
import { startMailSink } from './dev/mail-sink.ts';
import { startListeningSigns } from './modules/gateways/listening.service.ts';
import { runProgram } from './program.ts';

await runProgram('api', async (ctx) => {
  const app = await buildApp(ctx);
  // Before the first request can cause a mail.
  const mailSink = ctx.config.smtpUrl === undefined ? await startMailSink(ctx.config.mailSinkPort, ctx.log) : undefined;
  await app.listen({ host: ctx.config.host, port: ctx.config.port });
  await app.listeners.listenInternally();
  const stopSigns = startListeningSigns(ctx);
  return async () => {
    stopSigns();
    await app.close();
    await mailSink?.stop();
  };
});
