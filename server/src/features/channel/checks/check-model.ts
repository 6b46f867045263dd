import { type CheckedModel, checkStatus } from '@relay-hub/contract';
import { objectOr, parseJson, type Json } from '#json.ts';
import type { ChatReply } from '#chat/chat.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import { dialects } from '#chat/codecs.ts';
import type { Db } from '#db/tables.ts';
import { AppError } from '#errors.ts';
import { masked } from '#secrets.ts';
import { UpstreamRefusal } from './ask-provider.ts';
import { askInChat, type ModelChat, limitOf, textOf } from './channel-probe.ts';
import { addCheckImage, fetcherOf, fetchesOf } from './check-image.ts';

type Process = CheckedModel['process'][number];
type Result = Process['results'][number];

const { failed, passed, unknown } = checkStatus;

/** Dependencies of a model check. */
export interface ModelCheck {
  chat: ModelChat;
  signal: AbortSignal;
  /** Stores the pictures that models fetch. */
  db: Db;
  now(): number;
  /** This server's public address; empty if unknown. */
  siteUrl: string;
}

type Check = (checking: ModelCheck) => Promise<Process>;

/** Runs the checks of a model in sequence. Upstream refusals are results and do not throw. */
export async function checkModel(checking: ModelCheck): Promise<Process[]> {
  const done: Process[] = [];
  for (const check of [basic, error, image, json, tools]) {
    if (checking.signal.aborted) break;
    done.push(await check(checking));
  }
  return done;
}

/** The result for a model without a chat. */
export const noChat = (): Process[] => [
  { name: 'basic', results: [{ name: 'chat', status: unknown, remark: '' }], response: null },
];

const basic: Check = (checking) =>
  judged(checking, 'basic', { messages: user('Say hi.'), ...limitOf(checking.chat.call.model) }, (reply) => [
    { name: 'answer', status: passed, remark: textOf(reply).slice(0, 200) },
    { name: 'usage', status: reply.usage ? passed : failed, remark: usageText(reply) },
    nameResult(checking.chat.call.model, reply.model),
    idResult(checking.chat.call.model, reply.id),
  ]);

const usageText = ({ usage }: ChatReply): string => (usage ? `${usage.input} + ${usage.output}` : '');

/** Known model families: a reply that names another family comes from another model. */
const family = /^(?:gpt-|chatgpt-|o\d|claude-|gemini-)/;

function nameResult(expected: string, actual: string | undefined): Result {
  const isAs = actual !== undefined && actual.replace(/^models\//, '').startsWith(expected.replace(/-latest$/, ''));
  const status =
    actual === undefined || actual === '' || (!isAs && !family.test(expected)) ? unknown : isAs ? passed : failed;
  return { name: 'model', status, remark: actual ?? '' };
}

function idResult(expected: string, actual: string | undefined): Result {
  const isAs = /^(?:chatcmpl-|msg_)/.test(actual ?? '');
  const named = /^(?:gpt-|chatgpt-|o\d|claude-)/.test(expected);
  return {
    name: 'id',
    status: isAs ? passed : actual === undefined || !named ? unknown : failed,
    remark: actual ?? '',
  };
}

/** An invalid role must be refused. Each relay on the way may append its own number to the error. */
async function error({ chat, signal }: ModelCheck): Promise<Process> {
  try {
    const reply = await askInChat(chat, { messages: user('Say hi.'), ...limitOf(chat.call.model) }, signal, badRole);
    return {
      name: 'error',
      results: [{ name: 'refused', status: failed, remark: '' }],
      response: completion(chat, {}, reply),
    };
  } catch (thrown) {
    const refusal = thrown instanceof UpstreamRefusal ? thrown : undefined;
    const status = refusal?.upstream.status ?? 0;
    const remark = reasonOf(thrown);
    const relays = remark.match(/request id:/gi)?.length ?? 0;
    const isOfRequest = status === 400 || status === 404 || status === 422;
    return {
      name: 'error',
      results: [
        { name: 'refused', status: isOfRequest ? passed : unknown, remark },
        ...(isOfRequest ? [{ name: 'relays', status: relays > 0 ? unknown : passed, remark: String(relays) }] : []),
      ],
      response: null,
    };
  }
}

/** Sets an invalid role on the first message, in any dialect. */
function badRole(body: Json): Json {
  for (const list of ['messages', 'contents', 'input']) {
    const messages = body[list];
    if (Array.isArray(messages)) return { ...body, [list]: [{ ...objectOr(messages[0]), role: 'nobody' }] };
  }
  return body;
}

const image: Check = async (checking) => {
  const { db, now, siteUrl } = checking;
  if (siteUrl === '')
    return { name: 'image', results: [{ name: 'address', status: unknown, remark: '' }], response: null };
  const id = await addCheckImage(db, now());
  const content = [
    { type: 'text', text: 'Which colour is this picture? Answer with one word.' },
    { type: 'image_url', image_url: { url: `${siteUrl}/api/image/${id}` } },
  ];
  const process = await judged(
    checking,
    'image',
    { messages: [{ role: 'user', content }], ...limitOf(checking.chat.call.model, 300) },
    (reply) => [
      { name: 'seen', status: /\bred\b/i.test(textOf(reply)) ? passed : failed, remark: textOf(reply).slice(0, 200) },
    ],
  );
  const fetched = (await fetchesOf(db, id)).map(({ ip, userAgent }): Result => {
    const by = fetcherOf(userAgent);
    return { name: 'fetched', status: by === 'unknown' ? unknown : passed, remark: `${by} · ${ip} · ${userAgent}` };
  });
  process.results.push(...(fetched.length > 0 ? fetched : [{ name: 'fetched', status: unknown, remark: '' }]));
  return process;
};

const json: Check = (checking) => {
  const schema = {
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', json_schema: { name: 'sum', strict: true, schema } };
  const more = { response_format: format, ...limitOf(checking.chat.call.model, 300) };
  return judged(checking, 'json', { messages: user('What is 17 + 25?'), ...more }, (reply) => {
    const text = textOf(reply);
    return [{ name: 'schema', status: Number.isInteger(sumIn(text)) ? passed : failed, remark: text.slice(0, 200) }];
  });
};

const sumIn = (text: string): unknown => objectOr(parseJson(text))['sum'];

const places = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const offered = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, description: `${name.replace('_', ' ')} of a city`, parameters: places },
}));

const tools: Check = (checking) => {
  const question = user('Use the tools: what is the weather in Paris, and what time is it there?');
  const more = { tools: offered, ...limitOf(checking.chat.call.model, 300) };
  return judged(checking, 'tools', { messages: question, ...more }, (reply) => {
    const calls = reply.parts.filter((part) => part.type === 'tool_call');
    const called = calls.filter(
      ({ name, arguments: given }) => offered.some((one) => one.function.name === name) && isObject(given),
    );
    const remark = calls.map(({ name, arguments: given }) => `${name}(${given})`).join(' ');
    const both = new Set(called.map(({ name }) => name)).size > 1;
    return [
      { name: 'called', status: called.length > 0 ? passed : failed, remark: (remark || textOf(reply)).slice(0, 200) },
      // A model may also call the tools one after another.
      ...(called.length > 0 ? [{ name: 'both', status: both ? passed : unknown, remark: '' }] : []),
    ];
  });
};

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const user = (content: string): object[] => [{ role: 'user', content }];

/** Sends a request and judges the reply; a failure becomes the only result. */
async function judged(
  { chat, signal }: ModelCheck,
  name: Process['name'],
  question: { messages: object[] },
  judge: (reply: ChatReply) => Result[],
): Promise<Process> {
  try {
    const reply = await askInChat(chat, question, signal);
    const { key } = chat.channel;
    const results = judge(reply).map((result) => ({ ...result, remark: masked(result.remark, key) }));
    return { name, results, response: completion(chat, question, reply) };
  } catch (thrown) {
    return { name, results: [{ name: 'answer', status: failed, remark: reasonOf(thrown) }], response: null };
  }
}

/** The upstream's reason. Rethrows faults of this server. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AppError) return String(thrown.values['reason'] ?? thrown.code);
  if (thrown instanceof BadChatRequest) return thrown.message;
  throw thrown;
}

/** A reply in OpenAI's format, with the channel's key masked. */
function completion({ call: { model }, channel }: ModelChat, question: object, reply: ChatReply): Json {
  const request = dialects.openai.readRequest({ model, messages: user(''), ...question });
  const context = {
    request,
    requestId: reply.id ?? '',
    model: reply.model ?? model,
    created: Math.floor(Date.now() / 1000),
  };
  const written = { ...dialects.openai.writeReply(reply, context), ...(reply.id && { id: reply.id }) };
  return objectOr(parseJson(masked(JSON.stringify(written), channel.key)));
}
