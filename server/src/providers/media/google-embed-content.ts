import { objectOr } from '#json.ts';
import { Fields } from '#chat/fields.ts';
import { gemini } from '#usage/gemini.ts';
import type { Conversion } from '../operation.ts';
import { embeddingList, textsIn } from './embeddings.ts';

/**
 * OpenAI's embeddings through Vertex's `embedContent`, one content per request.
 * https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.publishers.models/embedContent
 */
export const contentEmbeddings: Conversion = {
  request(body) {
    const fields = new Fields(body);
    return {
      json: {
        content: { parts: textsIn(fields).map((text) => ({ text })) },
        taskType: fields.text('task_type'),
        title: fields.text('title'),
        outputDimensionality: fields.whole('dimensions', 1),
      },
    };
  },
  // All parts of a content become one vector.
  textsAtOnce: () => 1,
  reply(content, request) {
    const reply = objectOr('json' in content ? content.json : undefined);
    const tokens = gemini.read(gemini.find(reply))?.input ?? 0;
    return embeddingList([objectOr(reply['embedding'])['values']], request, tokens);
  },
};
