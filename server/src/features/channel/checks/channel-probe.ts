import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChannelTest } from '@relay-hub/contract';
import { parseTextMap, splitList } from '@relay-hub/contract';
import { objectOr, type Json } from '#json.ts';
import type { ChatReply } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { ChatCollector } from '#chat/chat-events.ts';
import { splitModel } from '#chat/steering.ts';
import { anthropicWire, dialects, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import { AppError, ensure } from '#errors.ts';
import type { Live } from '#live/live.ts';
import { liveRules, ruledBody, rulesFor } from '#live/request-rules.ts';
import { changed } from '#providers/fixes.ts';
import type { ProviderCall, Content, Job, Operation, ProviderWire } from '#providers/operation.ts';
import { operationFor } from '#providers/target.ts';
import { steeredName } from '#relay/select/channel-offer.ts';
import type { Upstreams } from '#relay/upstream/upstreams.ts';
import { masked } from '#secrets.ts';
import { askForContent, askProvider, type OwnSpending, type ProbedChannel, UpstreamRefusal } from './ask-provider.ts';
import { isTestable, type TestKind, testKindOf } from './test-kinds.ts';
import type { ChannelRow } from '#features/channel/channel-record.ts';
import { findProvider } from '#providers/registry.ts';

const QUESTION_TIMEOUT_MS = 30_000;
const JOB_POLL_MS = 1000;
/** Upper bound for paged model lists. */
const MOST_PAGES = 50;

/** Lists a provider's models. Throws `channel.models_unsupported` or `channel.upstream_failed`. */
export async function askForModels(upstreams: Upstreams, channel: ProbedChannel): Promise<string[]> {
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

/** The result of a minimal request. */
export interface ProbeResult extends ChannelTest {
  /** Image and audio models are slow by nature, which is not the channel's fault. */
  slow: boolean;
}

/** Sends a minimal request with a model and measures the full response time. Throws `channel.upstream_failed`. */
export async function testChannel(
  upstreams: Upstreams,
  channel: ProbedChannel,
  { model, mapping }: { model: string; mapping: string },
  limitMs: (slow: boolean) => number,
): Promise<ProbeResult> {
  const call = callFor(channel, model, mapping);
  const kind = testKindOf(channel.provider, call.model);
  if (!kind) throw new AppError('channel.test_unsupported', { field: 'model', model });
  const slow = kind !== 'chat' && kind.slow === true;
  const start = performance.now();
  const answer =
    kind === 'chat'
      ? await greet(upstreams, channel, call, limitMs(slow))
      : await tryOut({ upstreams, channel, call }, kind, limitMs(slow));
  const ms = Math.max(1, Math.round(performance.now() - start));
  return { ms, model, answer: masked(answer, channel.key).slice(0, 200), slow };
}

async function greet(
  upstreams: Upstreams,
  channel: ProbedChannel,
  call: ProviderCall,
  timeoutMs: number,
): Promise<string> {
  const { model } = call;
  const operation = operationFor(channel.provider.chat, call, 'openai');
  if (!operation) throw new AppError('channel.test_unsupported', { field: 'model', model });
  return textOf(await askChat({ call, operation, upstreams, channel }, greeting(model), { timeoutMs }));
}

/** Non-chat models return no text. */
async function tryOut(
  { upstreams, channel, call }: { upstreams: Upstreams; channel: ProbedChannel; call: ProviderCall },
  kind: TestKind,
  timeoutMs: number,
): Promise<''> {
  const { model } = call;
  const operation = operationFor(kind.operation(channel.provider), call, 'openai');
  if (!operation) throw new AppError('channel.test_unsupported', { field: 'model', model });
  const request = kind.request(model, channel.provider);
  const ask = (content: Content): Promise<Content> => {
    const sent = 'json' in content ? { body: fixed(operation, call, content.json) } : { bytes: content };
    return askForContent(upstreams, channel, { ...operation, model, ...sent, timeoutMs });
  };
  const answer = await counted(channel, model, async () => {
    try {
      const { convert } = operation;
      const file = kind.file?.().toString('base64');
      return await ask(convert?.request({ ...request, file }, call) ?? kind.form?.(model) ?? { json: request });
    } catch (error) {
      const other = operation.convert ? undefined : retryRequest(kind, request, error);
      if (!other) throw error;
      return ask({ json: other });
    }
  });
  const json = 'json' in answer ? answer.json : undefined;
  const raw = operation.usage.find(json);
  const usage = raw === undefined ? undefined : operation.usage.read(raw);
  await channel.spent?.({ model, usage, served: operation.usage.served?.(json) });
  if (!holds(kind, operation, answer, request))
    throw new AppError('channel.upstream_failed', { reason: `the answer holds no ${kind.expects}` });
  return '';
}

/** An alternative request after a refusal that concerns neither key nor account. */
function retryRequest(kind: TestKind, request: Json, error: unknown): Json | undefined {
  if (!(error instanceof UpstreamRefusal) || ![400, 404, 422].includes(error.upstream.status)) return undefined;
  return kind.retryRequest?.(request, String(error.values['reason']));
}

function fixed(operation: Operation, call: ProviderCall, json: unknown): Json {
  const written = { ...objectOr(json) };
  return changed(written, operation.fix?.(written, call) ?? {});
}

function holds(kind: TestKind, { convert }: Operation, answer: Content, request: Json): boolean {
  try {
    return kind.hasExpected(convert ? convert.reply(answer, request) : answer);
  } catch (error) {
    if (error instanceof BadReply) return false;
    throw error;
  }
}

/** The operation for a model, as a real call would build it, without reasoning parameters. */
function callFor(
  { provider, base_url, other, plugin, key, models = '' }: ProbedChannel,
  model: string,
  mapping: string,
): ProviderCall {
  return {
    model: sentName(model, { models, model_mapping: mapping }),
    baseUrl: base_url || provider.baseUrl,
    extras: { other, plugin },
    key,
    stream: false,
  };
}

type OfferedModels = Pick<ChannelRow, 'models' | 'model_mapping'>;

/** The upstream's name of a model, as a call would send it. */
function sentName(model: string, { models, model_mapping: mapping }: OfferedModels): string {
  // A Map, because a model may be called `constructor`.
  const targets = new Map(Object.entries(parseTextMap(mapping) ?? {}));
  const routed = splitList(models).includes(model) ? model : splitModel(model).model;
  const target = targets.get(routed);
  return target === undefined ? routed : steeredName(target.replace(/^\+/, '')).upstream;
}

/**
 * The model that tests a channel: the stored one while it is offered, else one of its models that answers quickly, if
 * possible a chat model with a price, as only these are called. Empty if no model is known.
 */
export function testModelOf(
  row: Pick<ChannelRow, 'type' | 'test_model'> & OfferedModels,
  { prices }: Pick<Live, 'prices'>,
): string {
  const { type, test_model: stored } = row;
  if (stored !== '' && isOffered(stored, row)) return stored;
  const provider = findProvider(type);
  const offered = splitList(row.models).flatMap((model) => {
    const kind = provider && testKindOf(provider, sentName(model, row));
    return kind === undefined || !isTestable(model) ? [] : [{ model, kind }];
  });
  const isQuick = ({ kind }: (typeof offered)[number]) => kind === 'chat' || !kind.slow;
  const isUsual = ({ model }: (typeof offered)[number]) => model === provider?.testModel;
  const isChat = ({ kind }: (typeof offered)[number]) => kind === 'chat';
  const priced = offered.filter(({ model }) => prices.listed(model) ?? prices.listed(sentName(model, row)));
  const chosen = [priced, offered].map((among) => among.find(isUsual) ?? among.find(isChat)).find((one) => one);
  return (chosen ?? offered.find(isQuick))?.model ?? stored;
}

/** The model of a test that an operator asks for: also a slow one, if the channel has no other. */
export const modelByHand = (row: Parameters<typeof testModelOf>[0], live: Pick<Live, 'prices'>): string =>
  testModelOf(row, live) || (splitList(row.models).find(isTestable) ?? '');

/** Whether callers can ask for a model, or are led to it by the mapping. */
export function isOffered(model: string, { models, model_mapping: mapping }: OfferedModels): boolean {
  const names = [model, splitModel(model).model];
  const led = Object.values(parseTextMap(mapping) ?? {}).map((target) => target.replace(/^\+/, ''));
  return [...splitList(models), ...led].some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : names.includes(pattern),
  );
}

/** A chat function for a channel's model, in OpenAI's format; undefined if the channel has no chat. */
export function chatWith(
  upstreams: Upstreams,
  channel: ProbedChannel,
  model: string,
  mapping: string,
): ModelChat | undefined {
  const call = callFor(channel, model, mapping);
  if (testKindOf(channel.provider, call.model) !== 'chat') return undefined;
  const operation = operationFor(channel.provider.chat, call, 'openai');
  return operation && { call, operation, upstreams, channel };
}

export interface ModelChat {
  call: ProviderCall;
  operation: Operation;
  upstreams: Upstreams;
  channel: ProbedChannel;
}

/** Sends a chat; `change` may adjust the final body. Throws `channel.upstream_failed`. */
export async function askInChat(
  chat: ModelChat,
  question: object,
  signal: AbortSignal,
  change?: (body: Json) => Json,
): Promise<ChatReply> {
  const asked = { model: chat.call.model, ...question };
  return askChat(chat, asked, { timeoutMs: QUESTION_TIMEOUT_MS, signal, ...(change && { change }) });
}

interface ChatOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  change?: (body: Json) => Json;
}

/** Asks for a reply, and reports its usage to the channel. */
async function askChat(chat: ModelChat, question: object, options: ChatOptions): Promise<ChatReply> {
  const { call, channel } = chat;
  const { reply, served } = await counted(channel, call.model, () => exchange(chat, question, options));
  await channel.spent?.({ model: call.model, usage: reply.usage, served });
  return reply;
}

/** Reports a request that failed to the channel. */
async function counted<T>(channel: ProbedChannel, model: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    await channel.spent?.({ model, failed: error instanceof UpstreamRefusal ? 'refused' : 'other' });
    throw error;
  }
}

/** A whole reply, and where the upstream has streams only, one of a stream. */
async function exchange(
  { call, operation, upstreams, channel }: ModelChat,
  question: object,
  { timeoutMs, signal, change = (body) => body }: ChatOptions,
): Promise<{ reply: ChatReply; served?: OwnSpending['served'] }> {
  const queryFor = (stream: boolean) => {
    const body = chatBody(operation, { ...call, stream }, stream ? { ...question, stream } : question);
    const asked = withRules(channel, call.model, change(body));
    return { ...operation, model: call.model, stream, body: asked, timeoutMs, ...(signal && { signal }) };
  };
  try {
    const json = await askForReply(operation, upstreams, channel, queryFor(false));
    return { reply: readReply(operation, json), served: operation.usage.served?.(json) };
  } catch (error) {
    if (operation.job || !demandsStream(error)) throw error;
    return { reply: readStream(operation, await askForContent(upstreams, channel, queryFor(true))) };
  }
}

/** The request after the rules that change chats in the provider's format; tests are sent in no client's format. */
function withRules({ request_rules: stored = '' }: ProbedChannel, model: string, body: Json): Json {
  const rules = liveRules(stored)?.filter((rule) => !rule.before_conversion);
  return rules ? ruledBody(body, rulesFor(rules, { endpoint: 'chat', models: [model, model] })) : body;
}

/** Whether a refusal is about the request, and names streams. */
const demandsStream = (error: unknown): boolean =>
  error instanceof UpstreamRefusal &&
  [400, 404, 405, 406, 409, 422, 501].includes(error.upstream.status) &&
  /stream/i.test(String(error.values['reason']));

function readStream(operation: Operation, content: Content): ChatReply {
  if ('json' in content) return readReply(operation, content.json);
  const reader = wireOf(operation).streamReader({ usage: operation.usage });
  const unframer = operation.unframe?.();
  const bytes = unframer ? Buffer.concat([unframer.push(content.bytes), unframer.end()]) : content.bytes;
  const collector = new ChatCollector();
  for (const event of reader.push(bytes)) collector.add(event);
  for (const event of reader.end()) collector.add(event);
  return replyIn(() => collector.reply());
}

/** A reply as the operation's wire reads it. */
async function askForReply(
  { wire, job }: Operation,
  ...[upstreams, channel, query]: Parameters<typeof askProvider>
): Promise<unknown> {
  if (job) return finishedJob(job, upstreams, channel, query);
  if (!wire?.parse) return askProvider(upstreams, channel, query);
  const content = await askForContent(upstreams, channel, query);
  return 'bytes' in content ? wire.parse(content.bytes) : content.json;
}

/** The reply of a job once it is done. Throws `channel.upstream_failed`, also for a job that takes too long. */
async function finishedJob(job: Job, ...[upstreams, channel, query]: Parameters<typeof askProvider>): Promise<unknown> {
  const { timeoutMs, signal } = query;
  const target = { baseUrl: channel.base_url || channel.provider.baseUrl, path: '', headers: {} };
  const deadline = performance.now() + timeoutMs;
  let reply = await askProvider(upstreams, channel, query);
  for (;;) {
    const state = job(reply, target);
    if (!state || state.isDone) return reply;
    if (performance.now() > deadline) throw new AppError('channel.upstream_failed', { reason: 'no answer in time' });
    await wait(JOB_POLL_MS, undefined, signal && { signal });
    reply = await askProvider(upstreams, channel, { path: state.path, timeoutMs, ...(signal && { signal }) });
  }
}

/** OpenAI's reasoning models reject `max_tokens`. */
export const limitOf = (model: string, tokens = 16): object =>
  /^(o\d|gpt-5)/.test(model) ? { max_completion_tokens: tokens } : { max_tokens: tokens };

const greeting = (model: string): object => ({
  model,
  messages: [{ role: 'user', content: 'Say hi.' }],
  ...limitOf(model),
});

function chatBody(operation: Operation, call: ProviderCall, request: object): Json {
  const written =
    operation.dialect === 'openai'
      ? { ...request }
      : wireOf(operation).writeRequest(dialects.openai.readRequest(request), { model: call.model });
  return changed(written, operation.fix?.(written, call) ?? {});
}

const wires = { openai: openAiWire, responses: responsesWire, anthropic: anthropicWire, gemini: geminiWire };

const wireOf = ({ wire, dialect }: Operation): ProviderWire =>
  wire ?? (dialect === 'own' ? openAiWire : wires[dialect]);

/** A reply's text without its reasoning. */
export const textOf = ({ parts }: ChatReply): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

const readReply = (operation: Operation, reply: unknown): ChatReply =>
  replyIn(() => wireOf(operation).readReply(reply, { usage: operation.usage }));

function replyIn(read: () => ChatReply): ChatReply {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadReply)) throw error;
    throw new AppError('channel.upstream_failed', { reason: 'the answer holds no message' });
  }
}
