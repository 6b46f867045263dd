import type { Json } from '#chat/chat.ts';
import { listOr, objectOr } from '#chat/fields.ts';
import { embeddingName } from '#providers/media/embeddings.ts';
import type { Content, Operation } from '#providers/operation.ts';
import type { Provider } from '#providers/provider.ts';

/** What a model that does not chat is tested with: its smallest request, and what the answer must hold. */
export interface TestKind {
  /** What the answer is without, when it fails. */
  wants: string;
  operation(provider: Provider): Operation | undefined;
  /** In OpenAI's words. */
  request(model: string, provider: Provider): Json;
  /** What is asked instead where the upstream takes exception to a part of it that says nothing of the channel. */
  otherwise?(request: Json, refusal: string): Json | undefined;
  /** The same as a form, where there is only that. */
  form?(model: string): { bytes: Buffer; contentType: string };
  /** Whether an answer in OpenAI's form holds it. */
  isIn(answer: Content): boolean;
  /** Takes its time, which says nothing of the channel. */
  slow?: true;
}

const images: TestKind = {
  wants: 'picture',
  operation: (provider) => provider.images?.generations,
  request: (model) => ({ model, prompt: 'A cute cat', n: 1, ...cheapest(model) }),
  isIn: (answer) => membersOf(answer, 'data').some(({ url, b64_json: bytes }) => Boolean(url) || Boolean(bytes)),
  slow: true,
};

/** What makes a picture of OpenAI's cost little. */
function cheapest(model: string): Json {
  if (model.startsWith('dall-e-2')) return { size: '256x256' };
  return model.startsWith('gpt-image') ? { quality: 'low' } : {};
}

const speech: TestKind = {
  wants: 'sound',
  operation: (provider) => provider.speech,
  request: (model, provider) => ({ model, input: 'Hi.', ...(provider.testSpeech?.(model) ?? { voice: 'alloy' }) }),
  // Servers with voices of their own mostly have one that they take by themselves.
  otherwise: ({ voice, ...rest }, refusal) => (voice !== undefined && /voice/i.test(refusal) ? rest : undefined),
  isIn: (answer) => 'bytes' in answer && answer.bytes.length > 0 && !/^text\/html/i.test(answer.contentType),
  slow: true,
};

const transcriptions: TestKind = {
  wants: 'text',
  operation: (provider) => provider.transcriptions,
  request: (model) => ({ model }),
  form: (model) => {
    const boundary = 'a-second-of-silence';
    const field = (head: string, value: Buffer | string) => [
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ];
    const bytes = Buffer.concat([
      ...field('name="model"', model),
      ...field('name="file"; filename="silence.wav"\r\ncontent-type: audio/wav', silence()),
      Buffer.from(`--${boundary}--\r\n`),
    ]);
    return { bytes, contentType: `multipart/form-data; boundary=${boundary}` };
  },
  // Nothing may have been heard.
  isIn: (answer) => 'json' in answer && typeof objectOr(answer.json)['text'] === 'string',
  slow: true,
};

const RATE = 8000;

/** A second of it as a WAV file: 8000 samples of one byte. */
function silence(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + RATE, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28); // bytes a second
  head.writeUInt16LE(1, 32); // bytes of a sample
  head.writeUInt16LE(8, 34); // bits of one
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(RATE, 40);
  return Buffer.concat([head, Buffer.alloc(RATE, 0x80)]);
}

const embeddings: TestKind = {
  wants: 'embedding',
  operation: (provider) => provider.embeddings,
  request: (model) => ({ model, input: 'hi' }),
  isIn: (answer) => membersOf(answer, 'data').length > 0,
};

const rerank: TestKind = {
  wants: 'ranking',
  operation: (provider) => provider.rerank,
  request: (model) => ({ model, query: 'hi', documents: ['hi', 'no'], top_n: 1 }),
  isIn: (answer) => membersOf(answer, 'results').length > 0,
};

const membersOf = (answer: Content, name: string): Json[] =>
  listOr(objectOr('json' in answer ? answer.json : undefined)[name]).map(objectOr);

/** By which names they are known, as far as names tell; the first that fits. */
const byName: readonly [RegExp, TestKind][] = [
  [/rerank/i, rerank],
  [/whisper|transcribe|sensevoice|[-_]asr\b/i, transcriptions],
  [/^tts|-tts\b|speech|cosyvoice/i, speech],
  [
    /flux|diffusion|stabilityai|^sd-|^sd3|dall-e|gpt-image|cogview|janus|imagen|recraft|kolors|seedream|-image\b/i,
    images,
  ],
  [embeddingName, embeddings],
];

/** Tasks that go on for long, and what is no request. */
const untestable = /^mj_|^chirp|^suno|^kling-video|realtime/i;

/** Whether a name is one that a smallest request can be sent for. */
export const isTestable = (model: string): boolean => model !== '' && !model.endsWith('*') && !untestable.test(model);

/**
 * What a model is tested with at a provider; `chat` where names tell nothing and it chats, or where it has no other place
 * for such a model. Undefined: there is no test for it.
 */
export function testKindOf(provider: Provider, model: string): TestKind | 'chat' | undefined {
  if (!isTestable(model)) return undefined;
  const named = byName.find(([names]) => names.test(model))?.[1];
  if (named?.operation(provider)) return named;
  // Some draw in a chat; nobody speaks, embeds or ranks there.
  if (provider.chat && (!named || named === images)) return 'chat';
  return named ? undefined : [images, speech, rerank, embeddings].find((kind) => kind.operation(provider));
}
