import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { channelType } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { typesWith } from '#channel-types/channel-types.ts';
import { allProviders, findProvider, readProviders } from './registry.ts';
import { findFixture } from './testing/fixtures.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'providers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const compatible = new URL('./open-ai-compatible.ts', import.meta.url).href;

/** A provider as documented. */
const file = (name: string, id: string, type: number) =>
  writeFileSync(
    join(folder, `${name}.ts`),
    `import { openAiCompatible } from '${compatible}';
     export const provider = openAiCompatible({
       id: '${id}', type: ${type}, title: 'Acme', baseUrl: 'https://api.acme.example', has: ['embeddings'],
     });`,
  );

const read = () => readProviders(pathToFileURL(`${folder}/`));

test('one new file is a provider, whatever other files the folder has', async () => {
  file('acme', 'acme', 900);
  writeFileSync(join(folder, 'acme.test.ts'), 'throw new Error("tests are no providers")');
  writeFileSync(join(folder, 'notes.md'), 'neither are notes');
  const found = await read();
  expect([...found.keys()]).toEqual([900]);
  expect(found.get(900)).toMatchObject({
    title: 'Acme',
    chat: { path: '/v1/chat/completions' },
    embeddings: { path: '/v1/embeddings' },
    models: { path: '/v1/models' },
  });
  // The channel form is generated from this.
  const told = typesWith([...found.values()]).find(({ type }) => type === 900);
  expect(z.parse(channelType, told)).toMatchObject({
    title: 'Acme',
    supported: true,
    base_url: 'https://api.acme.example',
    address: 'optional',
    lists_models: true,
  });
  // The suite requires its fixtures.
  expect(findFixture('acme', 'channel')).toBeUndefined();
});

test('a file that is not named after its provider, and a number that is taken, stop the start', async () => {
  file('acme', 'other', 900);
  await expect(read()).rejects.toThrow("acme.ts must be named after its provider's id, other");
  rmSync(join(folder, 'acme.ts'));
  file('one', 'one', 901);
  file('two', 'two', 901);
  await expect(read()).rejects.toThrow('two and one both claim channel type 901');
});

test('the product line’s numbers are where they were', () => {
  const numbers = Object.fromEntries(allProviders().map(({ type, id }) => [type, id]));
  expect(numbers).toMatchObject({ 1: 'openai', 3: 'azure', 8: 'custom', 14: 'anthropic', 16: 'zhipu', 17: 'ali' });
  expect(numbers).toMatchObject({ 25: 'gemini', 32: 'bedrock', 36: 'cohere', 39: 'ollama', 42: 'vertex', 56: 'xai' });
  // Retired numbers, or model owners without a channel type.
  for (const type of [0, 2, 4, 5, 6, 7, 9, 10, 12, 13, 21, 22, 43, 44, 46, 48, 50])
    expect(findProvider(type)).toBeUndefined();
});
