/** The API program: serves HTTP. */
import { buildApp } from './app.ts';
import { isDatabaseUnavailable } from './db/database-connection.ts';
import { startMailSink } from './dev/mail-sink.ts';
import { startHeartbeat } from './modules/gateway/heartbeat.service.ts';
import { keepWitness } from './modules/invoices/witness.service.ts';
import { requireMatch } from './modules/installation/installation.service.ts';
import { runProcess } from './process/process-lifecycle.ts';
import { startDemoFarm } from './seed/demo-farm.ts';

await runProcess('api', async (ctx) => {
  await requireMatch(ctx).catch((error: unknown) => {
    // Readiness asks again.
    if (!isDatabaseUnavailable(error)) throw error;
  });
  const app = await buildApp(ctx);
  // Started before the first request can send a mail.
  const mailSink = ctx.config.smtpUrl === undefined ? await startMailSink(ctx.config.mailSinkPort, ctx.log) : undefined;
  const stopFarm = await startDemoFarm(ctx);
  // From the first request on, it knows whether the file is there.
  const stopWitness = keepWitness(ctx);
  await app.listen({ host: ctx.config.host, port: ctx.config.port });
  await app.listeners.listenInternally();
  const stopHeartbeat = startHeartbeat(ctx);
  return async () => {
    stopWitness();
    stopHeartbeat();
    await app.close();
    await mailSink?.stop();
    await stopFarm();
  };
});
