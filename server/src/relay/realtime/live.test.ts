import type { AddressInfo } from 'node:net';
import { creditsFor, noUsage, priceApi, ratesOf, virtualModelApi } from '@relay-hub/contract';
import { GoogleGenAI, type LiveServerMessage, Modality } from '@google/genai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Json, objectOr, parseJson } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';

const MODEL = 'gemini-live-test';
const BALANCE = 1_000_000;
const price = { type: 'tokens', input: 2, output: 8, extra_ratios: { output_audio_tokens_ratio: 4 } } as const;

/** Google's side: https://ai.google.dev/api/live */
describe('live sessions at Google', () => {
  const hub = hubForSuite(newSqlite);
  const db = () => hub().server.deps.db;
  const google = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const opened: { url: string; key: string; messages: Json[]; socket: WebSocket }[] = [];
  let turn: (socket: WebSocket) => void;
  let who: TestCaller;

  beforeAll(async () => {
    google.on('connection', (socket, { url = '', headers }) => {
      const session = { url, key: String(headers['x-goog-api-key']), messages: [] as Json[], socket };
      opened.push(session);
      socket.on('message', (data) => {
        const message = objectOr(parseJson((data as Buffer).toString()));
        session.messages.push(message);
        if (message['setup']) say(socket, { setupComplete: {} });
        else turn(socket);
      });
    });
    const { port } = google.address() as AddressInfo; // listening on a TCP port
    await hub().root.call(priceApi.create, { body: { model: MODEL, channel_type: 25, ...price } });
    await addChannel(hub(), `http://127.0.0.1:${port}`, {
      type: 25,
      key: 'google-key-0001',
      models: `${MODEL},renamed`,
      model_mapping: JSON.stringify({ renamed: MODEL }),
    });
  });
  afterAll(() => {
    for (const socket of google.clients) socket.terminate();
    google.close();
  });
  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    turn = (socket) => {
      say(socket, { serverContent: { modelTurn: { parts: [{ text: 'Hello.' }] } } });
      say(socket, { serverContent: { turnComplete: true }, usageMetadata: used });
    };
  });
  afterEach(async () => {
    await expect.poll(() => hub().server.deps.book.openCalls, { message: 'open calls' }).toBe(0);
    await expectBooksBalance(db());
  });

  const used = {
    promptTokenCount: 100,
    responseTokenCount: 60,
    totalTokenCount: 160,
    responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 40 }],
  };
  const cost = (usage: Partial<typeof noUsage>) => creditsFor(ratesOf(price, 1), { ...noUsage, ...usage });
  /** Google's frames are binary. */
  const say = (socket: WebSocket, message: Json) => socket.send(Buffer.from(JSON.stringify(message)));
  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const rowOf = async () => {
    await expect.poll(async () => (await rowsOf(db(), who)).length, { message: 'rows of the caller' }).toBe(1);
    return (await rowsOf(db(), who))[0]!;
  };

  async function connect(key = who.key, model = MODEL, apiVersion = 'v1beta') {
    const messages: LiveServerMessage[] = [];
    let close: (end: { code: number; reason: string }) => void;
    const closed = new Promise<{ code: number; reason: string }>((resolve) => (close = resolve));
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${hub().url}/gemini`, apiVersion } });
    const session = client.live.connect({
      model,
      config: { responseModalities: [Modality.AUDIO] },
      callbacks: {
        onmessage: (message) => void messages.push(message),
        onclose: ({ code, reason }) => close({ code, reason }),
      },
    });
    // A refusal after the handshake only closes the connection.
    const refused = closed.then(({ reason }) => Promise.reject(new Error(reason)));
    refused.catch(() => {});
    return { session: await Promise.race([session, refused]), messages, closed };
  }
  const turns = (messages: readonly LiveServerMessage[]) =>
    messages.filter(({ serverContent }) => serverContent?.turnComplete).length;

  test('of a virtual name lead to the first step with a channel, which the row names', async () => {
    const models = (model: string) => ({ models: [{ model }] });
    const { id } = await hub().root.call(virtualModelApi.create, {
      body: { name: 'speaks', steps: [models('nobody-serves-it'), models('renamed')] },
    });
    try {
      const { session, messages, closed } = await connect(who.key, 'speaks');
      session.sendClientContent({ turns: 'hi', turnComplete: true });
      await expect.poll(() => turns(messages)).toBe(1);
      session.close();
      await closed;
      expect(opened.at(-1)?.messages[0]).toMatchObject({ setup: { model: `models/${MODEL}` } });
      expect(await rowOf()).toMatchObject({
        quota: cost({ input: 100, output: 20, outputAudio: 40 }),
        metadata: { requested_model: 'speaks', virtual: { name: 'speaks', step: 2 } },
      });
    } finally {
      await hub().root.call(virtualModelApi.remove, { params: { id } });
    }
  });

  test('of a virtual name without a channel are refused, and cost nothing', async () => {
    const before = opened.length;
    const { id } = await hub().root.call(virtualModelApi.create, {
      body: { name: 'silent', steps: [{ models: [{ model: 'nobody-serves-it' }] }] },
    });
    try {
      await expect(connect(who.key, 'silent')).rejects.toThrow('does not exist');
    } finally {
      await hub().root.call(virtualModelApi.remove, { params: { id } });
    }
    expect(opened).toHaveLength(before);
    expect(await spent()).toBe(0);
  });

  test('pass messages both ways, and are charged for all their turns', async () => {
    const { session, messages, closed } = await connect(who.key, 'renamed');
    for (const n of [1, 2]) {
      session.sendClientContent({ turns: `hi ${n}`, turnComplete: true });
      await expect.poll(() => turns(messages)).toBe(n);
    }
    session.close();
    await closed;
    const { url, key, messages: received } = opened.at(-1)!;
    expect(url).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent');
    expect(key).toBe('google-key-0001');
    expect(received[0]).toMatchObject({ setup: { model: `models/${MODEL}` } });
    const expected = cost({ input: 200, output: 40, outputAudio: 80 });
    expect(await rowOf()).toMatchObject({
      model_name: MODEL,
      quota: expected,
      prompt_tokens: 200,
      completion_tokens: 120,
      metadata: { endpoint: '/gemini/live', usage_source: 'upstream', outcome: 'answered' },
    });
    expect(await spent()).toBe(expected);
  });

  describe('an ephemeral token', () => {
    const create = async (config: object = {}): Promise<string> => {
      const client = new GoogleGenAI({
        apiKey: who.key,
        httpOptions: { baseUrl: `${hub().url}/gemini`, apiVersion: 'v1alpha' },
      });
      const { name = '' } = await client.authTokens.create({ config });
      return name;
    };
    const open = (token: string) => connect(token, MODEL, 'v1alpha');

    test('opens one session of the key that created it, and nothing else', async () => {
      const token = await create({
        liveConnectConstraints: { model: MODEL, config: { systemInstruction: 'Be brief.' } },
      });
      expect(token).toMatch(/^auth_tokens\/\w{48}$/);
      const stored = JSON.stringify(await db().selectFrom('client_secrets').selectAll().execute());
      expect(stored).not.toContain(token);
      expect(stored).not.toContain('Be brief.');
      const { session, messages, closed } = await open(token);
      session.sendClientContent({ turns: 'hi', turnComplete: true });
      await expect.poll(() => turns(messages), { message: 'turns' }).toBe(1);
      const { setup } = opened.at(-1)!.messages[0]!;
      // The token decides, and not its holder.
      expect(JSON.stringify(setup)).toContain('Be brief.');
      expect(setup).not.toHaveProperty('generationConfig.responseModalities');
      session.close();
      await closed;
      expect(await rowOf()).toMatchObject({ model_name: MODEL, token_id: who.tokenId });
      await expect(open(token)).rejects.toThrow();
      const { status } = await fetch(`${hub().url}/gemini/v1beta/models`, { headers: { 'x-goog-api-key': token } });
      expect(status).toBe(401);
    });

    test('locks the fields that it names, and opens as many sessions as it says', async () => {
      const token = await create({
        uses: 2,
        liveConnectConstraints: { model: MODEL, config: { temperature: 0.5 } },
        lockAdditionalFields: [],
      });
      for (let use = 0; use < 2; use++) {
        const { session, closed } = await open(token);
        expect(opened.at(-1)!.messages[0]!['setup']).toMatchObject({
          generationConfig: { temperature: 0.5, responseModalities: ['AUDIO'] },
        });
        session.close();
        await closed;
      }
      await expect(open(token)).rejects.toThrow();
    });

    test.each([{ uses: -1 }, { expireTime: '2020-01-01T00:00:00Z' }, { newSessionExpireTime: 'soon' }])(
      'is refused with %o',
      async (config) => {
        await expect(create(config)).rejects.toMatchObject({ status: 400 });
      },
    );
  });

  test('count the last report of a turn, also one after its end, and estimate a turn without any', async () => {
    turn = (socket) => {
      say(socket, { serverContent: { modelTurn: { parts: [{ text: 'a' }] } }, usageMetadata: { promptTokenCount: 9 } });
      say(socket, { serverContent: { turnComplete: true } });
      say(socket, { usageMetadata: used });
    };
    const { session, messages } = await connect();
    session.sendClientContent({ turns: 'hi' });
    await expect.poll(() => messages.filter(({ usageMetadata }) => usageMetadata).length).toBe(2);
    const sound = Buffer.alloc(19_200).toString('base64');
    turn = (socket) => {
      const part = { inlineData: { mimeType: 'audio/pcm;rate=24000', data: sound } };
      say(socket, { serverContent: { modelTurn: { parts: [part] } } });
      socket.terminate();
    };
    session.sendClientContent({ turns: 'again' });
    const row = await rowOf();
    expect(row).toMatchObject({ prompt_tokens: 100, metadata: { usage_source: 'estimate', outcome: 'broken' } });
    // 0.4 s of sound are 10 tokens.
    expect(row.completion_tokens - 60).toBeGreaterThanOrEqual(10);
    expect(row.completion_tokens - 60).toBeLessThanOrEqual(12);
    expect(await spent()).toBe(row.quota);
  });

  test('end when the credits are used up', async () => {
    who = await addCaller(db(), { quota: 3000 });
    const { session, closed } = await connect();
    const hello = setInterval(() => session.sendClientContent({ turns: 'hi' }), 20);
    expect(await closed).toMatchObject({ code: 1008, reason: 'insufficient_quota' });
    clearInterval(hello);
    await rowOf();
    expect((await userOf(db(), who)).balance).toBeGreaterThanOrEqual(0);
  });

  test('are refused without a key, a model or credits, and may not name files', async () => {
    const path = '/gemini/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent?key=sk-unknown';
    await expect(new RealtimeClient(hub(), path, undefined).opened).rejects.toMatchObject({ status: 401, code: 401 });
    await expect(connect(who.key, 'gemini-unknown')).rejects.toThrow(/gemini-unknown/);
    await expect(connect((await addCaller(db(), { quota: 0 })).key)).rejects.toThrow(/nsufficient|balance/);
    expect(await spent()).toBe(0);
    const { session, closed } = await connect();
    const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/foreign';
    session.sendClientContent({ turns: [{ role: 'user', parts: [{ fileData: { fileUri } }] }] });
    expect(await closed).toMatchObject({ code: 1008, reason: expect.stringContaining('Files and caches') });
    expect(JSON.stringify(opened.at(-1)!.messages)).not.toContain('foreign');
    const searching = new RealtimeClient(hub(), `${path.split('?')[0]}?key=${who.key}`, undefined);
    await searching.opened;
    searching.socket.send(JSON.stringify({ setup: { model: `models/${MODEL}`, tools: [{ googleSearch: {} }] } }));
    expect(await searching.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('tools[0]') });
  });

  test.each([
    ['at its start', '{"setup":{"model":"models/MODEL","Model":"models/dear"}}', []],
    ['later', '{"setup":{"model":"models/MODEL"}}', ['{"clientContent":{"turns":[]},"client_content":{"turns":[]}}']],
  ])('end at a message with two meanings, %s', async (_, setup, more) => {
    const before = opened.length;
    const path = '/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
    const client = new RealtimeClient(hub(), `${path}?key=${who.key}`, undefined);
    await client.opened;
    for (const message of [setup.replace('MODEL', MODEL), ...more]) client.socket.send(message);
    const { code, reason } = await client.closed;
    expect({ code, reason }).toEqual({ code: 1008, reason: expect.stringMatching(/'\w+'.*'\w+'/) });
    for (const { messages } of opened.slice(before)) expect(messages).toHaveLength(1);
  });
});
