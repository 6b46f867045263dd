import { Fields, objectOr } from '#chat/fields.ts';
import { titanEmbeddings as usage } from '#usage/plain-counters.ts';
import type { Conversion } from '../operation.ts';
import { cohereEmbeddings } from './cohere-media.ts';
import { embeddingList, textsIn } from './embeddings.ts';

/**
 * OpenAI's embeddings by Amazon's Titan, one text at a time.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
 */
export const titanEmbeddings: Conversion = {
  request(body) {
    const fields = new Fields(body);
    const dimensions = fields.whole('dimensions', 1);
    return { json: { inputText: textsIn(fields).join('\n'), ...(dimensions !== undefined && { dimensions }) } };
  },
  textsAtOnce: () => 1,
  reply(content, request) {
    const reply = objectOr('json' in content ? content.json : undefined);
    return embeddingList([reply['embedding']], request, usage.read(usage.find(reply))?.input ?? 0);
  },
};

/**
 * The same by Cohere's models, whose name stands in the address here.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
export const bedrockCohereEmbeddings: Conversion = {
  ...cohereEmbeddings,
  request(body, asked) {
    const content = cohereEmbeddings.request(body, asked);
    const { model: _model, ...json } = objectOr('json' in content ? content.json : undefined);
    return { json };
  },
};
