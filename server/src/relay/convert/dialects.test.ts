import { generateKeyPairSync } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { priceApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relayForClients, type RelayForClients } from '#chat/testing/relay-for-clients.ts';
import { allProviders } from '#providers/registry.ts';
import { needFixture } from '#providers/testing/fixtures.ts';
import { aiClient } from '#testing/dialects/ai-client.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import {
  anthropicClient,
  type DialectClient,
  geminiClient,
  openAiClient,
  pixel,
  responsesClient,
  toolNames,
} from '#testing/dialects/dialect-clients.ts';
import { embeddingClients, Matrix, type MatrixClient, type MatrixProvider } from '#testing/dialects/dialect-matrix.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { embeddingsPath, recordedText, recordedVendorsForSuite } from '#testing/dialects/recorded-vendors.ts';

interface Side {
  type: number;
  /** Credits that a call costs there. */
  cost: number;
  /** Replies as documented by the vendor, or those of a simulated model, which show what reached it. */
  recorded?: { key: string; tools: string[] };
}

const recordedTools = ['weather', 'weather'];

/**
 * The simulated model's calls cost 70, 30 of a cache at the vendor's ratio, and 45 at twice the price; those recorded
 * cost 12, 7 at twice the price, and 4 of Bedrock's cache.
 */
const sides: Record<MatrixProvider, Side> = {
  openai: { type: 8, cost: 175 },
  anthropic: { type: 14, cost: 163 },
  gemini: { type: 25, cost: 175 },
  bedrock: { type: 32, cost: 27, recorded: { key: 'eu-west-1|AKIDEXAMPLE|secret', tools: recordedTools } },
  cohere: { type: 36, cost: 26, recorded: { key: 'co', tools: recordedTools } },
  ollama: { type: 39, cost: 26, recorded: { key: 'any', tools: recordedTools } },
};
const providers = Object.keys(sides) as MatrixProvider[];
const embedders = allProviders().filter(({ embeddings }) => embeddings !== undefined);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

onOneDatabase('dialects', (make) => {
  const hub = hubForSuite(make);
  const db = () => hub().server.deps.db;
  const vendors = recordedVendorsForSuite();
  const matrix = new Matrix();
  let upstream: RelayForClients;
  let who: TestCaller;

  beforeAll(async () => {
    upstream = await relayForClients();
    await hub().root.call(priceApi.create, {
      body: { model: 'a-*', type: 'tokens', channel_type: 1, input: 1, output: 2 },
    });
    for (const name of providers) {
      const { type, recorded } = sides[name];
      const url = recorded ? vendors().url : upstream.url;
      await addChannel(hub(), url, {
        type,
        name,
        models: `a-${name}`,
        key: recorded?.key ?? 'sk-upstream',
        // A model known to follow schemas; others get the schema as text.
        ...(name === 'anthropic' && { model_mapping: '{"a-anthropic":"+claude-sonnet-4-6"}' }),
      });
    }
    for (const { id, type } of embedders) {
      const { key, other, others } = needFixture(id, 'channel');
      const account = {
        type: 'service_account',
        client_email: 'relay@my-project.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${vendors().url}/token`,
      };
      await addChannel(hub(), vendors().url + embeddingsPath(id), {
        type,
        name: id,
        models: `a-e-${id}`,
        model_mapping: JSON.stringify({ [`a-e-${id}`]: `+${others!['embeddings']!.model}` }),
        key: key.startsWith('{') ? JSON.stringify(account) : key,
        ...(other !== undefined && { other }),
      });
    }
  });
  // One caller each, because of the rate limit.
  beforeEach(async () => void (who = await addCaller(db())));
  afterAll(() => upstream?.close());

  const clients: Record<MatrixClient, () => DialectClient> = {
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
    ai: () => aiClient(`${hub().url}/v1`, who.key),
  };

  describe.each(Object.keys(clients) as MatrixClient[])('the client of %s', (dialect) => {
    describe.each(providers)('at a provider of %s', (provider) => {
      const { cost, recorded } = sides[provider];
      const model = `a-${provider}`;

      test('a reply, a stream, two tools at once, a picture, a schema, each charged as reported', async () => {
        const client = clients[dialect]();
        const text = recorded ? recordedText : expect.stringContaining('Hello 你好');
        expect(await client.whole(model, 'Hello 你好')).toEqual({ text, tools: [] });
        matrix.saw(dialect, provider, 'chat');
        expect(await client.streamed(model, 'Hello 你好')).toEqual({ text, tools: [] });
        matrix.saw(dialect, provider, 'stream');
        for (const got of [await client.whole(model, 'Which?', true), await client.streamed(model, 'Which?', true)])
          expect(got.tools).toEqual(recorded?.tools ?? toolNames);
        matrix.saw(dialect, provider, 'tools');
        const shown = await client.image(model);
        expect(recorded ? vendors().seen : shown.text).toContain(pixel);
        matrix.saw(dialect, provider, 'images');
        expect(JSON.parse(await client.structured(model))).toEqual({ answer: 42 });
        matrix.saw(dialect, provider, 'structured');

        const rows = await rowsOf(db(), who);
        expect(rows).toHaveLength(6);
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

      test('a broken stream ends with an error and never looks finished', async () => {
        upstream.breaks = true;
        vendors().breaks = true;
        try {
          await expect(clients[dialect]().streamed(model, 'Hello')).rejects.toThrow();
        } finally {
          upstream.breaks = false;
          vendors().breaks = false;
        }
        expect((await rowsOf(db(), who)).at(-1)).toMatchObject({ failed: true });
      });
    });

    test('a model that is not there is refused in the client’s own words', async () => {
      expect(await clients[dialect]().refused('nobody-has-this')).toEqual({
        status: 404,
        message: expect.stringContaining('nobody-has-this'),
      });
    });
  });

  test.each(embedders)(
    'a text becomes numbers at $title, for every client that asks for such',
    async ({ id, title }) => {
      for (const dialect of embeddingClients) {
        const numbers = await clients[dialect]().embedding!(`a-e-${id}`);
        expect(numbers[0]).toBeCloseTo(0.1);
        matrix.embedded(dialect, title);
      }
      const rows = await rowsOf(db(), who);
      expect(rows).toHaveLength(embeddingClients.length);
      for (const row of rows)
        expect(row).toMatchObject({ failed: false, completion_tokens: 0, metadata: { usage_source: 'upstream' } });
    },
  );

  test('tokens of a prompt are counted without a call, and models are listed', async () => {
    const anthropic = new Anthropic({ apiKey: who.key, baseURL: `${hub().url}/claude`, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'How many tokens are in here?' }];
    const { input_tokens } = await anthropic.messages.countTokens({ model: 'a-openai', messages });
    expect(input_tokens).toBeGreaterThan(5);
    expect(input_tokens).toBeLessThan(20);
    const listed = await anthropic.models.list();
    expect(listed.data.map(({ id }) => id)).toEqual(
      [...providers, ...embedders.map(({ id }) => `e-${id}`)].map((name) => `a-${name}`).toSorted(),
    );
    expect(await rowsOf(db(), who)).toEqual([]);
  });

  test('docs/faults.md matches the observed behaviour; vitest -u writes it', async () => {
    await expect(matrix.page()).toMatchFileSnapshot('../../../../docs/dialects.md');
  });
});
