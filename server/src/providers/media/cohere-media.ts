import { isObject, listOr, objectOr } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import { cohere } from '#usage/cohere.ts';
import type { Conversion } from '../operation.ts';
import { embeddingList, textsIn } from './embeddings.ts';

/** Google's task types in Cohere's terms. */
const inputTypes: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  QUESTION_ANSWERING: 'search_query',
  FACT_VERIFICATION: 'search_query',
  CODE_RETRIEVAL_QUERY: 'search_query',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
};

/** OpenAI's embeddings through Cohere; the extra field `input_type` is passed through. */
export const cohereEmbeddings: Conversion = {
  request(body, { model }) {
    const fields = new Fields(body);
    const dimensions = fields.whole('dimensions', 1);
    return {
      json: {
        model,
        texts: textsIn(fields),
        input_type: fields.text('input_type') ?? inputTypes[fields.text('task_type') ?? ''] ?? 'search_document',
        embedding_types: ['float'],
        ...(dimensions !== undefined && { output_dimension: dimensions }),
      },
    };
  },
  // https://docs.cohere.com/reference/embed
  textsAtOnce: () => 96,
  reply(content, request) {
    const reply = objectOr('json' in content ? content.json : undefined);
    const { embeddings } = reply;
    const vectors = listOr(isObject(embeddings) ? embeddings['float'] : embeddings);
    return embeddingList(vectors, request, cohere.read(cohere.find(reply))?.input ?? 0);
  },
};

/** Rerank through Cohere. Texts only; the reply includes them on request. */
export const cohereRerank: Conversion = {
  request(body, { model }) {
    const fields = new Fields(body);
    const documents = (fields.list('documents') ?? fields.missing('documents')).map(textOf);
    const topN = fields.whole('top_n', 1);
    const perDocument = fields.whole('max_tokens_per_doc', 1);
    return {
      json: {
        model,
        query: fields.needText('query'),
        documents,
        ...(topN !== undefined && { top_n: topN }),
        ...(perDocument !== undefined && { max_tokens_per_doc: perDocument }),
      },
    };
  },
  reply(content, request) {
    const reply = objectOr('json' in content ? content.json : undefined);
    if (!Array.isArray(reply['results']))
      throw new BadReply({ code: 'bad_reply', message: 'the answer holds no results' });
    const documents = request['return_documents'] === false ? [] : listOr(request['documents']);
    const results = listOr(reply['results']).map(objectOr);
    const units = cohere.read(cohere.find(reply))?.units ?? 0;
    return {
      json: {
        id: reply['id'],
        model: request['model'],
        results: results.map(({ index, relevance_score: score }) => {
          const document = typeof index === 'number' ? documents[index] : undefined;
          return {
            index,
            relevance_score: score,
            ...(document !== undefined && { document: { text: textOf(document) } }),
          };
        }),
        usage: { prompt_tokens: units, total_tokens: units },
      },
    };
  },
};

const textOf = (document: unknown): string => {
  if (typeof document === 'string') return document;
  const { text } = objectOr(document);
  return typeof text === 'string' ? text : JSON.stringify(document);
};
