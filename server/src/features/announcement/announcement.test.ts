import { announcementApi, type InputOf, profileApi, role } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { mailAnnouncements } from '#jobs/mail-announcements.ts';
import { addCaller, addKey } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson } from '#testing/people.ts';

type NewAnnouncement = InputOf<typeof announcementApi.create>['body'];

const texts = { en_US: 'We move', ja_JP: '移転します', zh_CN: '搬家' };
const messages = [{ role: 'user', content: 'hi' }];

onEveryDatabase('announcements and maintenance', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let mailbox: Mailbox;
  let key: string;
  beforeAll(async () => {
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example', Language: 'en_US' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o' });
    ({ key } = await addCaller(hub().server.deps.db));
  });
  afterAll(async () => mailbox?.close());
  afterEach(async () => {
    const { data } = await hub().root.call(announcementApi.list, { query: { size: 100 } });
    for (const { id } of data) await hub().root.call(announcementApi.remove, { params: { id } });
  });

  const now = () => hub().server.deps.now();
  const publish = (body: Partial<NewAnnouncement> = {}) =>
    hub().root.call(announcementApi.create, { body: { texts, ...body } });
  const maintain = (from: number, until: number) =>
    publish({ kind: 'maintenance', start_time: now() + from, end_time: now() + until });
  const call = async (by: string, path: string, body?: object, language = 'en-US') => {
    const response = await fetch(hub().url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${by}`,
        'x-api-key': by,
        'content-type': 'application/json',
        'accept-language': language,
      },
    });
    return { status: response.status, wait: Number(response.headers.get('retry-after')), text: await response.text() };
  };
  const chat = (by = key, language?: string) =>
    call(by, '/v1/chat/completions', { model: 'gpt-4o', messages }, language);
  const seen = async (client: ApiClient, language = 'en-US') =>
    (await client.send<{ text: string }[]>('GET', '/api/announcement/current', undefined, {
      'accept-language': language,
    })) as { body: { data: { text: string }[] } };
  const textsSeen = async (...by: Parameters<typeof seen>) => (await seen(...by)).body.data.map(({ text }) => text);

  test.each<[path: string, body: object | undefined, form: object]>([
    [
      '/v1/chat/completions',
      { model: 'gpt-4o', messages },
      { error: { code: 'maintenance', message: expect.stringContaining('We move') } },
    ],
    [
      '/v1/messages',
      { model: 'gpt-4o', messages, max_tokens: 9 },
      { type: 'error', error: { message: expect.stringContaining('We move') } },
    ],
    [
      '/gemini/v1beta/models/gpt-4o:generateContent',
      { contents: [] },
      { error: { message: expect.stringContaining('We move') } },
    ],
    ['/v1/models', undefined, { error: { code: 'maintenance' } }],
  ])('during maintenance %s answers 503 in its own form, with the time left', async (path, body, form) => {
    await maintain(-60, 600);
    const { status, wait, text } = await call(key, path, body);
    expect(status).toBe(503);
    expect(wait).toBeGreaterThan(590);
    expect(wait).toBeLessThanOrEqual(600);
    expect(JSON.parse(text)).toMatchObject(form);
  });

  test('the words are in the language of the request, else of the site', async () => {
    await maintain(-60, 600);
    expect((await chat(key, 'ja')).text).toContain('移転します');
    expect((await chat(key, 'zh-HK')).text).toContain('We move');
    expect((await chat(key, 'fr')).text).toContain('We move');
  });

  test('keys of administrators pass, and an unknown key is still unknown', async () => {
    const { id } = await addAccount(hub(), { role: role.admin, quota: 1_000_000 });
    const admin = await addKey(hub().server.deps.db, id);
    await maintain(-60, 600);
    expect((await chat(admin.key)).status).toBe(200);
    expect((await chat('sk-unknown')).status).toBe(401);
  });

  test('it begins and ends by itself, and at once when it is ended or deleted', async () => {
    const planned = await maintain(600, 1200);
    expect((await chat()).status).toBe(200);
    const { announcements } = hub().server.deps.live;
    expect([599, 600, 1199, 1200].map((at) => announcements.maintenanceAt(planned.start_time - 600 + at)?.id)).toEqual([
      undefined,
      planned.id,
      planned.id,
      undefined,
    ]);
    const running = await maintain(-60, 600);
    expect((await chat()).status).toBe(503);
    await hub().root.call(announcementApi.update, { body: { ...running, end_time: now() } });
    expect((await chat()).status).toBe(200);
  });

  test('a planned maintenance is shown three days before, to visitors as well', async () => {
    await maintain(3 * 86_400 + 60, 4 * 86_400);
    const visitor = new ApiClient(hub().url);
    expect(await textsSeen(visitor)).toEqual([]);
    await maintain(3 * 86_400 - 60, 4 * 86_400);
    expect(await textsSeen(visitor)).toEqual(['We move']);
  });

  test('a notice is seen by its groups, in its languages and at its time', async () => {
    const [member, other, visitor] = [
      (await addPerson(hub(), { group: 'vip' })).client,
      (await addPerson(hub())).client,
      new ApiClient(hub().url),
    ];
    await publish({ texts: { en_US: 'for vip' }, groups: ['vip'] });
    await publish({ texts: { en_US: 'for all' } });
    await publish({ texts: { ja_JP: '日本語だけ' }, languages: ['ja_JP'] });
    await publish({ texts: { en_US: 'later' }, start_time: now() + 600 });
    await publish({ texts: { en_US: 'over' }, start_time: 1, end_time: now() - 1 });
    expect(await textsSeen(member)).toEqual(['for all', 'for vip']);
    expect(await textsSeen(other)).toEqual(['for all']);
    expect(await textsSeen(visitor)).toEqual(['for all']);
    expect(await textsSeen(visitor, 'ja')).toEqual(['日本語だけ', 'for all']);
  });

  test.each<[change: object, field: string]>([
    [{ texts: {} }, 'texts'],
    [{ texts: { en_US: '  ' } }, 'texts'],
    [{ texts: { en_US: 'x'.repeat(2001) } }, 'texts.en_US'],
    [{ kind: 'maintenance', start_time: 5 }, 'end_time'],
    [{ start_time: 10, end_time: 10 }, 'end_time'],
    [{ languages: ['fr'] }, 'languages.0'],
  ])('%j is refused and publishes nothing', async (change, field) => {
    expect(await hub().root.send('POST', '/api/announcement/', { texts, ...change })).toMatchObject({
      status: 400,
      body: { code: 'input.invalid', field },
    });
    expect(await hub().root.call(announcementApi.list)).toMatchObject({ total_count: 0 });
  });

  test('it is mailed in batches, once to each reader, with a link that stops such mails by one click', async () => {
    const { db } = hub().server.deps;
    const mailed = async (name: string, more: object = {}) =>
      addAccount(hub(), { email: `${name}@mails.example`, group: 'vip', language: 'ja_JP', ...more });
    const first = await mailed('first');
    await mailed('english', { language: 'en_US' });
    await mailed('other-group', { group: 'default' });
    await mailed('disabled', { status: 2 });
    await mailed('deleted', { deleted_time: 1 });
    await mailed('stopped', { announcement_mails: false });
    for (let at = 0; at < 50; at++) await mailed(`many-${at}`);
    await publish({ groups: ['vip'], mail: true });
    const to = () => mailbox.mails.filter(({ to: address }) => address.endsWith('@mails.example'));
    const round = () => mailAnnouncements(hub().server.deps);
    // Two nodes at once, as while the longest-running one changes.
    await Promise.all([round(), round()]);
    expect(to().length).toBeGreaterThan(0);
    expect(to().length).toBeLessThanOrEqual(50);
    for (let at = 0; at < 3; at++) await round();
    expect(
      to()
        .map((mail) => mail.to.replace(/@.*/, ''))
        .toSorted(),
    ).toEqual(['first', 'english', ...Array.from({ length: 50 }, (_, at) => `many-${at}`)].toSorted());
    expect((await hub().root.call(announcementApi.list)).data).toMatchObject([{ mail_state: 'sent', mailed: 52 }]);

    const mail = to().find((each) => each.to === 'first@mails.example')!;
    expect(mail.text).toContain('移転します');
    expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    const [, link = ''] = /^<https:\/\/hub\.example(\/.+)>$/.exec(mail.headers['list-unsubscribe'] ?? '') ?? [];
    const oneClick = (path: string) =>
      fetch(hub().url + path, { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') });
    expect((await oneClick(link.replace(`${first.id}.`, `${first.id + 1}.`))).status).toBe(400);
    expect((await fetch(hub().url + link)).status, 'a link that is only opened').toBe(404);
    const stopped = () =>
      db.selectFrom('users').where('announcement_mails', '=', false).select('id').orderBy('id').execute();
    expect(await stopped()).toHaveLength(1);
    expect((await oneClick(link)).status).toBe(200);
    expect(await stopped()).toContainEqual({ id: first.id });

    const { client } = await addPerson(hub());
    await client.call(profileApi.update, { body: { announcement_mails: false } });
    expect(await client.call(profileApi.security)).toMatchObject({ announcement_mails: false });
  });
});
