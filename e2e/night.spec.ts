import { execFileSync } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { expectToast, recordToasts } from './page-helpers.ts';

/** Faults at night: a webhook hears of each, and the console shows its cause one click from the list. */

interface Message {
  type: string;
  data: { kind: string; object?: string; cause?: string };
}

/** A receiver of webhooks. */
async function startReceiver() {
  const told: Message[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      told.push(JSON.parse(Buffer.concat(pieces).toString()) as Message);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    kinds: (type = 'incident.opened') =>
      told.flatMap((each) => (each.type === type ? [`${each.data.kind} ${each.data.object ?? ''}`.trim()] : [])),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const test = base.extend<object, { hub: Hub; receiver: Receiver }>({
  hub: [newHub({ TRUSTED_PROXIES: '127.0.0.1' }), { scope: 'worker' }],
  receiver: [
    async ({}, use) => {
      const receiver = await startReceiver();
      await use(receiver);
      await receiver.close();
    },
    { scope: 'worker' },
  ],
});
test.describe.configure({ mode: 'serial' });

/** Within two minutes, as promised; usually within 20 seconds. */
const soon = { timeout: 110_000 };
/** The address of the caller, as a proxy names it: those of this machine are never refused. */
const CALLER = '203.0.113.9';
let key = '';
let channels: Record<'revoked' | 'dead' | 'slow', number>;

/** Adds the webhook, and a caller with a key. */
async function prepare(hub: Hub, receiver: Receiver): Promise<string> {
  const root = await callsOf(hub);
  const done = async (method: 'post' | 'put', address: string, data: object) => {
    const answer = (await (await root[method](address, { data })).json()) as {
      success: boolean;
      data: { key: string };
    };
    expect(answer).toMatchObject({ success: true });
    return answer.data;
  };
  await done('post', '/api/way/', { site: true, kind: 'webhook', config: { address: receiver.address } });
  await done('put', '/api/option/', { key: 'ChannelDisableThreshold', value: '0.2' });
  const caller = { username: 'night-owl', password: 'a-password-at-night' };
  await done('post', '/api/user/', { ...caller, group: 'default', quota: 5_000_000 });
  await root.dispose();
  const own = await callsOf(hub, caller);
  const made = await own.post('/api/token/', { data: { name: 'night', unlimited_quota: true } });
  const { data } = (await made.json()) as { data: { key: string } };
  await own.dispose();
  return data.key;
}

/** The status of a call. */
const ask = ({ url }: Hub, model: string, stream = false): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-forwarded-for': CALLER,
    };
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }));
  });

async function expectCause(page: Page, title: RegExp, text: RegExp): Promise<void> {
  await page.getByRole('link', { name: title }).click();
  const details = page.getByRole('dialog', { name: title });
  await expect(details).toContainText(text);
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
}

test.beforeAll(async ({ hub, receiver, upstream }) => {
  key = await prepare(hub, receiver);
  const root = await callsOf(hub);
  const add = async (name: string, model: string, given: object): Promise<number> => {
    const data = { type: 8, name, key: 'sk-any-key-0001', base_url: upstream.url, models: model, ...given };
    expect((await root.post('/api/channel/', { data })).ok()).toBe(true);
    const list = await root.get('/api/channel/', { params: { name } });
    const found = (await list.json()) as { data: { data: { id: number }[] } };
    return found.data.data[0]?.id ?? 0;
  };
  const simulated = (model: string, how: string) => ({ model_mapping: JSON.stringify({ [model]: `+sim:${how}` }) });
  channels = {
    revoked: await add('revoked', 'gpt-4o', simulated('gpt-4o', 'status=401')),
    dead: await add('dead', 'gpt-4o-mini', { base_url: 'http://127.0.0.1:9' }),
    slow: await add('slow', 'gpt-4.1-mini', simulated('gpt-4.1-mini', 'firstTokenMs=400')),
  };
  await root.dispose();
});

test('a revoked key, a dead host, a model that nobody serves and a slow channel are told, and shown with the cause', async ({
  page,
  context,
  hub,
  receiver,
}) => {
  for (let made = 0; made < 5; made++)
    for (const model of ['gpt-4o', 'gpt-4o-mini']) expect([502, 503]).toContain(await ask(hub, model));
  await Promise.all(Array.from({ length: 6 }, () => ask(hub, 'gpt-4.1-mini', true)));
  const expected = [
    `channel ${channels.dead}`,
    `channel ${channels.revoked}`,
    'model gpt-4o',
    'model gpt-4o-mini',
    `slow ${channels.slow}`,
  ];
  await expect
    .poll(() => receiver.kinds(), { message: 'messages at the webhook', ...soon })
    .toEqual(expect.arrayContaining(expected));

  await signIn(context, hub);
  await page.goto('/panel/incident');
  await expectCause(page, /^Channel revoked fails/, /401/);
  await expectCause(page, /^Channel dead fails/, /ECONNREFUSED|refused|reach/i);
  await expectCause(page, /^Nobody serves gpt-4o-mini/, /test its channels/);
  await expectCause(page, /^Channel slow is slow/, /provider/);
  await page.getByRole('link', { name: /^Channel revoked fails/ }).click();
  await page.getByRole('link', { name: 'Open channel' }).click();
  await expect(page).toHaveURL(new RegExp(`/panel/channel\\?edit=${channels.revoked}`));
});

test('the address of a call is blocked from its row in the log, and unblocked by Undo', async ({
  page,
  context,
  hub,
}) => {
  await recordToasts(context);
  await signIn(context, hub);
  await page.goto('/panel/log?model_name=gpt-4.1-mini');
  await page
    .getByRole('row', { name: /gpt-4\.1-mini/ })
    .first()
    .click();
  await page.getByRole('link', { name: `Block ${CALLER}` }).click();
  const form = page.getByRole('dialog', { name: 'Block address' });
  await expect(form.getByLabel('Address or network')).toHaveValue(CALLER);
  await form.getByRole('button', { name: 'Block address' }).click();
  await expectToast(page, `Blocked ${CALLER}`);
  expect(await ask(hub, 'gpt-4.1-mini')).toBe(403);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, `Unblocked ${CALLER}`);
  expect(await ask(hub, 'gpt-4.1-mini')).toBe(200);
});

interface Outage {
  name: string;
  kind: string;
  /** Begins it and returns what ends it. */
  begin(hub: Hub): () => void;
  /** The strip above each page. */
  strip: RegExp;
  cause: RegExp;
}

const outages: Outage[] = [
  {
    name: 'a locked database',
    kind: 'database',
    begin({ dataDir }) {
      const other = new DatabaseSync(path.join(dataDir, 'relay-hub.db'));
      other.exec('begin immediate');
      return () => other.close();
    },
    strip: /The database did not answer for \d+ s/,
    cause: /locked/,
  },
  {
    name: 'a full disk',
    kind: `storage ${hostname()}`,
    begin({ pid }) {
      // No file of the server may grow, as on a disk or in a quota without room.
      const allow = (size: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
      allow('0');
      return () => allow('unlimited');
    },
    strip: /(storage of the server is full|cannot record calls)/,
    cause: /full/,
  },
];

for (const { name, kind, begin, strip, cause } of outages)
  test(`${name} is told, shown in a strip with its cause one click away, and over by itself`, async ({
    page,
    context,
    hub,
    receiver,
  }) => {
    await signIn(context, hub);
    await page.goto('/panel/channel');
    const shown = page.getByRole('alert').filter({ hasText: strip });
    const end = begin(hub);
    try {
      await expect
        .poll(async () => [await ask(hub, 'gpt-4.1-mini'), receiver.kinds()], { message: 'message', ...soon })
        .toEqual([expect.any(Number), expect.arrayContaining([expect.stringContaining(kind)])]);
      await expect(shown).toBeVisible(soon);
      await shown.getByRole('link').click();
      await expect(page).toHaveURL(/\/panel\/incident/);
      await expect(page.getByRole('main')).toContainText(cause);
    } finally {
      end();
    }
    await expect
      .poll(() => receiver.kinds('incident.closed'), { message: 'message of the end', ...soon })
      .toEqual(expect.arrayContaining([expect.stringContaining(kind)]));
    await expect(shown).toBeHidden(soon);
    expect(await ask(hub, 'gpt-4.1-mini')).toBe(200);
  });
