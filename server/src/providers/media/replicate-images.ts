import { listOr, objectOr, textOr } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import { targetOf } from '#providers/task-vendors/replicate-predictions.ts';
import type { Conversion } from '../operation.ts';
import { nearestRatio } from './aspect-ratio.ts';

const ratios = ['1:1', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16', '21:9', '9:21'];

/** Members of the request that are not parameters of the model. */
const ours = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'user', 'quality', 'style', 'stream']);

/**
 * OpenAI's image generation through a prediction that is waited for, at most a minute. Parameters of the model may
 * stand next to OpenAI's. https://replicate.com/docs/topics/predictions/create-a-prediction#sync-mode
 */
export const replicateImages: Conversion = {
  request(body, { model }) {
    const fields = new Fields(body);
    const own = Object.fromEntries(Object.entries(body).filter(([name]) => !ours.has(name)));
    const ratio = nearestRatio(fields.text('size'), ratios);
    const count = fields.whole('n', 1);
    const version = targetOf(model)?.version;
    return {
      json: {
        ...(version !== undefined && { version }),
        input: {
          ...(ratio && { aspect_ratio: ratio }),
          ...(count !== undefined && count > 1 && { num_outputs: count }),
          ...own,
          prompt: fields.needText('prompt'),
        },
      },
    };
  },
  reply(content) {
    const { status, error, output } = 'json' in content ? objectOr(content.json) : {};
    if (status === 'failed' || status === 'canceled') {
      const message = textOr(error, 'the prediction failed');
      throw new BadReply({ code: /nsfw|safety/i.test(message) ? 'prompt_blocked' : 'error_in_reply', message });
    }
    const urls = (Array.isArray(output) ? listOr(output) : [output]).filter((one) => textOr(one, '') !== '');
    if (urls.length === 0)
      throw new BadReply({ code: 'bad_reply', message: `no picture within a minute (${textOr(status, 'no status')})` });
    return { json: { created: Math.floor(Date.now() / 1000), data: urls.map((url) => ({ url })) } };
  },
};
