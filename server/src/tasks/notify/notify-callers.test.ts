import { optionApi, profileApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { startSite, type LocalSite, type SiteReply, type SiteRequest } from '#testing/elsewhere/local-site.ts';
import { taskWorld } from '../testing/task-world.ts';
import { forgetNotifications, planNotifications, sendNotifications } from './notify-callers.ts';
import { webhookHeaders, webhookSecret } from './webhook-secret.ts';

test('a notification is signed so that another library accepts it, and nothing that was altered', async () => {
  const secretKey = 'a data key of at least 32 characters';
  const body = '{"id":"evt_1"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = webhookHeaders(secretKey, 7, { id: 'msg_1', timestamp, body });
  const { webhooks } = new OpenAI({ apiKey: 'none' });
  await webhooks.verifySignature(body, headers, webhookSecret(secretKey, 7));
  for (const [text, secret] of [
    [`${body} `, webhookSecret(secretKey, 7)],
    [body, webhookSecret(secretKey, 8)],
    [body, webhookSecret(`${secretKey}!`, 7)],
  ] as const)
    await expect(webhooks.verifySignature(text, headers, secret)).rejects.toThrow();
});

onOneDatabase('notifications of callers', (make) => {
  const { hub, deps, row, submit, until, poll } = taskWorld(make, {
    // Addresses allowed for operators are not open to callers.
    OUTBOUND_PRIVATE: 'allow',
  });
  let who: TestCaller;
  let site: LocalSite;
  let received: SiteRequest[] = [];
  let answer: SiteReply = {};

  const set = (values: Record<string, string | null>) => hub().root.call(optionApi.setMany, { body: { values } });

  beforeEach(async () => {
    who = await addCaller(deps().db, { quota: 100_000_000 });
    received = [];
    answer = {};
    site = await startSite((request) => {
      received.push(request);
      return answer;
    });
    await set({ ChatImagePrivateNetworks: '127.0.0.1', ServerAddress: 'https://hub.example' });
  });
  afterEach(async () => {
    await site.close();
    await deps().db.deleteFrom('task_notifications').execute();
  });

  /** Plans and sends as two nodes at once, until nothing is due. */
  async function notify(): Promise<void> {
    const nodes = [deps(), { ...deps(), nodeId: 'another node' }];
    await Promise.all(nodes.map((node) => planNotifications(node)));
    await Promise.all(nodes.map((node) => sendNotifications(node)));
  }
  const rows = async (taskId: string) =>
    deps()
      .db.selectFrom('task_notifications')
      .where('task', '=', (await row(taskId)).id)
      .selectAll()
      .orderBy('id')
      .execute();
  const due = (taskId: string) =>
    row(taskId).then(({ id }) =>
      deps()
        .db.updateTable('task_notifications')
        .set({ next_at: 1 })
        .where('task', '=', id)
        .where('next_at', '>', 0)
        .execute(),
    );
  const states = () => received.map(({ body }) => `${String(body['status'])} ${String(body['progress'])}`);
  const ids = () => received.map(({ headers }) => String(headers['webhook-id']));

  test('each newer state of a picture is announced once by two nodes, signed and without the vendor’s address', async () => {
    const id = await submit(who, { prompt: 'a cat', notifyHook: `${site.url}/hook`, state: 'mine' });
    await notify();
    await expect.poll(states).toEqual(['SUBMITTED 0%']);
    await poll();
    await until(id, 'IN_PROGRESS');
    await notify();
    await until(id, 'SUCCESS');
    await notify();
    await expect.poll(states).toEqual(['SUBMITTED 0%', 'IN_PROGRESS 50%', 'SUCCESS 100%']);
    await notify();
    expect(new Set(ids()).size).toBe(3);
    const last = received.at(-1)!; // three are there
    expect(last).toMatchObject({ method: 'POST', path: '/hook', body: { id, state: 'mine' } });
    expect(String(last.body['imageUrl'])).toMatch(new RegExp(`^https://hub.example/mj/image/${id}\\?expires=`));
    expect(JSON.stringify(last)).not.toMatch(/cdn\.example|image-key/);
    expect(await rows(id)).toMatchObject([
      { attempts: 1 },
      { attempts: 1 },
      { attempts: 1, is_final: true, failure: '' },
    ]);
  });

  test('of songs only the end is announced', async () => {
    const id = await submit(who, { prompt: 'a song', notify_hook: `${site.url}/song` }, '/suno/submit/music');
    await notify();
    await until(id, 'SUCCESS');
    await notify();
    await expect.poll(() => received.map(({ body }) => [body['task_id'], body['status']])).toEqual([[id, 'SUCCESS']]);
  });

  test('a receiver that fails is asked again with the same id, a newer state replaces the older one, and in the end it is given up', async () => {
    answer = { status: 500 };
    const id = await submit(who, { prompt: 'a cat', notifyHook: `${site.url}/hook` });
    await notify();
    await expect.poll(async () => (await rows(id))[0]?.failure).toBe('status 500');
    const [first] = await rows(id);
    expect(first!.next_at - deps().now()).toBeGreaterThan(7);
    expect(first!.next_at - deps().now()).toBeLessThan(11);
    await due(id);
    await notify();
    await expect.poll(ids).toEqual([first!.message_id, first!.message_id]);
    await until(id, 'SUCCESS');
    await notify();
    await expect.poll(() => states().at(-1)).toBe('SUCCESS 100%');
    expect(await rows(id)).toHaveLength(1);
    for (let n = 0; n < 8; n++) {
      await due(id);
      await notify();
    }
    await expect.poll(async () => (await rows(id))[0]).toMatchObject({ attempts: 6, next_at: 0, delivered_at: 0 });
    await deps().db.updateTable('task_notifications').set({ created_at: 1 }).execute();
    await forgetNotifications(deps());
    expect(await rows(id)).toEqual([]);
  });

  test.each([
    ['a private address', 'http://10.0.0.1/hook', 'outbound.private'],
    ['a metadata service', 'http://169.254.169.254/latest', 'outbound.never'],
    ['no web address', 'file:///etc/passwd', 'outbound.address'],
  ])('%s is not connected to', async (_, hook, failure) => {
    const id = await submit(who, { prompt: 'a cat', notifyHook: hook });
    await notify();
    await expect.poll(async () => (await rows(id))[0]?.failure).toBe(failure);
  });

  test('redirects are not followed, networks of channels are not open to callers, and the operator can turn it off', async () => {
    answer = { status: 302, headers: { location: `${site.url}/elsewhere` } };
    const redirected = await submit(who, { prompt: 'a cat', notifyHook: `${site.url}/hook` });
    await notify();
    await expect.poll(async () => (await rows(redirected))[0]?.failure).toBe('status 302');
    expect(site.requests).toEqual(['/hook']);

    await set({ ChatImagePrivateNetworks: '' });
    const inside = await submit(who, { prompt: 'a cat', notifyHook: `${site.url}/inside` });
    await notify();
    await expect.poll(async () => (await rows(inside))[0]?.failure).toBe('outbound.private');

    await set({ TaskNotifyEnabled: 'false' });
    const off = await submit(who, { prompt: 'a cat', notifyHook: `${site.url}/off` });
    await notify();
    expect(await rows(off)).toEqual([]);
    expect((await row(off)).notified_status).not.toBe('');
    await set({ TaskNotifyEnabled: null });
    expect(site.requests).toEqual(['/hook']);
  });

  test('users read their own secret', async () => {
    const { secret } = await hub().root.call(profileApi.webhookSecret);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(webhookSecret(deps().config.secretKey, who.userId));
  });
});
