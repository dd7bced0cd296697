import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { startJobRunner } from './job-runner.ts';
import { cronItems, scheduledTasks } from './schedule.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const due = (minute: number) =>
  cronItems()
    .filter(({ match }) => match({ min: minute, hour: 5, date: 9, month: 3, dow: 1 }))
    .map(({ task }) => task);

test('tasks are due every minute, ten minutes or hour', () => {
  const everyMinute = [
    'usage.record',
    'budgets.watch',
    'margins.count',
    'dashboard.sum',
    'referrals.turn-month',
    'auth.reset-second-factors',
    'approvals.lapse',
    'proxies.fail-abandoned',
    'notifications.mail',
    'exits.watch-failing',
    'jobs.hasten-mails',
  ];
  expect(due(1)).toEqual(everyMinute);
  expect(due(10)).toEqual([...everyMinute, 'jobs.clean-up', 'system.watch-machine']);
  const hourly = [7, 17, 27, 37, 47].flatMap((minute) => due(minute)).filter((task) => !everyMinute.includes(task));
  expect(hourly).toEqual([
    'auth.clean-up',
    'audit-log.clean-up',
    'notifications.clean-up',
    'rates.clean-up',
    'exits.clean-up',
    'connections.clean-up',
    'tickets.clean-up',
  ]);
  expect(Object.keys(scheduledTasks(testApp.ctx))).toEqual(cronItems().map(({ task }) => task));
});

test('the job runner runs due tasks, and leaves no jobs behind', async () => {
  const runner = await startJobRunner(testApp.ctx);
  await expect
    .poll(() => testApp.database.query('select from graphile_worker._private_known_crontabs'))
    .toHaveLength(cronItems().length);
  for (const { task } of cronItems())
    await testApp.database.query('select graphile_worker.add_job($1, $2::json, job_key => $1)', [task, '{"_cron":{}}']);
  await expect.poll(() => testApp.database.query('select last_error from graphile_worker.jobs')).toEqual([]);
  await runner.stop();
  await runner.ended;
});
