import { listOr, objectOr } from '#json.ts';
import { Fields } from '#chat/fields.ts';
import { titanEmbeddings as usage } from '#usage/plain-counters.ts';
import { lookup } from '../lookup.ts';
import type { Conversion } from '../operation.ts';
import { cohereEmbeddings } from './cohere-media.ts';
import { embeddingList, textsIn } from './embeddings.ts';

/**
 * OpenAI's embeddings through Amazon Titan, one text per request.
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

const purposes = lookup({
  RETRIEVAL_QUERY: 'TEXT_RETRIEVAL',
  QUESTION_ANSWERING: 'TEXT_RETRIEVAL',
  FACT_VERIFICATION: 'TEXT_RETRIEVAL',
  CODE_RETRIEVAL_QUERY: 'TEXT_RETRIEVAL',
  CLASSIFICATION: 'CLASSIFICATION',
  CLUSTERING: 'CLUSTERING',
});

/**
 * OpenAI's embeddings through Amazon Nova, one text per request. No usage is reported.
 * https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html
 */
export const novaEmbeddings: Conversion = {
  request(body) {
    const fields = new Fields(body);
    const dimensions = fields.whole('dimensions', 1);
    const singleEmbeddingParams = {
      embeddingPurpose: purposes(fields.text('task_type') ?? '') ?? 'GENERIC_INDEX',
      ...(dimensions !== undefined && { embeddingDimension: dimensions }),
      text: { truncationMode: 'NONE', value: textsIn(fields).join('\n') },
    };
    return { json: { taskType: 'SINGLE_EMBEDDING', singleEmbeddingParams } };
  },
  textsAtOnce: () => 1,
  reply(content, request) {
    const reply = objectOr('json' in content ? content.json : undefined);
    const vectors = listOr(reply['embeddings']).map((one) => objectOr(one)['embedding']);
    return embeddingList(vectors, request, 0);
  },
};

/**
 * OpenAI's embeddings through Cohere on Bedrock, where the model is part of the path.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
export const bedrockCohereEmbeddings: Conversion = {
  ...cohereEmbeddings,
  request(body, call) {
    const content = cohereEmbeddings.request(body, call);
    const { model: _model, ...json } = objectOr('json' in content ? content.json : undefined);
    return { json };
  },
};
