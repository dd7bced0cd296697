/**
 * Files in messages of tickets, from both sides.
 * @module-tag thorough
 */
import { answerTicket, closeAnyTicket, listAnyTicketMessages } from '@cellhop/contract/staff/tickets';
import { startView } from '@cellhop/contract/staff/view-as';
import { readAnyTicketFile, readTicketFile, uploadAnswerFile, uploadTicketFile } from '@cellhop/contract/ticket-files';
import { createTicket, listTicketMessages, sendTicketMessage } from '@cellhop/contract/tickets';
import { deleteAccount, exportOwnData } from '@cellhop/contract/users';
import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { jpeg, pdf, png, zip } from '../../../test/pictures.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteUnsentFiles } from './ticket-files.service.ts';

const MB = 1_048_576;

let testApp: TestApp;
let user: TestUser;
let support: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  [user, support] = [await createUser(testApp), await createUser(testApp, { roleName: 'SUPPORT' })];
});
afterAll(() => testApp.stop());

const open = async (owner = user) =>
  (await owner.call(createTicket, { body: { name: 'It is slow', description: 'Since this morning.' } })).data.id;
const toFile = (content: Buffer | string) => ({
  file: { type: 'image/png', content: new Blob([Uint8Array.from(Buffer.from(content))]) },
});
const upload = async (id: string, content: Buffer | string, name = 'a.png', by = user) =>
  (await by.call(uploadTicketFile, { params: { id }, query: { name } }, toFile(content))).data;
const write = (id: string, fileIds: string[], by = user) =>
  by.call(sendTicketMessage, { params: { id }, body: { content: 'See the picture', fileIds } });
const get = (path: string, by: Pick<TestUser, 'headers'>) =>
  fetch(`${testApp.url}${path}`, { headers: by.headers as Record<string, string> });
/** Text that does not compress, so that nothing makes it smaller. */
const textOf = (bytes: number) => randomBytes(bytes / 2).toString('hex');

describe('a file', () => {
  test('is sent with a message, and both sides read it', async () => {
    const id = await open();
    const files = [await upload(id, png(), 'C:\\screens\\Снимок "1".PNG'), await upload(id, pdf(), '../../bill')];
    expect(files).toMatchObject([
      { name: 'Снимок 1.png', type: 'image/png', size: png().length },
      { name: 'bill.pdf', type: 'application/pdf' },
    ]);
    expect((await write(id, [files[0]!.id, files[1]!.id])).data.files).toEqual(files);
    expect((await user.call(listTicketMessages, { params: { id }, query: {} })).data[0]!.files).toEqual(files);
    const { data } = await support.call(listAnyTicketMessages, { params: { id }, query: {} });
    expect(data[0]!.files).toEqual(files);

    const params = { id };
    const answer = await support.call(
      uploadAnswerFile,
      { params, query: { name: 'how-to.txt' } },
      { file: { type: 'text/html', content: 'Step 1' } },
    );
    const { data: answered } = await support.call(answerTicket, {
      params,
      body: { content: 'Like this', fileIds: [answer.data.id] },
    });
    expect(answered.files).toEqual([answer.data]);
    expect(await user.call(readTicketFile, { params: { id, fileId: answer.data.id } })).toBe('Step 1');
    expect(await support.call(readAnyTicketFile, { params: { id, fileId: answer.data.id } })).toBe('Step 1');
    const entries = `select details ->> 'fileId' as id from audit_log where action = 'TICKET_FILE_UPLOADED' and actor_id = $1`;
    expect(await testApp.database.query(entries, [support.id])).toEqual([{ id: answer.data.id }]);
  });

  test('is an attachment that browsers neither show, guess the type of, nor run', async () => {
    const id = await open();
    const { id: fileId } = await upload(id, jpeg(), "it's (1).jpg");
    await write(id, [fileId]);
    for (const [path, by] of [
      [`/v1/support/tickets/${id}/files/${fileId}`, user],
      [`/v1/support/admin/tickets/${id}/files/${fileId}`, support],
    ] as const) {
      const { headers, status } = await get(path, by);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/jpeg');
      expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''it%27s%20%281%29.jpg");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("sandbox;default-src 'none';frame-ancestors 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('of a foreign ticket is not found, neither to read, to upload to nor to send', async () => {
    const [id, other] = [await open(), await createUser(testApp)];
    const { id: fileId } = await upload(id, png());
    const missing = { code: 'NOT_FOUND' };
    await expect(upload(id, png(), 'a.png', other)).rejects.toMatchObject(missing);
    await expect(write(await open(other), [fileId], other)).rejects.toMatchObject(missing);
    await expect(write(await open(), [fileId])).rejects.toMatchObject(missing);
    // Not even support sees it before it is sent.
    await expect(support.call(readAnyTicketFile, { params: { id, fileId } })).rejects.toMatchObject(missing);
    await write(id, [fileId]);
    await expect(write(id, [fileId])).rejects.toMatchObject(missing);
    await expect(other.call(readTicketFile, { params: { id, fileId } })).rejects.toMatchObject(missing);
    const elsewhere = { id: await open(other), fileId };
    await expect(other.call(readTicketFile, { params: elsewhere })).rejects.toMatchObject(missing);
    await expect(support.call(readAnyTicketFile, { params: elsewhere })).rejects.toMatchObject(missing);
  });

  test('is read with the permission for tickets alone, and not by staff who see the app as the user', async () => {
    const [finance, admin] = [
      await createUser(testApp, { roleName: 'FINANCE' }),
      await createUser(testApp, { roleName: 'ADMIN' }),
    ];
    const id = await open();
    const { id: fileId } = await upload(id, png());
    await write(id, [fileId]);
    const params = { id, fileId };
    await expect(finance.call(readAnyTicketFile, { params })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(user.call(readAnyTicketFile, { params })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const view = await admin.call(startView, { params: { id: user.id }, body: { reason: 'they asked for help' } });
    const headers = { authorization: `Bearer ${view.data.accessToken}` };
    const path = `/v1/support/tickets/${id}/files/${fileId}`;
    expect((await fetch(`${testApp.url}${path}`, { headers })).status).toBe(403);
    expect((await fetch(`${testApp.url}${path}`)).status).toBe(401);
  });

  test('is refused with the reason, also under another name and type', async () => {
    const id = await open();
    for (const [content, code] of [
      ['<svg onload="alert(1)"/>', 'FILE_NOT_SUPPORTED'],
      [zip(), 'FILE_NOT_SUPPORTED'],
      [Buffer.concat([png(), zip()]), 'FILE_DAMAGED'],
      [png({ rows: Buffer.alloc(5_000_000) }), 'FILE_DAMAGED'],
      [png({ width: 50_000 }), 'PICTURE_TOO_LARGE'],
      [textOf(5 * MB + 2), 'PAYLOAD_TOO_LARGE'],
      ['', 'VALIDATION'],
    ] as const)
      await expect(upload(id, content)).rejects.toMatchObject({ code });
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } }).catch(() => undefined);
  });

  test('is not taken by a closed ticket', async () => {
    const id = await open();
    await support.call(closeAnyTicket, { params: { id }, body: { status: 'CLOSED' } });
    await expect(upload(id, png())).rejects.toMatchObject({ code: 'TICKET_CLOSED' });
  });

  test('that never ends is broken off at 5 MB, and its slot is free again', async () => {
    const id = await open();
    const socket = connect(Number(new URL(testApp.url).port), '127.0.0.1');
    socket.on('error', () => {});
    const path = `/v1/support/tickets/${id}/files?name=endless.txt`;
    const { authorization } = user.headers;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: shop\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString('latin1')));
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    // A client that goes on sending may lose the answer with the connection.
    for (let sent = 0; sent < 6 * MB; sent += 0x10000) socket.write(chunk);
    await expect.poll(() => answer !== '' || socket.destroyed).toBe(true);
    expect(answer).toMatch(/^(?:HTTP\/1\.1 413 |$)/);
    socket.destroy();
    await expect.poll(() => testApp.app.ticketUploads.count).toBe(0);
    expect((await upload(id, png())).type).toBe('image/png');
  });
});

describe('limits', () => {
  test('of ten uploads at once of one user, one is read and nine wait', async () => {
    const owner = await createUser(testApp);
    const id = await open(owner);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        upload(id, textOf(MB), 'a.txt', owner).then(
          () => 'STORED',
          (error: { code: string; retryAfterSeconds?: number }) => [error.code, error.retryAfterSeconds],
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'STORED').length).toBeGreaterThanOrEqual(1);
    for (const outcome of outcomes.filter((each) => each !== 'STORED')) expect(outcome).toEqual(['RATE_LIMITED', 10]);
    expect(testApp.app.ticketUploads.count).toBe(0);
  });

  test('three files a message, each of this author and once', async () => {
    const id = await open();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await upload(id, png())).id);
    await expect(write(id, ids)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(write(id, [randomUUID()])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(
      support.call(answerTicket, { params: { id }, body: { content: 'Mine', fileIds: [ids[0]!] } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await write(id, ids.slice(0, 3))).data.files).toHaveLength(3);
  });

  test('a repeated message is the same only with the same files', async () => {
    const id = await open();
    const [first, second] = [await upload(id, png()), await upload(id, pdf())];
    const send = (fileIds: string[]) =>
      user.call(
        sendTicketMessage,
        { params: { id }, body: { content: 'See', fileIds } },
        { headers: { 'idempotency-key': id } },
      );
    const { data } = await send([first.id]);
    expect((await send([first.id])).data).toEqual(data);
    for (const other of [[], [second.id], [first.id, second.id]])
      await expect(send(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('20 MB a ticket, whoever sends them', async () => {
    const id = await open();
    for (let count = 0; count < 4; count++) await write(id, [(await upload(id, textOf(5 * MB), 'a.txt')).id]);
    await expect(upload(id, png())).rejects.toMatchObject({ code: 'FILES_FULL' });
    await expect(
      support.call(uploadAnswerFile, { params: { id }, query: { name: 'a' } }, toFile(png())),
    ).rejects.toMatchObject({ code: 'FILES_FULL' });
  });

  test('a customer has 100 MB in all tickets, and what is not sent counts', async () => {
    const owner = await createUser(testApp);
    const id = await open(owner);
    await upload(id, png(), 'a.png', owner);
    // As if it were 100 MB.
    await testApp.database.query('update ticket_files set size = $2 where author_id = $1', [owner.id, 100 * MB]);
    await expect(upload(await open(owner), png(), 'a.png', owner)).rejects.toMatchObject({ code: 'FILES_FULL' });
  });

  test('all files together are limited by a setting', async () => {
    testApp.ctx.config.ticketFilesBytes = 0;
    await expect(upload(await open(), png())).rejects.toMatchObject({ code: 'FILES_FULL' });
    testApp.ctx.config.ticketFilesBytes = 2048 * MB;
  });

  test('files that are not sent: the newest six stay, for a day', async () => {
    const owner = await createUser(testApp);
    const id = await open(owner);
    for (let count = 0; count < 8; count++) await upload(id, png(), `${count}.png`, owner);
    const names = async () =>
      (
        await testApp.database.query<{ name: string }>(
          'select name from ticket_files where author_id = $1 order by number',
          [owner.id],
        )
      ).map(({ name }) => name);
    expect(await names()).toEqual(['2.png', '3.png', '4.png', '5.png', '6.png', '7.png']);
    await testApp.database.query(
      `update ticket_files set created_at = created_at - interval '1 day' where author_id = $1 and name < '6.png'`,
      [owner.id],
    );
    await deleteUnsentFiles(testApp.ctx);
    expect(await names()).toEqual(['6.png', '7.png']);
  });
});

test('the files of both sides are in the export of the data, and are deleted with the account', async () => {
  const owner = await createUser(testApp);
  const id = await open(owner);
  await write(id, [(await upload(id, png(), 'a.png', owner)).id], owner);
  const answer = await support.call(uploadAnswerFile, { params: { id }, query: { name: 'b' } }, toFile('Step 1'));
  await support.call(answerTicket, { params: { id }, body: { content: 'So', fileIds: [answer.data.id] } });
  const { ticketFiles } = JSON.parse(await owner.call(exportOwnData, {})) as { ticketFiles: unknown[] };
  expect(ticketFiles).toMatchObject([
    { name: 'a.png', ticketId: id, content: png().toString('base64') },
    { name: 'b.txt', content: Buffer.from('Step 1').toString('base64') },
  ]);
  await owner.call(deleteAccount, { body: { password: PASSWORD } });
  expect(await testApp.database.query('select from ticket_files where ticket_id = $1', [id])).toEqual([]);
  await expect(
    support.call(uploadAnswerFile, { params: { id }, query: { name: 'c' } }, toFile('late')),
  ).rejects.toMatchObject({ code: 'ACCOUNT_DELETED' });
});
