import { beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const OPENAI = 1;
const ANTHROPIC = 14;
const VERTEX = 42;
/** Of the right shape, but unable to sign. */
const badKey = JSON.stringify({ client_email: 'a@b.iam.gserviceaccount.com', private_key: 'no PEM' });

/** Calls that never reach the upstream. */
onOneDatabase('calls that cannot be sent', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeEach(async () => {
    await db().updateTable('channels').set({ status: 2 }).execute();
    who = await addCaller(db());
  });

  const settled = async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  };

  test('what a provider cannot be asked for is refused and leaves no trace', async () => {
    await addChannel(hub(), upstream().url, { name: 'claude', type: ANTHROPIC });
    const answer = await post(hub(), who.key, { ...hello, n: 2 });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param: 'n' });
    expect(await rowsOf(db(), who)).toEqual([]);
    await settled();
  });

  test('a channel that can be asked for it takes it', async () => {
    await addChannel(hub(), upstream().url, { name: 'claude', type: ANTHROPIC, priority: 9 });
    const other = await addChannel(hub(), upstream().url, { name: 'gpt', type: OPENAI, priority: 1 });
    expect((await post(hub(), who.key, { ...hello, n: 2 })).status).toBe(200);
    expect(await rowsOf(db(), who)).toMatchObject([{ channel_id: other, failed: false }]);
    await settled();
  });

  test('a key that yields no token fails the call, which costs nothing', async () => {
    const id = await addChannel(hub(), '', {
      name: 'vertex',
      type: VERTEX,
      other: 'global|project',
      key: badKey,
    });
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(502);
    expect(errorOf(answer).code).toBe('upstream_rejected');
    expect(await rowsOf(db(), who)).toMatchObject([
      {
        channel_id: id,
        quota: 0,
        failed: true,
        metadata: { attempts: [{ status: 0, result: 'key_unusable', next: 'no_other_channel' }] },
      },
    ]);
    await settled();
  });

  test('another channel answers in its place', async () => {
    await addChannel(hub(), '', {
      name: 'vertex',
      type: VERTEX,
      other: 'global|project',
      key: badKey,
      priority: 9,
    });
    const other = await addChannel(hub(), upstream().url, { name: 'gpt', priority: 1 });
    expect((await post(hub(), who.key, { ...hello, stream: true })).status).toBe(200);
    expect(await rowsOf(db(), who)).toMatchObject([{ channel_id: other, failed: false }]);
    await settled();
  });
});
