import { changed } from '#providers/fixes.ts';
import type { Content, Conversion, Operation } from '#providers/operation.ts';
import type { Admitted } from './attempts.ts';
import type { Choice } from './choose.ts';
import { geminiEmbeddings, renamedEmbeddings } from './dialects/gemini-embeddings.ts';
import type { Exchange } from './exchange.ts';
import { readReply } from './json-reply.ts';
import { convertedExchange, whole } from './media-exchange.ts';
import { noJson } from './media-reply.ts';

/** Embeddings as Gemini asks for them, at a channel of any provider. Throws a 400 for what it cannot do. */
export function geminiEmbeddingsExchange(call: Admitted, choice: Choice, body: Buffer): Exchange {
  const { operation } = choice;
  if (operation.dialect === 'gemini') return passing(call, choice, body);
  const isBatch = call.callerPath?.endsWith(BATCH) ?? false;
  return convertedExchange(call, choice, {
    convert: operation.convert ?? openConversion(operation),
    tell: (content, { input }) => whole({ json: geminiEmbeddings(jsonIn(content), input, isBatch) }),
  });
}

const BATCH = ':batchEmbedContents';

/** The caller's own bytes, and the upstream's. */
function passing({ request }: Admitted, { operation, upstreamModel }: Choice, body: Buffer): Exchange {
  return {
    stream: undefined,
    streamType: undefined,
    reply: undefined,
    streamError: () => undefined,
    body: upstreamModel === request.model ? body : renamedEmbeddings(body, upstreamModel),
    content: (sent) => {
      const reply = readReply(sent.body, operation.usage, 'usageMetadata');
      if (!reply.whole) throw noJson();
      return { usage: operation.usage.read(reply.usage) };
    },
  };
}

/** OpenAI's form for those who speak it, without what only others have words for. */
const openConversion = ({ fix }: Operation): Conversion => ({
  request({ task_type: _task, title: _title, ...open }, asked) {
    const json = { ...open, model: asked.model };
    return { json: changed(json, fix?.(json, asked) ?? {}) };
  },
  reply: (content) => content,
});

const jsonIn = (content: Content): unknown => ('json' in content ? content.json : undefined);
