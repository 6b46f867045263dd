import { noUsage } from '@relay-hub/contract';
import { isObject, listOr, objectOr, textOr, type Json } from '#json.ts';
import { lastWins, type UsageFormat } from '#usage/usage-format.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import type { Content, Conversion } from '../operation.ts';
import { nearestRatio } from './aspect-ratio.ts';
import { embeddingList, textsIn } from './embeddings.ts';

/** Usage of `predict`: tokens per text, or the number of pictures. */
export const predictUsage: UsageFormat = {
  find: (message) => {
    const predictions = objectOr(message)['predictions'];
    if (!Array.isArray(predictions)) return undefined;
    const found = predictions.map(objectOr);
    return {
      tokens: found.reduce((sum, one) => sum + tokensOf(one), 0),
      images: found.filter((one) => typeof one['bytesBase64Encoded'] === 'string').length,
    };
  },
  merge: lastWins,
  read: (raw) => {
    const { tokens, images } = objectOr(raw);
    if (typeof tokens !== 'number' || typeof images !== 'number' || tokens + images === 0) return undefined;
    return { ...noUsage, input: tokens, units: images };
  },
};

function tokensOf(prediction: Json): number {
  const count = objectOr(objectOr(prediction['embeddings'])['statistics'])['token_count'];
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** OpenAI's embeddings through Vertex's `predict`. */
export const predictEmbeddings: Conversion = {
  request(body) {
    const fields = new Fields(body);
    const dimensions = fields.whole('dimensions', 1);
    const taskType = fields.text('task_type');
    const title = fields.text('title');
    const more = { ...(taskType && { task_type: taskType }), ...(title && { title }) };
    return {
      json: {
        instances: textsIn(fields).map((content) => ({ content, ...more })),
        ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }),
      },
    };
  },
  // Gemini's models take one text only.
  // https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings
  textsAtOnce: ({ model }) => (model.startsWith('gemini-') ? 1 : undefined),
  reply(content, request) {
    const predictions = predictionsIn(content);
    const tokens = predictions.reduce((sum, one) => sum + tokensOf(one), 0);
    return embeddingList(
      predictions.map((one) => objectOr(one['embeddings'])['values']),
      request,
      tokens,
    );
  },
};

/** OpenAI's image generation through Imagen. */
export const predictImages: Conversion = {
  request(body) {
    const fields = new Fields(body);
    const ratio = fields.text('aspect_ratio') ?? nearestRatio(fields.text('size'), ratios);
    return {
      json: {
        instances: [{ prompt: fields.needText('prompt') }],
        parameters: {
          sampleCount: fields.whole('n', 1) ?? 1,
          personGeneration: 'allow_adult',
          ...(ratio && { aspectRatio: ratio }),
        },
      },
    };
  },
  reply(content) {
    const data = predictionsIn(content).flatMap(({ bytesBase64Encoded: bytes }) =>
      typeof bytes === 'string' && bytes !== '' ? [{ b64_json: bytes }] : [],
    );
    if (data.length === 0) throw new BadReply({ code: 'bad_reply', message: 'the answer holds no picture' });
    return { json: { created: Math.floor(Date.now() / 1000), data } };
  },
};

/** The aspect ratios that Imagen supports. */
const ratios = ['1:1', '3:4', '4:3', '9:16', '16:9'];

function predictionsIn(content: Content): Json[] {
  const reply = 'json' in content ? content.json : undefined;
  if (!isObject(reply)) throw new BadReply({ code: 'bad_reply', message: 'the answer is no JSON object' });
  const predictions = listOr(reply['predictions']).map(objectOr);
  const reason = predictions.map((one) => textOr(one['raiFilteredReason'], '')).find(Boolean);
  // If only some pictures are filtered, the reply is still a success.
  if (reason && !predictions.some((one) => typeof one['bytesBase64Encoded'] === 'string'))
    throw new BadReply({ code: 'prompt_blocked', message: reason });
  return predictions;
}
