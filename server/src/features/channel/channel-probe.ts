import type { ChannelTest } from '@relay-hub/contract';
import { parseTextMap } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { ChatReply, Json } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { anthropicWire, dialects, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import { AppError, ensure } from '#errors.ts';
import { changed } from '#providers/fixes.ts';
import { embeddingName } from '#providers/media/embeddings.ts';
import type { Asked, Operation, ProviderWire } from '#providers/operation.ts';
import { operationFor } from '#providers/target.ts';
import type { Upstreams } from '#relay/upstreams.ts';
import { masked } from '#secrets.ts';
import { askProvider, type Probed } from './ask-provider.ts';

const QUESTION_TIMEOUT_MS = 30_000;
/** Nobody has more models than so many pages hold. */
const MOST_PAGES = 50;

/** Asks the provider for its models. Throws `channel.models_unsupported` or `channel.upstream_failed`. */
export async function askForModels(upstreams: Upstreams, channel: Probed): Promise<string[]> {
  const list = channel.provider.models;
  ensure(list, 'channel.models_unsupported', { field: 'type' });
  const names = new Set<string>();
  let more: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const reply = await askProvider(upstreams, channel, { ...list, more, timeoutMs: QUESTION_TIMEOUT_MS });
    const found = list.read(reply);
    if (!found)
      throw new AppError('channel.upstream_failed', { reason: 'the model list has another shape than expected' });
    for (const name of found) names.add(name);
    more = list.next?.(reply);
    if (more === undefined) break;
  }
  return [...names].toSorted();
}

const untestable = /^tts|rerank|whisper|speech|^mj_|^chirp|^suno|dall-e|gpt-image|^kling-video/i;

/** Whether a name is one that a smallest request can be sent for. */
export const isTestable = (model: string): boolean => !model.endsWith('*') && !untestable.test(model);

const embeddingReply = z.object({ data: z.array(z.looseObject({})).check(z.minLength(1)) });

/** Sends one smallest request with a model and tells how long the whole answer took. Throws `channel.upstream_failed`. */
export async function testChannel(
  upstreams: Upstreams,
  channel: Probed,
  model: string,
  mapping: string,
  timeoutMs = QUESTION_TIMEOUT_MS,
): Promise<ChannelTest> {
  if (untestable.test(model)) throw new AppError('channel.test_unsupported', { field: 'model', model });
  const { provider, key } = channel;
  const asked = askedFor(channel, model, mapping);
  const sent = asked.model;
  const embedding = embeddingName.test(sent);
  const operation = operationFor(embedding ? provider.embeddings : provider.chat, asked, 'openai');
  ensure(operation, 'channel.test_unsupported', { field: 'model', model });
  const body = embedding ? embeddingBody(operation, asked) : chatBody(operation, asked, greeting(sent));
  const start = performance.now();
  const reply = await askProvider(upstreams, channel, { ...operation, model: sent, body, timeoutMs });
  const ms = Math.max(1, Math.round(performance.now() - start));
  const answer = embedding ? readEmbedding(operation, reply, body) : readChat(operation, reply);
  return { ms, model, answer: masked(answer, key).slice(0, 200) };
}

/** What a channel is asked for when a model is wanted of it. */
function askedFor({ provider, base_url, other, plugin, key }: Probed, model: string, mapping: string): Asked {
  // A map: a model may be called `constructor`.
  const targets = new Map(Object.entries(parseTextMap(mapping) ?? {}));
  const sent = (targets.get(model) ?? model).replace(/^\+/, '');
  return { model: sent, baseUrl: base_url || provider.baseUrl, extras: { other, plugin }, key, stream: false };
}

/** A way to ask a channel's model in a chat, in OpenAI's words; undefined where it has no chats. */
export function chatWith(upstreams: Upstreams, channel: Probed, model: string, mapping: string): Chatting | undefined {
  const asked = askedFor(channel, model, mapping);
  if (untestable.test(asked.model) || embeddingName.test(asked.model)) return undefined;
  const operation = operationFor(channel.provider.chat, asked, 'openai');
  return operation && { asked, operation, upstreams, channel };
}

export interface Chatting {
  asked: Asked;
  operation: Operation;
  upstreams: Upstreams;
  channel: Probed;
}

/** Asks it, with the body changed at last as the question wants; throws `channel.upstream_failed`. */
export async function askInChat(
  { asked, operation, upstreams, channel }: Chatting,
  question: object,
  signal: AbortSignal,
  change: (body: Json) => Json = (body) => body,
): Promise<ChatReply> {
  const body = change(chatBody(operation, asked, { model: asked.model, ...question }));
  const query = { ...operation, model: asked.model, body, timeoutMs: QUESTION_TIMEOUT_MS, signal };
  return readReply(operation, await askProvider(upstreams, channel, query));
}

/** Reasoning models of OpenAI's refuse the old name of the limit. */
export const limitOf = (model: string, tokens = 16): object =>
  /^(o\d|gpt-5)/.test(model) ? { max_completion_tokens: tokens } : { max_tokens: tokens };

const greeting = (model: string): object => ({
  model,
  messages: [{ role: 'user', content: 'Say hi.' }],
  ...limitOf(model),
});

function chatBody(operation: Operation, asked: Asked, request: object): Json {
  const written =
    operation.dialect === 'openai'
      ? { ...request }
      : wireOf(operation).writeRequest(dialects.openai.readRequest(request), { model: asked.model });
  return changed(written, operation.fix?.(written, asked) ?? {});
}

function embeddingBody(operation: Operation, asked: Asked): object {
  const request = { model: asked.model, input: 'hi' };
  const content = operation.convert?.request(request, asked);
  const written = content && 'json' in content ? (content.json as object) : request;
  return changed({ ...written }, operation.fix?.({ ...written }, asked) ?? {});
}

const wires = { openai: openAiWire, responses: responsesWire, anthropic: anthropicWire, gemini: geminiWire };

const wireOf = ({ wire, dialect }: Operation): ProviderWire =>
  wire ?? (dialect === 'own' ? openAiWire : wires[dialect]);

const readChat = (operation: Operation, reply: unknown): string => textOf(readReply(operation, reply));

/** What an answer says, but for its thoughts. */
export const textOf = ({ parts }: ChatReply): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

function readReply(operation: Operation, reply: unknown): ChatReply {
  try {
    return wireOf(operation).readReply(reply, { usage: operation.usage });
  } catch (error) {
    if (!(error instanceof BadReply)) throw error;
    throw new AppError('channel.upstream_failed', { reason: 'the answer holds no message' });
  }
}

function readEmbedding(operation: Operation, reply: unknown, body: object): string {
  const converted = operation.convert?.reply({ json: reply }, { ...body });
  const json = converted && 'json' in converted ? converted.json : reply;
  if (!embeddingReply.safeParse(json).success)
    throw new AppError('channel.upstream_failed', { reason: 'the answer holds no embedding' });
  return '';
}
