import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { priceApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { relayForClients, type RelayForClients } from '#chat/testing/relay-for-clients.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

/**
 * Channel types by what they speak, and what a call costs there: 70, 30 of a cache at the vendor's ratio, and 45 at
 * twice the price.
 */
const providers = [
  ['openai', 8, 175],
  ['anthropic', 14, 163],
  ['gemini', 25, 175],
] as const;

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const names = ['weather', 'time'];
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What an official client got: the text, or the names of the tools that it is to call. */
interface Got {
  text: string;
  tools: string[];
}

/** One official client, asked the same as the others. */
interface Client {
  whole(model: string, text: string, tools?: boolean): Promise<Got>;
  streamed(model: string, text: string, tools?: boolean): Promise<Got>;
  image(model: string): Promise<Got>;
  refused(model: string): Promise<{ status: number; message: string }>;
}

onEveryDatabase('dialects', (make) => {
  const hub = hubForSuite(make);
  const db = () => hub().server.deps.db;
  let upstream: RelayForClients;
  let who: TestCaller;

  beforeAll(async () => {
    upstream = await relayForClients();
    await hub().root.call(priceApi.create, {
      body: { model: 'a-*', type: 'tokens', channel_type: 1, input: 1, output: 2 },
    });
    for (const [name, type] of providers)
      await addChannel(hub(), upstream.url, { type, name, models: `a-${name}`, key: 'sk-upstream' });
    who = await addCaller(db());
  });
  afterAll(() => upstream?.close());

  const clients: Record<string, () => Client> = {
    openai: () => openAiClient(new OpenAI({ apiKey: who.key, baseURL: `${hub().url}/v1`, maxRetries: 0 })),
    responses: () => responsesClient(new OpenAI({ apiKey: who.key, baseURL: `${hub().url}/v1`, maxRetries: 0 })),
    anthropic: () => anthropicClient(new Anthropic({ apiKey: who.key, baseURL: `${hub().url}/claude`, maxRetries: 0 })),
    gemini: () =>
      geminiClient(
        new GoogleGenAI({
          apiKey: who.key,
          httpOptions: { baseUrl: `${hub().url}/gemini`, retryOptions: { attempts: 1 } },
        }),
      ),
  };

  describe.each(Object.keys(clients))('the client of %s', (dialect) => {
    describe.each(providers)('at a provider of %s', (provider, _, cost) => {
      const model = `a-${provider}`;

      test('an answer, a stream, two tools at once, a picture, and each is charged as told', async () => {
        const client = clients[dialect]!();
        const before = (await rowsOf(db(), who)).length;
        for (const got of [await client.whole(model, 'Hello 你好'), await client.streamed(model, 'Hello 你好')])
          expect(got).toEqual({ text: expect.stringContaining('Hello 你好'), tools: [] });
        for (const got of [await client.whole(model, 'Which?', true), await client.streamed(model, 'Which?', true)])
          expect(got.tools).toEqual(names);
        expect((await client.image(model)).text).toContain('image/png');

        const rows = (await rowsOf(db(), who)).slice(before);
        expect(rows).toHaveLength(5);
        for (const row of rows)
          expect(row).toMatchObject({
            quota: cost,
            failed: false,
            model_name: model,
            metadata: {
              usage_source: 'upstream',
              outcome: 'answered',
              attempts: [{ channel_name: provider, result: 'ok' }],
            },
          });
        await expectBooksBalance(db());
      });

      test('a stream that breaks is told as broken, and never as finished', async () => {
        upstream.breaks = true;
        try {
          await expect(clients[dialect]!().streamed(model, 'Hello')).rejects.toThrow();
        } finally {
          upstream.breaks = false;
        }
        expect((await rowsOf(db(), who)).at(-1)).toMatchObject({ failed: true });
      });
    });

    test('a model that is not there is refused in the client’s own words', async () => {
      expect(await clients[dialect]!().refused('nobody-has-this')).toEqual({
        status: 404,
        message: expect.stringContaining('nobody-has-this'),
      });
    });
  });

  test('tokens of a prompt are counted without a call, and models are listed', async () => {
    const rows = (await rowsOf(db(), who)).length;
    const anthropic = new Anthropic({ apiKey: who.key, baseURL: `${hub().url}/claude`, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'How many tokens are in here?' }];
    const { input_tokens } = await anthropic.messages.countTokens({ model: 'a-openai', messages });
    expect(input_tokens).toBeGreaterThan(5);
    expect(input_tokens).toBeLessThan(20);
    const listed = await anthropic.models.list();
    expect(listed.data.map(({ id }) => id)).toEqual(providers.map(([name]) => `a-${name}`).toSorted());
    expect((await rowsOf(db(), who)).length).toBe(rows);
  });
});

function openAiClient(client: OpenAI): Client {
  const tools: OpenAI.ChatCompletionTool[] = names.map((name) => ({
    type: 'function',
    function: { name, parameters: schema },
  }));
  const ask = (model: string, content: OpenAI.ChatCompletionUserMessageParam['content'], withTools = false) => ({
    model,
    messages: [{ role: 'user' as const, content }],
    ...(withTools && { tools }),
  });
  const read = async (asked: ReturnType<typeof ask>): Promise<Got> => {
    const { choices } = await client.chat.completions.create(asked);
    const message = choices[0]!.message;
    return {
      text: message.content ?? '',
      tools: (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')),
    };
  };
  return {
    whole: (model, text, withTools) => read(ask(model, text, withTools)),
    async streamed(model, text, withTools) {
      const stream = client.chat.completions.stream({ ...ask(model, text, withTools), stream: true });
      const message = (await stream.finalChatCompletion()).choices[0]!.message;
      return {
        text: message.content ?? '',
        tools: (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')),
      };
    },
    image: (model) => read(ask(model, [{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }])),
    refused: (model) => refusal(client.chat.completions.create(ask(model, 'x'))),
  };
}

function responsesClient(client: OpenAI): Client {
  const tools: OpenAI.Responses.FunctionTool[] = names.map((name) => ({
    type: 'function',
    name,
    parameters: schema,
    strict: false,
  }));
  const got = ({ output, output_text }: OpenAI.Responses.Response): Got => ({
    text: output_text,
    tools: output.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])),
  });
  return {
    whole: async (model, input, withTools) =>
      got(await client.responses.create({ model, input, ...(withTools && { tools }) })),
    async streamed(model, input, withTools) {
      const stream = client.responses.stream({ model, input, ...(withTools && { tools }) });
      return got(await stream.finalResponse());
    },
    image: async (model) =>
      got(
        await client.responses.create({
          model,
          input: [
            {
              role: 'user',
              content: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' }],
            },
          ],
        }),
      ),
    refused: (model) => refusal(client.responses.create({ model, input: 'x' })),
  };
}

function anthropicClient(client: Anthropic): Client {
  const tools: Anthropic.Tool[] = names.map((name) => ({ name, input_schema: { ...schema, type: 'object' } }));
  const ask = (model: string, content: Anthropic.MessageParam['content'], withTools = false) => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
    ...(withTools && { tools }),
  });
  const got = ({ content }: Anthropic.Message): Got => ({
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    tools: content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
  });
  return {
    whole: async (model, text, withTools) => got(await client.messages.create(ask(model, text, withTools))),
    streamed: async (model, text, withTools) =>
      got(await client.messages.stream(ask(model, text, withTools)).finalMessage()),
    image: async (model) =>
      got(
        await client.messages.create(
          ask(model, [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]),
        ),
      ),
    refused: (model) => refusal(client.messages.create(ask(model, 'x'))),
  };
}

function geminiClient(client: GoogleGenAI): Client {
  const config = { tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }] };
  const ask = (model: string, contents: string, withTools = false) => ({
    model,
    contents,
    ...(withTools && { config }),
  });
  return {
    async whole(model, text, withTools) {
      const reply = await client.models.generateContent(ask(model, text, withTools));
      return { text: reply.text ?? '', tools: (reply.functionCalls ?? []).map(({ name }) => name!) };
    },
    async streamed(model, text, withTools) {
      const got: Got = { text: '', tools: [] };
      for await (const piece of await client.models.generateContentStream(ask(model, text, withTools))) {
        got.text += piece.text ?? '';
        got.tools.push(...(piece.functionCalls ?? []).map(({ name }) => name!));
      }
      return got;
    },
    async image(model) {
      const reply = await client.models.generateContent({
        model,
        contents: [{ inlineData: { mimeType: 'image/png', data: pixel } }],
      });
      return { text: reply.text ?? '', tools: [] };
    },
    refused: (model) => refusal(client.models.generateContent(ask(model, 'x'))),
  };
}

/** What an official client tells of a refusal. */
async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
  throw new Error('it was not refused');
}
