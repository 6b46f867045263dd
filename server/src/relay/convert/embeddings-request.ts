import { promptTokens } from '@relay-hub/contract';
import { isObject, listOr, objectOr, type Json } from '#json.ts';
import { ofBoundedDepth } from '#chat/chat-errors.ts';
import { changed } from '#providers/fixes.ts';
import { MOST_REQUESTS } from '#providers/media/embeddings.ts';
import type { Content, Conversion, Operation } from '#providers/operation.ts';
import type { ChannelChoice, RelayCall, ResponseReader, UpstreamRequest } from '#relay/types/call-types.ts';
import { geminiEmbeddings, noEmbeddings, renamedEmbeddings } from '#relay/dialects/gemini-embeddings.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { withBadRequests } from '#relay/dialects/caller-dialect.ts';
import { parseObject, readReply } from '#relay/body/json-reply.ts';
import { incompleteJson } from './media-reply.ts';
import { convertedMediaRequest, encodeReply, usageOf } from './media-request.ts';

/** Gemini embeddings for a channel of any provider. Throws a 400 for what the channel cannot do. */
export const geminiEmbeddingsRequest = (call: RelayCall, choice: ChannelChoice, body: Buffer): UpstreamRequest =>
  withBadRequests(() => buildRequest(call, choice, body));

const buildRequest = ofBoundedDepth((call: RelayCall, choice: ChannelChoice, body: Buffer): UpstreamRequest => {
  const { operation } = choice;
  const isBatch = call.callerPath?.endsWith(BATCH) ?? false;
  if (operation.dialect === 'gemini')
    return operation.single && isBatch ? oneByOne(call, choice, body) : passThroughEmbeddings(call, choice, body);
  return convertedMediaRequest(call, choice, {
    convert: operation.convert ?? openConversion(operation),
    tell: (content, { input }) => encodeReply({ json: geminiEmbeddings(jsonIn(content), input, isBatch) }),
  });
});

const BATCH = ':batchEmbedContents';

const noStream: ResponseReader = {
  stream: undefined,
  streamType: undefined,
  reply: undefined,
  streamError: () => undefined,
};

/** Caller and channel both speak Gemini's dialect: bytes pass through. */
function passThroughEmbeddings(
  { request }: RelayCall,
  { operation, upstreamModel }: ChannelChoice,
  body: Buffer,
): UpstreamRequest {
  const named = operation.single ? unnamed : upstreamModel === request.model ? unchanged : renamedEmbeddings;
  return {
    ...noStream,
    body: named(body, upstreamModel),
    content: (result) => {
      const reply = readReply(result.body, operation.usage, 'usageMetadata');
      if (!reply.isComplete) throw incompleteJson();
      if (isObject(reply.json) && !hasVectors(reply.json)) throw noEmbeddings();
      return { usage: operation.usage.read(reply.usage) };
    },
  };
}

/** Whether a reply contains vectors. */
const hasVectors = (json: Json): boolean => {
  const embeddings = [json['embedding'], ...listOr(json['embeddings'])];
  return embeddings.some((one) => listOr(objectOr(one)['values']).length > 0);
};

const unchanged = (body: Buffer): Buffer => body;

/** Removes a model named in the body, since the URL names it. */
function unnamed(body: Buffer): Buffer {
  const json = parseObject(body.toString('utf8'));
  return json && 'model' in json ? withoutModel(json) : body;
}

const withoutModel = ({ model: _model, ...rest }: Json): Buffer => Buffer.from(JSON.stringify(rest));

/** A batch for a vendor that accepts one content per request. */
function oneByOne(call: RelayCall, { operation }: ChannelChoice, body: Buffer): UpstreamRequest {
  const requests = listOr(parseObject(body.toString('utf8'))?.['requests']).map(objectOr);
  if (requests.length > MOST_REQUESTS)
    throw badRequest(`The model behind this name takes ${MOST_REQUESTS} contents per call.`, 'requests');
  const [first = body, ...further] = requests.map(withoutModel);
  return {
    ...noStream,
    body: first,
    ...(further.length > 0 && { moreBodies: further }),
    content: (result) => {
      const replies = (result.parts ?? [result]).map((part) => parseObject(part.body.toString('utf8')));
      if (!replies.every((one) => one && hasVectors(one))) throw noEmbeddings();
      const { usage, assumed } = usageOf(
        call,
        replies.map((one) => operation.usage.read(operation.usage.find(one))),
        requests.length,
      );
      const promptTokenCount = promptTokens(usage ?? assumed);
      const usageMetadata = { promptTokenCount, totalTokenCount: promptTokenCount };
      const embeddings = replies.map((one) => one?.['embedding']);
      return { usage, assumed, converted: encodeReply({ json: { embeddings, usageMetadata } }) };
    },
  };
}

/** OpenAI's format without the fields that only other vendors have. */
const openConversion = ({ fix }: Operation): Conversion => ({
  request({ task_type: _task, title: _title, ...open }, asked) {
    const json = { ...open, model: asked.model };
    return { json: changed(json, fix?.(json, asked) ?? {}) };
  },
  reply: (content) => content,
});

const jsonIn = (content: Content): unknown => ('json' in content ? content.json : undefined);
