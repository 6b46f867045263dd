import { listOr, objectOr, type Json } from '#json.ts';
import { BadChatRequest, BadReply, ofBoundedDepth } from '#chat/chat-errors.ts';
import type { Part } from '#chat/chat.ts';
import { Fields } from '#chat/fields.ts';
import { CallIds, readParts } from '#chat/gemini/read-gemini-contents.ts';
import { snake } from '#chat/gemini/read-gemini-request.ts';
import { estimateParts, withBadRequests } from './caller-dialect.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { isName } from './open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';

/** One content to embed. */
interface Embedding {
  fields: Fields;
  parts: readonly Part[];
}

/**
 * Parses embedContent or, with `isBatch`, batchEmbedContents. Throws a 400 that names the field.
 * https://ai.google.dev/api/embeddings
 */
export function parseGeminiEmbeddings(json: unknown, model: string, isBatch: boolean): ParsedRequest {
  if (!isName(model)) throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
  const embeddings = withBadRequests(() => readEmbeddings(json, isBatch));
  return {
    model,
    stream: false,
    wantsUsage: false,
    inputTokens: embeddings.reduce((sum, { parts }) => sum + estimateParts(parts), 0),
    outputLimit: 0,
    usesTools: false,
    usesImages: embeddings.some(({ parts }) => parts.some(({ type }) => type === 'image')),
    toOpenAi: () => inOpenAi(model, embeddings, isBatch),
  };
}

const readEmbeddings = ofBoundedDepth((json: unknown, isBatch: boolean): Embedding[] => {
  const body = new Fields(json, '', snake);
  const requests = isBatch ? (body.objects('requests') ?? body.missing('requests')) : [body];
  if (requests.length === 0) body.fail('requests', 'a list with at least one request');
  return requests.map((fields) => {
    const content = fields.object('content') ?? fields.missing('content');
    return { fields, parts: readParts(content, new CallIds()) };
  });
});

/**
 * The request in OpenAI's format; `task_type` and `title` are for vendors that support them. Throws `BadChatRequest`.
 */
function inOpenAi(model: string, embeddings: readonly Embedding[], isBatch: boolean): Json {
  const input = embeddings.map(textOf);
  const dimensions = common(embeddings, 'outputDimensionality', (of) => of.whole('outputDimensionality', 1));
  const taskType = common(embeddings, 'taskType', (of) => of.text('taskType'));
  const title = common(embeddings, 'title', (of) => of.text('title'));
  return {
    model,
    input: isBatch ? input : input[0],
    ...(dimensions !== undefined && { dimensions }),
    ...(taskType !== undefined && { task_type: taskType }),
    ...(title !== undefined && { title }),
  };
}

function textOf({ fields, parts }: Embedding): string {
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text;
    throw new BadChatRequest('The model behind this name embeds texts only.', fields.at('content'));
  });
  return texts.join('\n');
}

/** A field that all requests of a batch must share, since OpenAI has it once. Google also accepts it in an object. */
function common<T>(embeddings: readonly Embedding[], name: string, read: (of: Fields) => T | undefined): T | undefined {
  const [first, ...others] = embeddings.map(({ fields }) => {
    const config = fields.object('embedContentConfig');
    return (config && read(config)) ?? read(fields);
  });
  const other = others.findIndex((one) => one !== first);
  if (other < 0) return first;
  const path = embeddings[other + 1]?.fields.at(name) ?? name; // `others` starts at the second
  throw new BadChatRequest(
    `'${path}' must be the same in all requests of a batch for the model behind this name.`,
    path,
  );
}

/** Converts OpenAI's embeddings to Gemini's format. Throws `BadReply`. */
export function geminiEmbeddings(list: unknown, promptTokens: number, isBatch: boolean): Json {
  const data = listOr(objectOr(list)['data']).map(objectOr);
  const embeddings = data
    .toSorted((a, b) => Number(a['index']) - Number(b['index']))
    .map((one) => ({ values: numbersOf(one['embedding']) }));
  if (embeddings.length === 0) throw noEmbeddings();
  const usageMetadata = { promptTokenCount: promptTokens, totalTokenCount: promptTokens };
  return isBatch ? { embeddings, usageMetadata } : { embedding: embeddings[0], usageMetadata };
}

/** Numbers, or their base64 bytes, which a few vendors always send. */
function numbersOf(embedding: unknown): unknown[] {
  if (Array.isArray(embedding) && embedding.length > 0) return embedding;
  if (typeof embedding !== 'string' || embedding === '') throw noEmbeddings();
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4));
}

export const noEmbeddings = () => new BadReply({ code: 'bad_reply', message: 'the answer holds no embeddings' });

/** The caller's bytes with another model name, which each request of a batch repeats. */
export function renamedEmbeddings(body: Buffer, model: string): Buffer {
  const json = objectOr(JSON.parse(body.toString('utf8')));
  const name = `models/${model}`;
  const requests = Array.isArray(json['requests']) && {
    requests: json['requests'].map((one: unknown) => ({ ...objectOr(one), model: name })),
  };
  return Buffer.from(JSON.stringify({ ...json, ...('model' in json && { model: name }), ...requests }));
}
