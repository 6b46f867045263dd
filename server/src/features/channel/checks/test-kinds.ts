import { listOr, objectOr, type Json } from '#json.ts';
import { embeddingName } from '#providers/media/embeddings.ts';
import type { Content, Operation } from '#providers/operation.ts';
import type { Provider } from '#providers/provider.ts';

/** The minimal request for a non-chat model, and what its reply must contain. */
export interface TestKind {
  /** Contents of a valid reply, for the message of a failed test. */
  expects: string;
  operation(provider: Provider): Operation | undefined;
  /** In OpenAI's format. */
  request(model: string, provider: Provider): Json;
  /** The request of a second try, if the upstream refused a field that the test does not need. Undefined: none. */
  retryRequest?(request: Json, refusal: string): Json | undefined;
  /** The request as a form, where the upstream accepts only forms. */
  form?(model: string): { bytes: Buffer; contentType: string };
  /** The form's file, for upstreams with a proprietary format. */
  file?(): Buffer;
  /** Whether a reply, in OpenAI's format, contains the expected part. */
  hasExpected(answer: Content): boolean;
  /** Slow by nature, which is not the channel's fault. */
  slow?: true;
}

const images: TestKind = {
  expects: 'picture',
  operation: (provider) => provider.images?.generations,
  request: (model) => ({ model, prompt: 'A cute cat', n: 1, ...cheapest(model) }),
  hasExpected: (answer) => membersOf(answer, 'data').some(({ url, b64_json: bytes }) => Boolean(url) || Boolean(bytes)),
  slow: true,
};

/** The cheapest settings of OpenAI's image models. */
function cheapest(model: string): Json {
  if (model.startsWith('dall-e-2')) return { size: '256x256' };
  return model.startsWith('gpt-image') ? { quality: 'low' } : {};
}

const speech: TestKind = {
  expects: 'sound',
  operation: (provider) => provider.speech,
  request: (model, provider) => ({ model, input: 'Hi.', ...(provider.testSpeech?.(model) ?? { voice: 'alloy' }) }),
  // Servers with their own voices usually have a default voice.
  retryRequest: ({ voice, ...rest }, refusal) => (voice !== undefined && /voice/i.test(refusal) ? rest : undefined),
  hasExpected: (answer) => 'bytes' in answer && answer.bytes.length > 0 && !/^text\/html/i.test(answer.contentType),
  slow: true,
};

const transcriptions: TestKind = {
  expects: 'text',
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
  file: () => silence(),
  // The transcript may be empty.
  hasExpected: (answer) => 'json' in answer && typeof objectOr(answer.json)['text'] === 'string',
  slow: true,
};

/** Samples per second. */
const SAMPLE_RATE = 8000;

/** One second of silence as WAV: 8000 one-byte samples. */
function silence(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + SAMPLE_RATE, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(SAMPLE_RATE, 24);
  head.writeUInt32LE(SAMPLE_RATE, 28); // bytes per second
  head.writeUInt16LE(1, 32); // bytes per sample
  head.writeUInt16LE(8, 34); // bits per sample
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(SAMPLE_RATE, 40);
  return Buffer.concat([head, Buffer.alloc(SAMPLE_RATE, 0x80)]);
}

const embeddings: TestKind = {
  expects: 'embedding',
  operation: (provider) => provider.embeddings,
  request: (model) => ({ model, input: 'hi' }),
  hasExpected: (answer) => membersOf(answer, 'data').length > 0,
};

const rerank: TestKind = {
  expects: 'ranking',
  operation: (provider) => provider.rerank,
  request: (model) => ({ model, query: 'hi', documents: ['hi', 'no'], top_n: 1 }),
  hasExpected: (answer) => membersOf(answer, 'results').length > 0,
};

const membersOf = (answer: Content, name: string): Json[] =>
  listOr(objectOr('json' in answer ? answer.json : undefined)[name]).map(objectOr);

/** Patterns of model names; the first match wins. */
const kindsByName: readonly [RegExp, TestKind][] = [
  [/rerank/i, rerank],
  [/whisper|transcribe|sensevoice|[-_]asr\b/i, transcriptions],
  [/^tts|-tts\b|speech|cosyvoice/i, speech],
  [
    /flux|diffusion|stabilityai|^sd-|^sd3|dall-e|gpt-image|cogview|janus|imagen|recraft|kolors|seedream|-image\b/i,
    images,
  ],
  [embeddingName, embeddings],
];

/** Long-running tasks, and models without a request-reply API. */
const untestable = /^mj_|^chirp|^suno|^kling-video|^recraft_|^veo-|^gemini-omni|imagine-video|realtime/i;

/** Whether a minimal request exists for the model. */
export const isTestable = (model: string): boolean => model !== '' && !model.endsWith('*') && !untestable.test(model);

/**
 * The test for a model at a provider; `chat` if the name suggests nothing else or the provider has no better operation.
 * Undefined if there is no test.
 */
export function testKindOf(provider: Provider, model: string): TestKind | 'chat' | undefined {
  if (!isTestable(model)) return undefined;
  const kindByName = kindsByName.find(([names]) => names.test(model))?.[1];
  if (kindByName?.operation(provider)) return kindByName;
  // Some image models work through chat; speech, embeddings and reranking never do.
  if (provider.chat && (!kindByName || kindByName === images)) return 'chat';
  return kindByName ? undefined : [images, speech, rerank, embeddings].find((kind) => kind.operation(provider));
}
