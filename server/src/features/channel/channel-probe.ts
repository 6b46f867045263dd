import type { ChannelTest } from '@relay-hub/contract';
import { parseTextMap } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { AppError, ensure } from '#errors.ts';
import type { Provider } from '#providers/provider.ts';
import type { Upstreams } from '#relay/upstreams.ts';
import { masked } from '#secrets.ts';

/** A channel, saved or not, as far as a request of our own through it needs it. */
export interface Probed {
  provider: Provider;
  base_url: string;
  key: string;
  model_headers: string;
}

const PROBE_TIMEOUT_MS = 30_000;
const LARGEST_REPLY = 4 * 1024 * 1024;

/** Asks the provider for its models. Throws `channel.models_unsupported` or `channel.upstream_failed`. */
export async function askForModels(upstreams: Upstreams, channel: Probed): Promise<string[]> {
  const list = channel.provider.models;
  ensure(list, 'channel.models_unsupported', { field: 'type' });
  const reply = await ask(upstreams, channel, 'GET', list.path, undefined);
  const names = list.read(reply);
  if (!names)
    throw new AppError('channel.upstream_failed', { reason: 'the model list has another shape than expected' });
  return names.toSorted();
}

const embeddingName = /^text-embedding|embed|bge-|e5-|gte-|jina-embeddings/i;
const untestable = /^tts|rerank|whisper|speech|^mj_|^chirp|dall-e|gpt-image/i;

const chatReply = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.nullish(z.string()) }) })).check(z.minLength(1)),
});
const embeddingReply = z.object({ data: z.array(z.looseObject({})).check(z.minLength(1)) });

/** Sends one smallest request with a model and tells how long the whole answer took. Throws `channel.upstream_failed`. */
export async function testChannel(
  upstreams: Upstreams,
  channel: Probed,
  model: string,
  mapping: string,
): Promise<ChannelTest> {
  if (untestable.test(model)) throw new AppError('channel.test_unsupported', { field: 'model', model });
  // A map: a model may be called `constructor`.
  const targets = new Map(Object.entries(parseTextMap(mapping) ?? {}));
  const sent = (targets.get(model) ?? model).replace(/^\+/, '');
  const embedding = embeddingName.test(sent);
  const operation = embedding ? channel.provider.embeddings : channel.provider.chat;
  ensure(operation, 'channel.test_unsupported', { field: 'model', model });
  const limit = /^(o\d|gpt-5)/.test(sent) ? { max_completion_tokens: 16 } : { max_tokens: 16 };
  const body = embedding
    ? { model: sent, input: 'hi' }
    : { model: sent, messages: [{ role: 'user', content: 'Say hi.' }], ...limit };
  const start = performance.now();
  const reply = await ask(upstreams, channel, 'POST', operation.path, body);
  const ms = Math.max(1, Math.round(performance.now() - start));
  if (embedding) {
    if (!embeddingReply.safeParse(reply).success)
      throw new AppError('channel.upstream_failed', { reason: 'the answer holds no embedding' });
    return { ms, model, answer: '' };
  }
  const parsed = chatReply.safeParse(reply);
  if (!parsed.success) throw new AppError('channel.upstream_failed', { reason: 'the answer holds no message' });
  return { ms, model, answer: masked(parsed.data.choices[0]?.message.content ?? '', channel.key).slice(0, 200) };
}

async function ask(
  upstreams: Upstreams,
  { provider, base_url, key, model_headers }: Probed,
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
): Promise<unknown> {
  const address = base_url || provider.baseUrl;
  ensure(address !== '', 'channel.address_needed', { field: 'base_url' });
  const headers = {
    ...parseTextMap(model_headers),
    'content-type': 'application/json',
    accept: 'application/json',
    ...provider.headers(key),
  };
  let status: number;
  let text: string;
  try {
    ({ status, text } = await upstreams.ask(
      address,
      path,
      { method, headers, body: body === undefined ? undefined : JSON.stringify(body) },
      PROBE_TIMEOUT_MS,
      LARGEST_REPLY,
    ));
  } catch (error) {
    throw new AppError('channel.upstream_failed', { reason: masked((error as Error).message, key) });
  }
  const json = parseJson(text);
  if (status < 200 || status >= 300 || hasError(json)) {
    throw new AppError('channel.upstream_failed', { reason: `${status} ${excerpt(messageOf(json) ?? text, key)}` });
  }
  return json;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorBody = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

const hasError = (json: unknown): boolean => errorBody.safeParse(json).success;

function messageOf(json: unknown): string | undefined {
  const parsed = errorBody.safeParse(json);
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  return typeof error === 'string' ? error : error.message;
}

/** The beginning of what an upstream said. Masked before it is cut: half a key would not be recognised. */
const excerpt = (text: string, key: string): string => masked(text, key).slice(0, 300);
