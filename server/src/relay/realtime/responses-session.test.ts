import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendStream } from '#testing/network/raw-upstream.ts';
import { RealtimeClient } from '#testing/realtime-client.ts';

interface SentEvent {
  type: string;
  status?: number;
  error?: { code: string; type: string; message: string };
  response?: { id: string; status: string; output: { type: string }[]; error?: { code: string } | null };
}

const sse = (events: { type: string }[]): string[] =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

let made = 0;
const answers: Record<string, () => string[]> = {
  '/v1/responses': () => {
    const response = {
      id: `resp_vendor${++made}`,
      object: 'response',
      model: 'gpt-4.1',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'OK', annotations: [] }],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    };
    return sse(
      [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'OK' },
        { type: 'response.completed', response },
      ].map((event, i) => ({ ...event, sequence_number: i })),
    );
  },
  '/v1/messages': () =>
    sse([
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'OK' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ] as { type: string }[]),
};

onOneDatabase('Responses over a WebSocket', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let client: RealtimeClient;
  let seen = 0;

  beforeAll(async () => {
    await addChannel(hub(), raw().url, { type: 1, models: 'gpt-4.1' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
  });
  beforeEach(async () => {
    raw().reply = (response) => sendStream(response, answers[raw().requests.at(-1)!.url]!());
    who = await addCaller(db());
    client = new RealtimeClient(hub(), '/v1/responses', who.key);
    seen = 0;
    await client.opened;
  });
  afterEach(async () => {
    client.socket.close();
    await expect.poll(() => hub().server.deps.book.openCalls, { message: 'open calls' }).toBe(0);
    await expectBooksBalance(db());
  });

  const isEnd = ({ type }: { type: string }) => /^(?:error|response\.(?:completed|failed|incomplete))$/.test(type);
  /** The event that ends the next response. */
  async function ended(): Promise<SentEvent> {
    const ends = () => (client.events as SentEvent[]).filter(isEnd);
    await expect.poll(() => ends().length, { message: 'ended responses' }).toBeGreaterThan(seen);
    return ends()[seen++]!;
  }
  async function ask(more: object): Promise<SentEvent> {
    client.send({ type: 'response.create', model: 'gpt-4.1', input: 'Remember: cobalt.', store: false, ...more });
    return ended();
  }
  const rows = async () => {
    await hub().server.deps.book.caughtUp();
    return rowsOf(db(), who);
  };
  const sentTo = () => JSON.parse(raw().requests.at(-1)!.body.toString()) as Record<string, unknown>;

  test('the first event names fields that a converted model does not get, as the header of a POST does', async () => {
    await ask({ model: 'claude-sonnet-4-5', top_logprobs: 3 });
    expect(client.events[0]).toMatchObject({ type: 'response.created', 'x-relay-dropped': 'top_logprobs' });
    await ask({ model: 'claude-sonnet-4-5' });
    expect(client.events.filter((event) => 'x-relay-dropped' in event)).toHaveLength(1);
  });

  test.each(['gpt-4.1', 'claude-sonnet-4-5'])(
    'each response of %s is a call of its own, and the next one continues it without a store',
    async (model) => {
      const first = await ask({ model });
      expect(first).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
      const { type } = client.events[0]!;
      expect(type).toBe('response.created');
      const second = await ask({ model, input: 'Which word?', previous_response_id: first.response!.id });
      expect(second.type).toBe('response.completed');
      const { input, messages, previous_response_id: previous } = sentTo();
      expect(previous).toBeUndefined();
      const turns = (input ?? messages) as { role: string }[];
      // Items that the provider did not keep, such as reasoning without its ciphertext, is not sent again.
      expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(JSON.stringify(turns)).toMatch(/cobalt.*OK.*Which word/);
      const charged = { endpoint: '/v1/responses', outcome: 'answered' };
      expect(await rows()).toMatchObject([
        { prompt_tokens: 10, completion_tokens: 5, metadata: charged },
        { prompt_tokens: 10, completion_tokens: 5, metadata: charged },
      ]);
    },
  );

  test('a failed continuation forgets what it continued', async () => {
    const { response } = await ask({});
    raw().reply = (upstream) =>
      sendStream(
        upstream,
        sse([
          {
            type: 'response.failed',
            response: { id: 'resp_1', status: 'failed', error: { code: 'invalid_prompt', message: 'no' } },
          } as { type: string },
        ]),
      );
    expect(await ask({ previous_response_id: response!.id })).toMatchObject({
      type: expect.stringMatching(/failed|error/),
    });
    expect(await ask({ previous_response_id: response!.id })).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found' },
    });
  });

  test('another connection knows nothing of it', async () => {
    const { response } = await ask({});
    client.socket.close();
    client = new RealtimeClient(hub(), '/v1/responses', who.key);
    seen = 0;
    await client.opened;
    expect(await ask({ previous_response_id: response!.id })).toMatchObject({
      error: { code: 'previous_response_not_found' },
    });
  });

  test('a request that only prepares the next one costs nothing', async () => {
    const before = raw().requests.length;
    const { type, response } = await ask({ generate: false });
    expect([type, response!.output, raw().requests.length]).toEqual(['response.completed', [], before]);
    await ask({ input: 'Which word?', previous_response_id: response!.id });
    expect(JSON.stringify(sentTo()['input'])).toMatch(/cobalt.*Which word/);
    expect(await rows()).toHaveLength(1);
  });

  test.each<[what: string, message: string, status: number, says: RegExp, recorded: boolean]>([
    ['no JSON', '{"type":', 400, /not valid JSON/, true],
    [
      'names of two meanings',
      '{"type":"response.create","model":"gpt-4.1","Model":"o1","input":"x"}',
      400,
      /Model/,
      true,
    ],
    ['no model', '{"type":"response.create","input":"x"}', 400, /'model'/, true],
    ['an unknown model', '{"type":"response.create","model":"nope","input":"x"}', 404, /nope/, true],
    ['another type', '{"type":"session.update"}', 400, /'type'/, false],
  ])('answers %s with an error, and goes on', async (_, message, status, says, recorded) => {
    client.socket.send(message);
    expect(await ended()).toMatchObject({ type: 'error', status, error: { message: expect.stringMatching(says) } });
    expect((await ask({})).type).toBe('response.completed');
    await hub().server.deps.refusals.caughtUp();
    const refused = await db().selectFrom('refusals').where('user_id', '=', who.userId).selectAll().execute();
    expect(refused).toMatchObject(recorded ? [{ status }] : []);
    expect(await rows()).toHaveLength(1);
  });

  test('answers messages in their order, and refuses more than can wait', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    raw().reply = async (response) => {
      await held;
      await sendStream(response, answers['/v1/responses']!());
    };
    for (let i = 0; i < 6; i++) client.send({ type: 'response.create', model: 'gpt-4.1', input: `${i}`, store: false });
    expect(await ended()).toMatchObject({ status: 429, error: { code: 'websocket_limit_reached' } });
    const before = raw().requests.length;
    release();
    for (let i = 0; i < 5; i++) expect((await ended()).type).toBe('response.completed');
    const inputs = raw()
      .requests.slice(before - 1)
      .map(({ body }) => (JSON.parse(body.toString()) as { input: string }).input);
    expect(inputs).toEqual(['0', '1', '2', '3', '4']);
  });

  test('needs a key and credits', async () => {
    await expect(new RealtimeClient(hub(), '/v1/responses', 'sk-nobody').opened).rejects.toMatchObject({ status: 401 });
    who = await addCaller(db(), { quota: 1 });
    client.socket.close();
    client = new RealtimeClient(hub(), '/v1/responses', who.key);
    await client.opened;
    expect(await ask({ input: 'x'.repeat(20_000) })).toMatchObject({
      status: 402,
      error: { code: 'insufficient_quota' },
    });
  });

  test('a caller who leaves is charged for what was produced', async () => {
    raw().reply = async (response) => {
      const [start, delta] = answers['/v1/responses']!();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(start! + delta!);
      await client.closed;
      response.end(answers['/v1/responses']!().at(-1)!);
    };
    client.send({ type: 'response.create', model: 'gpt-4.1', input: 'x', store: false });
    await client.until('response.output_text.delta');
    client.socket.terminate();
    await expect.poll(rows, { message: 'row of the call' }).toHaveLength(1);
    expect((await rows())[0]).toMatchObject({ completion_tokens: 5, metadata: { outcome: 'client_gone' } });
  });
});
